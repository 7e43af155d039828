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

package io.github.lockspring.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * Node of a value, with the last applied update of each process, by which repetitions are
 * recognized. A deleted value keeps its node for a while, without a number.
 * <p>
 * The version of the value is the id of the transaction that changed the node last. It
 * therefore increases over everything except the loss of the data of the servers, even if
 * the node was deleted in between.
 * <p>
 * The data is text. The first line contains the format and the number, or a hyphen if the
 * value is deleted. The following lines contain the updates, the latest first: process,
 * number of the update, value before and value after. The value after the latest one is
 * omitted: it is that of the first line, and its version is not known yet when the data
 * is written.
 *
 * @param exists whether the value exists
 * @param number the number, 0 if the value does not exist
 * @param updates the last updates, the latest first
 * @param transaction the id of the transaction that changed the node last, 0 if there is
 * no node
 * @param dataVersion the version of the data, by which the node is changed only if no
 * other process has changed it since
 */
record ValueNode(boolean exists, long number, List<AppliedUpdate> updates, long transaction, int dataVersion) {

	/**
	 * State of a node that does not exist.
	 */
	static final ValueNode ABSENT = new ValueNode(false, 0, List.of(), 0, 0);

	static final int MAX_UPDATES = 2 * ValueBackend.REMEMBERED_PROCESSES;

	private static final String FORMAT = "v1";

	private static final String NONE = "-";

	/**
	 * Parse the content of a node.
	 * @throws BackendUnavailableException if it was not written by this library
	 */
	static ValueNode of(String path, NodeContent content) {
		try {
			String[] lines = new String(content.data(), StandardCharsets.US_ASCII).split("\n");
			String[] first = lines[0].split(" ");
			if (first.length != 2 || !first[0].equals(FORMAT)) {
				throw new IllegalArgumentException("Not a value in the format " + FORMAT);
			}
			List<AppliedUpdate> updates = new ArrayList<>(lines.length - 1);
			for (int i = 1; i < lines.length; i++) {
				updates.add(AppliedUpdate.parse(lines[i]));
			}
			boolean exists = !first[1].equals(NONE);
			return new ValueNode(exists, exists ? Long.parseLong(first[1]) : 0, updates, content.stat().getMzxid(),
					content.stat().getVersion());
		}
		catch (RuntimeException ex) {
			throw new BackendUnavailableException("ZooKeeper has foreign data: '" + path
					+ "' was not written by this library, or was written by a later version", ex);
		}
	}

	/**
	 * Return whether there is a node, of a value or of a deleted one.
	 */
	boolean isStored() {
		return this.transaction != 0;
	}

	Value value() {
		return this.exists ? new Value(this.number, this.transaction) : Value.ABSENT;
	}

	/**
	 * Return the result of an update that changes nothing: it was applied before, or its
	 * condition is not met.
	 * @return the result, or {@code null} if the update is to be applied
	 * @throws OutcomeUnknownException if it is unknown whether the update was applied
	 */
	@Nullable ValueUpdateResult resultWithoutChange(ValueUpdate update) {
		AppliedUpdate last = lastUpdateOf(update.id().instance());
		if (last != null && last.id().sequence() >= update.id().sequence()) {
			return last.id().equals(update.id()) ? resultOf(last) : new ValueUpdateResult(value(), value());
		}
		if (last == null && update.repeated() && this.updates.size() >= MAX_UPDATES) {
			throw new OutcomeUnknownException("Unknown whether a repeated update of '" + update.key()
					+ "' was applied: the store no longer has a record of it", null);
		}
		return update.change().appliesTo(value()) ? null : new ValueUpdateResult(value(), value());
	}

	private @Nullable AppliedUpdate lastUpdateOf(String instance) {
		for (AppliedUpdate update : this.updates) {
			if (update.id().instance().equals(instance)) {
				return update;
			}
		}
		return null;
	}

	private ValueUpdateResult resultOf(AppliedUpdate update) {
		return new ValueUpdateResult(update.before(), (update.after() != null) ? update.after() : value());
	}

	/**
	 * Return the result of the latest update.
	 */
	ValueUpdateResult latestResult() {
		return resultOf(this.updates.get(0));
	}

	/**
	 * Return the node after an update, without its transaction and version, which are not
	 * known yet.
	 */
	ValueNode apply(ValueUpdate update) {
		List<AppliedUpdate> updates = new ArrayList<>(this.updates.size() + 1);
		updates.add(new AppliedUpdate(update.id(), value(), null));
		for (AppliedUpdate former : this.updates) {
			if (!former.id().instance().equals(update.id().instance()) && updates.size() < MAX_UPDATES) {
				updates.add(new AppliedUpdate(former.id(), former.before(), resultOf(former).after()));
			}
		}
		return new ValueNode(!(update.change() instanceof ValueChange.Delete), update.change().numberAfter(value()),
				updates, 0, 0);
	}

	/**
	 * Return this node with the transaction that wrote it.
	 */
	ValueNode writtenBy(long transaction, int dataVersion) {
		return new ValueNode(this.exists, this.number, this.updates, transaction, dataVersion);
	}

	byte[] data() {
		StringBuilder data = new StringBuilder(FORMAT).append(' ').append(this.exists ? this.number : NONE);
		this.updates.forEach((update) -> update.appendTo(data.append('\n')));
		return data.toString().getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Update that was applied.
	 *
	 * @param id its identity
	 * @param before the value before
	 * @param after the value after; {@code null} for the latest update of a node, whose
	 * value it is
	 */
	record AppliedUpdate(OwnerId id, Value before, @Nullable Value after) {

		static AppliedUpdate parse(String line) {
			String[] parts = line.split(" ");
			return new AppliedUpdate(new OwnerId(parts[0], Long.parseLong(parts[1])), parseValue(parts[2]),
					(parts.length > 3) ? parseValue(parts[3]) : null);
		}

		private static Value parseValue(String text) {
			int at = text.indexOf('@');
			return text.equals(NONE) ? Value.ABSENT
					: new Value(Long.parseLong(text.substring(0, at)), Long.parseLong(text.substring(at + 1)));
		}

		void appendTo(StringBuilder line) {
			line.append(this.id.instance()).append(' ').append(this.id.sequence());
			append(line.append(' '), this.before);
			if (this.after != null) {
				append(line.append(' '), this.after);
			}
		}

		private static void append(StringBuilder line, Value value) {
			if (value.exists()) {
				line.append(value.number()).append('@').append(value.version());
			}
			else {
				line.append(NONE);
			}
		}

	}

}
