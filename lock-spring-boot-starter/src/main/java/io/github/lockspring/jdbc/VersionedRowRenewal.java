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
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.spi.state.KeyState;
import io.github.lockspring.spi.state.KeyStates;

/**
 * Renews leases with versioned rows, in the steps of {@link VersionedRowOperations}.
 */
final class VersionedRowRenewal {

	private final LockConnection connection;

	private final VersionedRowOperations operations;

	VersionedRowRenewal(LockConnection connection) {
		this.connection = connection;
		this.operations = new VersionedRowOperations(connection);
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
				this.operations.write(rows, states.changed((state) -> state.renewed(owner, lease.terms().leaseTime())),
						SqlStatement.WRITE);
				return true;
			}
			catch (RowChangedException ex) {
				requireTime();
				rows.putAll(KeyRows.read(this.connection, lease.keys()));
			}
		}
		return false;
	}

}
