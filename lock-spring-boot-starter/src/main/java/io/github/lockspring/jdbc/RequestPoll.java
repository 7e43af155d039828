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

import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.state.KeyState;

/**
 * Polls waiting requests, a few hundred in one statement:
 * <ol>
 * <li>The rows of the keys are read, without locking them.</li>
 * <li>Requests that may be admitted, and those without a readable row, are not part of
 * the result: they must be retried.</li>
 * <li>Queue entries that are half expired are extended, and waiting requests that are
 * missing in the rows are entered, in one batch.</li>
 * <li>Marks that are half expired are renewed, in one statement. Requests for a row that
 * has been written since it was read are not part of the result.</li>
 * <li>Leases that are recallable are recalled again, in one statement.</li>
 * </ol>
 */
final class RequestPoll {

	private final Map<LeaseRequest, Denial> denials = new HashMap<>();

	private final LockConnection connection;

	private final Set<LeaseRequest> listening;

	private final boolean handingOff;

	/**
	 * Create a poll for one call.
	 * @param connection the connection
	 * @param listening the requests that rely on notifications of releases
	 * @param handingOff whether released keys are handed off to waiting requests
	 */
	RequestPoll(LockConnection connection, Set<LeaseRequest> listening, boolean handingOff) {
		this.connection = connection;
		this.listening = listening;
		this.handingOff = handingOff;
	}

	/**
	 * Poll requests.
	 * @return the requests that are still denied
	 */
	Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting) throws SQLException {
		List<LeaseRequest> all = List.copyOf(waiting);
		for (int i = 0; i < all.size(); i += SqlParameters.MAX_KEYS) {
			pollTogether(all.subList(i, Math.min(i + SqlParameters.MAX_KEYS, all.size())));
		}
		return this.denials;
	}

	private void pollTogether(List<LeaseRequest> requests) throws SQLException {
		Set<String> keys = requests.stream().map(LeaseRequest::key).collect(Collectors.toSet());
		Map<String, KeyRow> rows = KeyRows.readKnown(this.connection, keys);
		List<LeaseRequest> denied = requests.stream().filter((request) -> isDenied(request, rows)).toList();
		Set<String> unsure = new HashSet<>(extendQueueEntries(denied, rows));
		unsure.addAll(renewMarks(denied, rows));
		KeyRows.recall(this.connection, KeyRows.recallable(rows, denied.stream().map(LeaseRequest::key)));
		for (LeaseRequest request : denied) {
			if (!unsure.contains(request.key())) {
				this.denials.put(request, KeyRow.states(request, rows).denial(request));
			}
		}
	}

	private static boolean isDenied(LeaseRequest request, Map<String, KeyRow> rows) {
		KeyRow row = rows.get(request.key());
		return row != null && isWaitedFor(row.state(), request)
				&& !row.state().admits(request.ownerText(), request.terms().mode(), request.terms().fair());
	}

	private static boolean isWaitedFor(KeyState state, LeaseRequest request) {
		String owner = request.ownerText();
		return state.holder(owner) == null && state.superseding(request.terms().mode()).isEmpty()
				&& (!request.terms().fair() || state.queueEntry(owner) != null);
	}

	/**
	 * Extend the queue entries, in the order of the keys, so that no two sessions wait
	 * for each other.
	 * @return the keys whose rows could not be written
	 */
	private Set<String> extendQueueEntries(List<LeaseRequest> denied, Map<String, KeyRow> rows) throws SQLException {
		Map<String, KeyRow> extended = new TreeMap<>();
		for (LeaseRequest request : denied) {
			String key = request.key();
			KeyRow row = KeyRow.of(key, extended.containsKey(key) ? extended : rows);
			KeyState state = row.state().entered(request, this.connection.processName(), this.handingOff);
			if (state != row.state()) {
				extended.put(key, row.with(state));
			}
		}
		return extended.isEmpty() ? Set.of() : write(extended, rows);
	}

	private Set<String> write(Map<String, KeyRow> changed, Map<String, KeyRow> rows) throws SQLException {
		changed.forEach((key, row) -> rows.put(key, row.at(row.version() + 1)));
		return Objects.requireNonNullElse(
				this.connection.unlessContended(() -> KeyRows.update(this.connection, changed)), changed.keySet());
	}

	/**
	 * Leave marks in the rows without a mark that lasts long enough.
	 * @return the keys for whose releases no notification will be sent
	 */
	private Set<String> renewMarks(List<LeaseRequest> denied, Map<String, KeyRow> rows) throws SQLException {
		Set<String> keys = new LinkedHashSet<>();
		for (LeaseRequest request : denied) {
			if (this.listening.contains(request) && !KeyRow.of(request.key(), rows).awaited()) {
				keys.add(request.key());
			}
		}
		if (keys.isEmpty() || !this.connection.dialect().has(SqlStatement.MARK_ALL)) {
			return keys;
		}
		Map<String, Long> versions = Objects
			.requireNonNullElse(this.connection.unlessContended(() -> KeyRows.mark(this.connection, keys)), Map.of());
		keys.removeIf((key) -> KeyRow.of(key, rows).isOf(versions.get(key)));
		return keys;
	}

}
