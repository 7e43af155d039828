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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.spi.state.KeyState;

/**
 * Renews leases of one key with versioned rows, in the steps of
 * {@link VersionedRowOperations}.
 */
final class VersionedRowRenewal {

	private final LockConnection connection;

	VersionedRowRenewal(LockConnection connection) {
		this.connection = connection;
	}

	/**
	 * Renew leases. Writes all rows in one batch; rows that have been changed meanwhile
	 * by others are read and written again.
	 * @return the leases that are still held
	 */
	Set<LeaseRequest> renew(Collection<LeaseRequest> leases) throws SQLException {
		Map<String, List<LeaseRequest>> leasesByKey = leases.stream()
			.collect(Collectors.groupingBy(LeaseRequest::key, TreeMap::new, Collectors.toCollection(ArrayList::new)));
		Map<String, KeyRow> rows = KeyRows.read(this.connection, leasesByKey.keySet());
		Set<LeaseRequest> held = new HashSet<>(leases);
		while (!leasesByKey.isEmpty()) {
			held.removeIf((lease) -> holder(KeyRow.of(lease.key(), rows), lease) == null);
			leasesByKey.values().forEach((some) -> some.removeIf((lease) -> !held.contains(lease)));
			Map<String, KeyRow> renewed = renewed(leasesByKey, rows);
			Set<String> changedByOthers = KeyRows.update(this.connection, renewed);
			if (!changedByOthers.isEmpty()) {
				requireTime();
				rows.putAll(KeyRows.read(this.connection, changedByOthers));
			}
			leasesByKey.entrySet()
				.removeIf((entry) -> !changedByOthers.contains(entry.getKey()) || isWritten(
						KeyRow.of(entry.getKey(), renewed), KeyRow.of(entry.getKey(), rows), entry.getValue()));
		}
		return held;
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

}
