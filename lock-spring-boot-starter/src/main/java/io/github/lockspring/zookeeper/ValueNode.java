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
import java.util.List;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.state.AppliedUpdate;
import io.github.lockspring.spi.state.ValueState;

/**
 * Node of a value, or of a deleted one, which is kept for a while.
 * <p>
 * The version of the value is the id of the transaction that changed the node last. It
 * therefore increases over everything except the loss of the data of the servers, even if
 * the node was deleted in between. It is not known yet when the data is written.
 * <p>
 * The data is text. The first line contains the format and the number, or a hyphen if the
 * value is deleted. The following lines contain the
 * {@linkplain io.github.lockspring.spi.state.AppliedUpdate last updates}.
 *
 * @param state the state of the value; its version is 0 if there is no node
 * @param dataVersion the version of the data, by which the node is changed only if no
 * other process has changed it since
 */
record ValueNode(ValueState state, int dataVersion) {

	/**
	 * State of a node that does not exist.
	 */
	static final ValueNode ABSENT = new ValueNode(ValueState.NONE, 0);

	private static final String FORMAT = "v1";

	private static final String NONE = "-";

	/**
	 * Parse the content of a node.
	 * @throws BackendUnavailableException if it was not written by this library
	 */
	static ValueNode of(String path, NodeContent content) {
		try {
			String[] parts = new String(content.data(), StandardCharsets.US_ASCII).split("\n", 2);
			String[] first = parts[0].split(" ");
			if (first.length != 2 || !first[0].equals(FORMAT)) {
				throw new IllegalArgumentException("Not a value in the format " + FORMAT);
			}
			Long number = first[1].equals(NONE) ? null : Long.valueOf(first[1]);
			List<AppliedUpdate> updates = (parts.length > 1) ? AppliedUpdate.parse(parts[1]) : List.of();
			return new ValueNode(new ValueState(number, content.stat().getMzxid(), 0, updates),
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
		return transaction() != 0;
	}

	/**
	 * Return the id of the transaction that changed the node last.
	 */
	long transaction() {
		return this.state.version();
	}

	/**
	 * Return the data of a node.
	 */
	static byte[] data(ValueState state) {
		Object number = (state.number() != null) ? state.number() : NONE;
		String text = FORMAT + ' ' + number + '\n' + AppliedUpdate.toText(state.updates());
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
