/*
 * Copyright 2026 the lock-spring-boot-starter authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.lockspring.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;

/**
 * Holder of a key, or entry in its queue.
 *
 * @param owner the owner of the request
 * @param mode the share that is held or wanted
 * @param waiting whether it is an entry in the queue
 * @param token the last token of the lease, 0 for an entry in the queue
 * @param end the time at which it expires, in microseconds since 1970 by the clock of the
 * database
 * @param holder the name of the process
 */
record KeyEntry(String owner, LeaseMode mode, boolean waiting, long token, long end, String holder) {

	private static final Pattern LINE = Pattern
		.compile("(\\+?)([xsp])(?:(\\d+)/(\\d+)(?:/(\\d+))?)? (\\S+) (\\d+) (\\d+) ([^\\n]*)");

	private static final String NO_TEXT = "[^ -~]";

	private static final int MAX_SHOWN = 128;

	/**
	 * Parse a line written by {@link #toLine()}.
	 * @throws BackendUnavailableException if it was written by a later version of this
	 * class
	 */
	static KeyEntry ofLine(String line) {
		Matcher matcher = LINE.matcher(line);
		if (!matcher.matches()) {
			throw unreadable(line, null);
		}
		try {
			return new KeyEntry(matcher.group(6), mode(matcher), !matcher.group(1).isEmpty(),
					Long.parseLong(matcher.group(7)), Long.parseLong(matcher.group(8)), matcher.group(9));
		}
		catch (IllegalArgumentException ex) {
			throw unreadable(line, ex); // a number out of range
		}
	}

	private static BackendUnavailableException unreadable(String line, @Nullable Exception cause) {
		return new BackendUnavailableException(
				"The lock table has an entry that this version cannot read: " + shown(line), cause);
	}

	private static String shown(String line) {
		return line.substring(0, Math.min(line.length(), MAX_SHOWN)).replaceAll(NO_TEXT, "?");
	}

	private static LeaseMode mode(Matcher matcher) {
		return switch (matcher.group(2)) {
			case "x" -> LeaseMode.EXCLUSIVE;
			case "s" -> LeaseMode.SHARED;
			default -> LeaseMode.permits(Integer.parseInt(matcher.group(3)), Integer.parseInt(matcher.group(4)),
					(matcher.group(5) != null) ? Long.parseLong(matcher.group(5)) : 0);
		};
	}

	/**
	 * Return this entry as a line, without a line terminator.
	 */
	String toLine() {
		return (this.waiting ? "+" : "") + code() + ' ' + this.owner + ' ' + this.token + ' ' + this.end + ' '
				+ this.holder.replaceAll(NO_TEXT, "?");
	}

	private String code() {
		if (this.mode instanceof Permits permits) {
			return "p" + permits.permits() + '/' + permits.limit()
					+ ((permits.version() > 0) ? "/" + permits.version() : "");
		}
		return isExclusive() ? "x" : "s";
	}

	/**
	 * Create the reservation of a key that was handed off to a waiting request, until the
	 * request acquires it. It has no token.
	 */
	static KeyEntry reservation(String owner, long end) {
		return new KeyEntry(owner, LeaseMode.EXCLUSIVE, false, 0, end, "");
	}

	boolean isReservation() {
		return isExclusive() && !this.waiting && this.holder.isEmpty();
	}

	boolean isOwnedBy(@Nullable String owner) {
		return this.owner.equals(owner);
	}

	boolean isExclusive() {
		return this.mode.equals(LeaseMode.EXCLUSIVE);
	}

	boolean isShared() {
		return this.mode.equals(LeaseMode.SHARED);
	}

	/**
	 * Return the lease of a weaker request that replaces this one.
	 */
	KeyEntry by(String owner, LeaseMode mode, long end) {
		return new KeyEntry(owner, mode, false, this.token, end, this.holder);
	}

	KeyEntry until(long end) {
		return new KeyEntry(this.owner, this.mode, this.waiting, this.token, end, this.holder);
	}

	/**
	 * Return the lease of the placeholder owner that replaces this one.
	 */
	KeyEntry ofFormerOwner(long end) {
		return new KeyEntry(this.owner + '!', this.mode, false, this.token, end, this.holder);
	}

}
