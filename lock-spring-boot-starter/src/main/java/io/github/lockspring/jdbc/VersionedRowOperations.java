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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.state.KeyState;
import io.github.lockspring.spi.state.KeyStates;

/**
 * Operations on rows with optimistic locking, on a given connection, for all modes:
 * leases that are shared, permits, fair, or of several keys.
 * <ol>
 * <li>One statement reads the rows, and the clock of the database.</li>
 * <li>{@link KeyStates} determine the result. A denial writes nothing, except a queue
 * entry that is new or half expired.</li>
 * <li>One statement for each key writes it back if its version is still the one that was
 * read; several keys are written in one transaction, all of them or none.</li>
 * <li>If a row was changed meanwhile, the operation is repeated: another session has made
 * progress.</li>
 * </ol>
 */
final class VersionedRowOperations {

	private final LockConnection connection;

	private boolean recalling;

	VersionedRowOperations(LockConnection connection) {
		this.connection = connection;
	}

	/**
	 * Acquire all keys of the request or none of them.
	 * @param queueing whether the request waits if it is denied
	 * @param notified whether it is then notified of releases, for which it leaves a mark
	 * in the row, instead of being handed off the key
	 * @throws io.github.lockspring.spi.PermitLimitException if permits are in use with
	 * another limit
	 */
	Attempt acquire(LeaseRequest request, boolean queueing, boolean notified) throws SQLException {
		String process = this.connection.processName();
		Map<String, KeyRow> rows = KeyRows.read(this.connection, request.keys());
		KeyStates states = KeyRow.states(request, rows);
		if (states.areHeldBy(request.ownerText())) {
			return states.grantOf(request);
		}
		states.checkLimit(request.terms().mode());
		if (states.admit(request)) {
			// others may be admitted as well
			return grant(rows, states.granted(request, process), request,
					request.terms().fair() ? SqlStatement.WRITE_AND_NOTIFY : SqlStatement.WRITE);
		}
		// not those for which others wait, but for a request that waits as well
		Set<String> recallable = KeyRows.recallable(rows,
				rows.keySet().stream().filter((key) -> queueing || !KeyRow.of(key, rows).awaited()));
		this.recalling = !recallable.isEmpty();
		write(rows, states.denied(request), SqlStatement.WRITE_AND_NOTIFY);
		boolean recalled = KeyRows.recall(this.connection, recallable);
		if (queueing) {
			write(rows, SqlStatement.WRITE, (row) -> row.state().entered(request, process, !notified));
		}
		if (queueing && notified) {
			mark(request.key(), KeyRow.of(request.key(), rows));
		}
		Denial denial = KeyRow.states(request, rows).denial(request);
		return new Denial(denial.retryAfter(), 0, recalled);
	}

	/**
	 * Return whether the last attempt was to recall a lease, and was not completed if it
	 * failed: the row may have been changed by the answer.
	 */
	boolean isRecalling() {
		return this.recalling;
	}

	private void mark(String key, KeyRow row) throws SQLException {
		if (this.connection.dialect().has(SqlStatement.MARK) && !row.awaited()) {
			KeyRows.mark(this.connection, key, row);
		}
	}

	private Attempt grant(Map<String, KeyRow> rows, KeyStates granted, LeaseRequest request, SqlStatement change)
			throws SQLException {
		write(rows, granted, change);
		return granted.grantOf(request);
	}

	/**
	 * Release the lease or the queue entry of a request.
	 * @return whether the owner held all keys
	 */
	boolean release(LeaseRequest lease) throws SQLException {
		Map<String, KeyRow> rows = KeyRows.read(this.connection, lease.keys());
		boolean held = KeyRow.states(lease, rows).areHeldBy(lease.ownerText());
		write(rows, SqlStatement.WRITE_RELEASED, (row) -> row.released(lease.ownerText()));
		return held;
	}

	/**
	 * Release a key for its holder.
	 * @return whether the owner held it
	 */
	boolean forceRelease(String key, String owner) throws SQLException {
		Map<String, KeyRow> rows = KeyRows.read(this.connection, List.of(key));
		if (KeyRow.of(key, rows).state().holder(owner) == null) {
			return false;
		}
		write(rows, SqlStatement.WRITE_AND_NOTIFY, (row) -> row.released(owner));
		return true;
	}

	/**
	 * Replace the owner of a lease by a placeholder owner until the delay is over.
	 * @return whether the owner held all keys
	 */
	boolean releaseWithDelay(LeaseRequest lease, Duration delay) throws SQLException {
		String owner = lease.ownerText();
		Map<String, KeyRow> rows = KeyRows.read(this.connection, lease.keys());
		boolean held = KeyRow.states(lease, rows).areHeldBy(lease.ownerText());
		write(rows, SqlStatement.WRITE_AND_NOTIFY, (row) -> (row.state().holder(owner) != null)
				? row.state().releasedWithDelay(owner, delay) : row.released(owner));
		return held;
	}

	/**
	 * Replace an exclusive lease by a shared one, or permits by fewer permits.
	 */
	Attempt downgrade(LeaseRequest held, LeaseRequest weaker) throws SQLException {
		Map<String, KeyRow> rows = KeyRows.read(this.connection, weaker.keys());
		KeyStates states = KeyRow.states(weaker, rows);
		if (states.areHeldBy(weaker.ownerText())) {
			return states.grantOf(weaker);
		}
		return !states.areHeldBy(held.ownerText()) ? states.denial() : grant(rows,
				states.downgraded(held, weaker, this.connection.processName()), weaker, SqlStatement.WRITE_AND_NOTIFY);
	}

	/**
	 * Return the state of a key.
	 */
	KeyState inspect(String key) throws SQLException {
		return KeyRow.of(key, KeyRows.read(this.connection, List.of(key))).state();
	}

	private void write(Map<String, KeyRow> rows, SqlStatement change, Function<KeyRow, KeyState> newState)
			throws SQLException {
		write(rows, KeyStates.of(List.copyOf(rows.keySet()), (key) -> newState.apply(KeyRow.of(key, rows))), change);
	}

	/**
	 * Write the states that are changed, in the order of the keys, so that no two
	 * sessions wait for each other.
	 */
	private void write(Map<String, KeyRow> rows, KeyStates states, SqlStatement change) throws SQLException {
		Map<String, KeyRow> changed = new TreeMap<>();
		states.forEach((key, state) -> {
			KeyRow row = KeyRow.of(key, rows);
			if (state != row.state()) {
				changed.put(key, row.with(state));
			}
		});
		if (changed.size() > 1) {
			this.connection.inTransaction(() -> write(changed, change));
		}
		else {
			write(changed, change);
		}
		rows.putAll(changed);
	}

	private boolean write(Map<String, KeyRow> changed, SqlStatement change) throws SQLException {
		for (Map.Entry<String, KeyRow> entry : changed.entrySet()) {
			long version = KeyRows.write(this.connection, entry.getKey(), entry.getValue(), change);
			entry.setValue(entry.getValue().at(version));
		}
		return true;
	}

}
