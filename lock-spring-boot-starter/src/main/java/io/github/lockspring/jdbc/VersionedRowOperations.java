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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.state.KeyEntry;
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

	/**
	 * Lifetime of a queue entry without a retry: many times longer than the delays
	 * between two attempts.
	 */
	static final Duration ENTRY_LIFETIME = Duration.ofSeconds(5);

	private final LockConnection connection;

	VersionedRowOperations(LockConnection connection) {
		this.connection = connection;
	}

	/**
	 * Acquire all keys of the request or none of them.
	 * @param queueing whether a fair request is queued if it is denied
	 * @param denied the trace that a denied request leaves in the row besides its queue
	 * entry
	 * @throws io.github.lockspring.spi.PermitLimitException if permits are in use with
	 * another limit
	 */
	Attempt acquire(LeaseRequest request, boolean queueing, Trace denied) throws SQLException {
		String owner = request.ownerText();
		LeaseTerms terms = request.terms();
		Map<String, KeyRow> rows = KeyRows.read(this.connection, request.keys());
		KeyStates states = KeyRow.states(request, rows);
		if (states.areHeldBy(owner)) {
			return states.grantOf(request);
		}
		states.checkLimit(terms.mode());
		if (states.admit(request)) {
			// others may be admitted as well
			return grant(rows, states.granted(request, this.connection.processName()), request, terms.fair());
		}
		if (queueing && terms.fair()) {
			write(rows, false,
					(row) -> row.state().queued(owner, terms.mode(), this.connection.processName(), ENTRY_LIFETIME));
		}
		if (denied == Trace.MARK) {
			mark(request.key(), KeyRow.of(request.key(), rows));
		}
		if (denied == Trace.NAME && !terms.fair()) {
			write(rows, false, (row) -> row.state().waitedFor(owner));
			return KeyRow.states(request, rows).denial(request);
		}
		return KeyRow.states(request, rows).denial();
	}

	private void mark(String key, KeyRow row) throws SQLException {
		String sql = this.connection.sql().mark();
		if (sql != null && !row.awaited()) {
			KeyRows.mark(this.connection, sql, key, row);
		}
	}

	private Attempt grant(Map<String, KeyRow> rows, KeyStates granted, LeaseRequest request, boolean notifying)
			throws SQLException {
		write(rows, granted, notifying);
		return granted.grantOf(request);
	}

	/**
	 * Release the lease or the queue entry of a request.
	 * @return whether the owner held all keys
	 */
	boolean release(LeaseRequest lease) throws SQLException {
		Map<String, KeyRow> rows = KeyRows.read(this.connection, lease.keys());
		boolean held = KeyRow.states(lease, rows).areHeldBy(lease.ownerText());
		write(rows, true, (row) -> row.released(lease.ownerText()));
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
		write(rows, true, (row) -> row.released(owner));
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
		write(rows, true, (row) -> (row.state().holder(owner) != null) ? row.state().releasedWithDelay(owner, delay)
				: row.released(owner));
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
		return !states.areHeldBy(held.ownerText()) ? states.denial()
				: grant(rows, states.downgraded(held, weaker, this.connection.processName()), weaker, true);
	}

	/**
	 * Return the state of a key.
	 */
	KeyState inspect(String key) throws SQLException {
		return KeyRow.of(key, KeyRows.read(this.connection, List.of(key))).state();
	}

	/**
	 * Renew leases: those of single keys together, those of several keys one after the
	 * other.
	 * @return the leases that are still held
	 */
	Set<LeaseRequest> renew(Collection<LeaseRequest> leases) throws SQLException {
		Set<String> keys = new LinkedHashSet<>();
		leases.forEach((lease) -> keys.addAll(lease.keys()));
		Map<String, KeyRow> rows = KeyRows.read(this.connection, keys);
		Set<LeaseRequest> held = new HashSet<>();
		Map<String, List<LeaseRequest>> leasesByKey = new TreeMap<>();
		for (LeaseRequest lease : leases) {
			if (!lease.hasMultipleKeys()) {
				leasesByKey.computeIfAbsent(lease.key(), (key) -> new ArrayList<>()).add(lease);
			}
			else if (renew(lease, rows)) {
				held.add(lease);
			}
		}
		renew(leasesByKey, rows, held);
		return held;
	}

	/**
	 * Write all rows in one batch. Rows that have been changed meanwhile by others are
	 * read and written again.
	 */
	private void renew(Map<String, List<LeaseRequest>> leasesByKey, Map<String, KeyRow> rows, Set<LeaseRequest> held)
			throws SQLException {
		while (!leasesByKey.isEmpty()) {
			Map<String, KeyRow> renewed = renewed(leasesByKey, rows);
			Set<String> changedByOthers = KeyRows.update(this.connection, renewed);
			if (!changedByOthers.isEmpty()) {
				requireTime();
				rows.putAll(KeyRows.read(this.connection, changedByOthers));
			}
			leasesByKey.entrySet().removeIf((entry) -> {
				KeyRow row = renewed.get(entry.getKey());
				boolean written = row == null || !changedByOthers.contains(entry.getKey())
						|| isWritten(row, KeyRow.of(entry.getKey(), rows), entry.getValue());
				if (written && row != null) {
					entry.getValue().stream().filter((lease) -> holder(row, lease) != null).forEach(held::add);
				}
				return written;
			});
		}
	}

	private static @Nullable KeyEntry holder(KeyRow row, LeaseRequest lease) {
		return row.state().holder(lease.ownerText());
	}

	/**
	 * Return the rows to be written, in the order of the keys, so that no two sessions
	 * wait for each other.
	 */
	private static Map<String, KeyRow> renewed(Map<String, List<LeaseRequest>> leasesByKey, Map<String, KeyRow> rows) {
		Map<String, KeyRow> renewed = new TreeMap<>();
		leasesByKey.forEach((key, leases) -> {
			KeyRow row = KeyRow.of(key, rows);
			KeyState state = row.state();
			for (LeaseRequest lease : leases) {
				state = state.renewed(lease.ownerText(), lease.terms().leaseTime());
			}
			if (state != row.state()) {
				renewed.put(key, row.with(state));
			}
		});
		return renewed;
	}

	/**
	 * Return whether a row that may have been changed by others was written nevertheless:
	 * some drivers do not return the counts of the statements of a batch.
	 */
	private static boolean isWritten(KeyRow wanted, KeyRow present, List<LeaseRequest> leases) {
		return leases.stream().allMatch((lease) -> Objects.equals(holder(wanted, lease), holder(present, lease)));
	}

	private void requireTime() throws RowChangedException {
		if (this.connection.timed().isOverIn(Duration.ZERO)) {
			throw new RowChangedException();
		}
	}

	private boolean renew(LeaseRequest lease, Map<String, KeyRow> rows) throws SQLException {
		String owner = lease.ownerText();
		for (KeyStates states = KeyRow.states(lease, rows); states
			.areHeldBy(lease.ownerText()); states = KeyRow.states(lease, rows)) {
			try {
				write(rows, states.changed((state) -> state.renewed(owner, lease.terms().leaseTime())), false);
				return true;
			}
			catch (RowChangedException ex) {
				requireTime();
				rows.putAll(KeyRows.read(this.connection, lease.keys()));
			}
		}
		return false;
	}

	private void write(Map<String, KeyRow> rows, boolean notifying, Function<KeyRow, KeyState> change)
			throws SQLException {
		Map<String, KeyState> states = new HashMap<>();
		rows.forEach((key, row) -> states.put(key, change.apply(row)));
		write(rows, new KeyStates(states), notifying);
	}

	/**
	 * Write the states that are changed, in the order of the keys, so that no two
	 * sessions wait for each other.
	 * @param notifying whether requests that wait for the keys are notified
	 */
	private void write(Map<String, KeyRow> rows, KeyStates states, boolean notifying) throws SQLException {
		Map<String, KeyRow> changed = new TreeMap<>();
		states.byKey().forEach((key, state) -> {
			KeyRow row = KeyRow.of(key, rows);
			if (state != row.state()) {
				changed.put(key, row.with(state));
			}
		});
		if (changed.size() > 1) {
			this.connection.inTransaction(() -> write(changed, notifying));
		}
		else {
			write(changed, notifying);
		}
		rows.putAll(changed);
	}

	private boolean write(Map<String, KeyRow> changed, boolean notifying) throws SQLException {
		for (Map.Entry<String, KeyRow> entry : changed.entrySet()) {
			long version = KeyRows.write(this.connection, entry.getKey(), entry.getValue(), notifying);
			entry.setValue(entry.getValue().at(version));
		}
		return true;
	}

	/**
	 * Trace of a denied request in the row.
	 */
	enum Trace {

		NONE,

		/**
		 * A mark with which the release sends a notification.
		 */
		MARK,

		/**
		 * The name of the owner, to which the key is handed off.
		 */
		NAME

	}

}
