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

import java.util.ArrayList;
import java.util.List;

import org.springframework.util.Assert;

import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.state.AppliedUpdate;
import io.github.lockspring.spi.state.ValueState;

/**
 * Text of the last update of a process in the row of a value. The entries of a row are
 * lines of one length, the newest first, which the statements cut out and put in front:
 * process, number of the update, number and version before it, both 0 if the value was
 * absent, and version after it.
 */
final class ValueEntry {

	private static final int INSTANCE_LENGTH = 32;

	private static final int VERSION_LENGTH = 19;

	private static final int NUMBER_LENGTH = 20;

	/**
	 * Position of the number of the update in an entry.
	 */
	static final int SEQUENCE_OFFSET = INSTANCE_LENGTH + 1;

	/**
	 * Number of digits of the number of an update, with leading zeros.
	 */
	static final int SEQUENCE_LENGTH = VERSION_LENGTH;

	private static final int BEFORE_OFFSET = SEQUENCE_OFFSET + SEQUENCE_LENGTH + 1;

	private static final int VERSION_BEFORE_OFFSET = BEFORE_OFFSET + NUMBER_LENGTH + 1;

	private static final int VERSION_OFFSET = VERSION_BEFORE_OFFSET + VERSION_LENGTH + 1;

	/**
	 * The length of an entry, with the end of its line.
	 */
	static final int LENGTH = VERSION_OFFSET + VERSION_LENGTH + 1;

	/**
	 * The maximum length of all entries of a row.
	 */
	static final int MAX_TOTAL_LENGTH = ValueState.MAX_UPDATES * LENGTH;

	private ValueEntry() {
	}

	/**
	 * Return the beginning of an entry, which the statement completes.
	 */
	static String beginning(OwnerId id) {
		Assert.isTrue(id.instance().length() == INSTANCE_LENGTH,
				() -> "The instance of an update must have %d digits".formatted(INSTANCE_LENGTH));
		return id.instance() + ' ' + sequence(id.sequence()) + ' ';
	}

	/**
	 * Return the number of an update so that texts compare as numbers do.
	 */
	static String sequence(long sequence) {
		String digits = Long.toString(sequence);
		return "0".repeat(SEQUENCE_LENGTH - digits.length()) + digits;
	}

	/**
	 * Return the line of an update.
	 */
	static String of(AppliedUpdate update) {
		return beginning(update.id())
				+ String.join(" ", padded(update.before().number(), NUMBER_LENGTH),
						padded(update.before().version(), VERSION_LENGTH), padded(update.version(), VERSION_LENGTH))
				+ '\n';
	}

	private static String padded(long number, int length) {
		String digits = Long.toString(number);
		return " ".repeat(length - digits.length()) + digits;
	}

	/**
	 * Read the newest entry of a row.
	 * @param lines the entries of the row
	 * @throws IllegalArgumentException if there is none
	 */
	static AppliedUpdate first(String lines) {
		return at(lines, 0);
	}

	/**
	 * Read the entries of a row.
	 * @param lines the entries of the row
	 * @throws IllegalArgumentException if they cannot be read
	 */
	static List<AppliedUpdate> all(String lines) {
		List<AppliedUpdate> entries = new ArrayList<>(lines.length() / LENGTH);
		for (int i = 0; i < lines.length(); i += LENGTH) {
			entries.add(at(lines, i));
		}
		return entries;
	}

	private static AppliedUpdate at(String lines, int index) {
		Assert.isTrue(lines.length() >= index + LENGTH, "Incomplete entry");
		OwnerId id = new OwnerId(lines.substring(index, index + INSTANCE_LENGTH),
				number(lines, index + SEQUENCE_OFFSET, SEQUENCE_LENGTH));
		Value before = new Value(number(lines, index + BEFORE_OFFSET, NUMBER_LENGTH),
				number(lines, index + VERSION_BEFORE_OFFSET, VERSION_LENGTH));
		return new AppliedUpdate(id, before, number(lines, index + VERSION_OFFSET, VERSION_LENGTH));
	}

	private static long number(String lines, int index, int length) {
		return Long.parseLong(lines.substring(index, index + length).strip());
	}

}
