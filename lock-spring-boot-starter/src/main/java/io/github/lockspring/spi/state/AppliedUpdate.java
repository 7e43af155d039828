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

import java.util.ArrayList;
import java.util.List;

import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * Last update of a process that was applied to a value. Immutable.
 * <p>
 * Its text is one line: process, number of the update, value before and version after,
 * such as {@code 0123456789abcdef0123456789abcdef 7 41@1003 1004}, where a hyphen is an
 * absent value.
 *
 * @param id the identity of the update
 * @param before the value before it
 * @param version the version of the state after it; 0 if it is the latest update of a
 * state, whose version it is
 */
public record AppliedUpdate(OwnerId id, Value before, long version) {

	private static final String NONE = "-";

	/**
	 * Read updates.
	 * @param text the result of {@link #toText}
	 * @return the updates
	 * @throws RuntimeException if the text is of another form
	 */
	public static List<AppliedUpdate> parse(String text) {
		List<AppliedUpdate> updates = new ArrayList<>();
		if (!text.isEmpty()) {
			for (String line : text.split("\n")) {
				updates.add(parseLine(line));
			}
		}
		return updates;
	}

	private static AppliedUpdate parseLine(String line) {
		String[] parts = line.split(" ");
		return new AppliedUpdate(new OwnerId(parts[0], Long.parseLong(parts[1])), parseValue(parts[2]),
				Long.parseLong(parts[3]));
	}

	private static Value parseValue(String text) {
		int at = text.indexOf('@');
		return text.equals(NONE) ? Value.ABSENT
				: new Value(Long.parseLong(text.substring(0, at)), Long.parseLong(text.substring(at + 1)));
	}

	/**
	 * Return the text of updates, one per line.
	 * @param updates the updates
	 * @return the text
	 */
	public static String toText(List<AppliedUpdate> updates) {
		StringBuilder text = new StringBuilder();
		for (AppliedUpdate update : updates) {
			update.appendTo(text.isEmpty() ? text : text.append('\n'));
		}
		return text.toString();
	}

	private void appendTo(StringBuilder line) {
		line.append(this.id.instance()).append(' ').append(this.id.sequence()).append(' ');
		if (this.before.exists()) {
			line.append(this.before.number()).append('@').append(this.before.version());
		}
		else {
			line.append(NONE);
		}
		line.append(' ').append(this.version);
	}

	/**
	 * Return the result of this update.
	 * @param change the change that was made
	 * @return the value before and after it
	 */
	public ValueUpdateResult result(ValueChange change) {
		return new ValueUpdateResult(this.before, change.valueAfter(this.before, this.version));
	}

	AppliedUpdate withVersion(long latest) {
		return (this.version != 0) ? this : new AppliedUpdate(this.id, this.before, latest);
	}

}
