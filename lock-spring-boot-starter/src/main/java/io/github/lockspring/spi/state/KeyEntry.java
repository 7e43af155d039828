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

package io.github.lockspring.spi.state;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.support.Durations;

/**
 * Holder of a key, or entry in its queue. Immutable.
 *
 * @param owner the text of the owner of the request
 * @param mode the share that is held or wanted
 * @param queued whether it is an entry in the queue
 * @param token the last fencing token of the lease, 0 for an entry in the queue
 * @param end the time at which it expires, by the clock of the store
 * @param process the name of the process, empty if it is unknown
 * @param recallable whether the holder is asked to release the lease when another request
 * is denied because of it, which is not part of the {@linkplain #toLine() line}
 */
public record KeyEntry(String owner, LeaseMode mode, boolean queued, long token, Instant end, String process,
		boolean recallable) {

	private static final Pattern LINE = Pattern
		.compile("(\\+?)([xsp])(?:(\\d+)/(\\d+)(?:/(\\d+))?)? (\\S+) (\\d+) (\\d+) ([^\\n]*)");

	private static final String NO_TEXT = "[^ -~]";

	private static final int MAX_SHOWN = 128;

	/**
	 * Create an entry that is not recallable.
	 * @param owner the text of the owner of the request
	 * @param mode the share that is held or wanted
	 * @param queued whether it is an entry in the queue
	 * @param token the last fencing token of the lease, 0 for an entry in the queue
	 * @param end the time at which it expires
	 * @param process the name of the process, empty if it is unknown
	 */
	public KeyEntry(String owner, LeaseMode mode, boolean queued, long token, Instant end, String process) {
		this(owner, mode, queued, token, end, process, false);
	}

	/**
	 * Create the reservation of a key that was handed off to a waiting request, until the
	 * request acquires it. It has no token.
	 * @param owner the owner of the request
	 * @param end the time at which it expires
	 * @return the reservation
	 */
	public static KeyEntry reservation(String owner, Instant end) {
		return new KeyEntry(owner, LeaseMode.EXCLUSIVE, false, 0, end, "");
	}

	/**
	 * Parse a line written by {@link #toLine()}.
	 * @param line the line
	 * @return the entry
	 * @throws BackendUnavailableException if it was written by a later version of this
	 * class
	 */
	public static KeyEntry ofLine(String line) {
		Matcher matcher = LINE.matcher(line);
		if (!matcher.matches()) {
			throw unreadable(line, null);
		}
		try {
			return new KeyEntry(matcher.group(6), mode(matcher), !matcher.group(1).isEmpty(),
					Long.parseLong(matcher.group(7)), Durations.ofMicros(Long.parseLong(matcher.group(8))),
					matcher.group(9));
		}
		catch (IllegalArgumentException ex) {
			throw unreadable(line, ex); // a number out of range
		}
	}

	private static BackendUnavailableException unreadable(String line, @Nullable Exception cause) {
		String shown = line.substring(0, Math.min(line.length(), MAX_SHOWN)).replaceAll(NO_TEXT, "?");
		return new BackendUnavailableException("The store has an entry that this version cannot read: " + shown, cause);
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
	 * Return this entry as a line, without a line terminator. Its end is rounded down to
	 * microseconds.
	 * @return the line
	 */
	public String toLine() {
		return String.join(" ", (this.queued ? "+" : "") + code(), this.owner, Long.toString(this.token),
				Long.toString(Durations.micros(this.end)), this.process.replaceAll(NO_TEXT, "?"));
	}

	private String code() {
		if (this.mode instanceof Permits permits) {
			return "p" + permits.permits() + '/' + permits.limit()
					+ ((permits.version() > 0) ? "/" + permits.version() : "");
		}
		return isExclusive() ? "x" : "s";
	}

	/**
	 * Return whether the key is reserved for a waiting request, and not held.
	 * @return whether this is a {@linkplain #reservation reservation}
	 */
	public boolean isReservation() {
		return !this.queued && this.token == 0;
	}

	/**
	 * Return whether this entry belongs to an owner.
	 * @param owner the text of the owner
	 * @return whether it is the owner of this entry
	 */
	public boolean isOwnedBy(@Nullable String owner) {
		return this.owner.equals(owner);
	}

	/**
	 * Return whether the mode is {@link LeaseMode#EXCLUSIVE}.
	 * @return whether no other may hold the key beside this one
	 */
	public boolean isExclusive() {
		return this.mode instanceof LeaseMode.Exclusive;
	}

	/**
	 * Return whether the mode is {@link LeaseMode#SHARED}.
	 * @return whether other shared leases may be held beside this one
	 */
	public boolean isShared() {
		return this.mode instanceof LeaseMode.Shared;
	}

	/**
	 * Return whether this entry has not expired.
	 * @param now the time
	 * @return whether it ends later
	 */
	boolean isLive(Instant now) {
		return this.end.isAfter(now);
	}

	/**
	 * Return this entry with another end.
	 * @param end the time at which it expires
	 * @return the entry
	 */
	public KeyEntry until(Instant end) {
		return new KeyEntry(this.owner, this.mode, this.queued, this.token, end, this.process, this.recallable);
	}

	/**
	 * Return the lease of a weaker request that replaces this one.
	 */
	KeyEntry by(String owner, LeaseMode mode, Instant end) {
		return new KeyEntry(owner, mode, false, this.token, end, this.process);
	}

	LeaseHolder toHolder(Instant now) {
		return new LeaseHolder(this.owner, ProcessName.parse(this.process), this.mode, this.token,
				Duration.between(now, this.end));
	}

	LeaseWaiter toWaiter() {
		return new LeaseWaiter(this.owner, ProcessName.parse(this.process));
	}

}
