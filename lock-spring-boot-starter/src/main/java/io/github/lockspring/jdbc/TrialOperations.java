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

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.support.RecentKeys;

/**
 * All operations of a lock and of a value, to try whether the tables can be used for
 * them.
 */
final class TrialOperations {

	private static final Duration LEASE = Duration.ofSeconds(5);

	private TrialOperations() {
	}

	/**
	 * Run the operations of a lock.
	 */
	static void lock(LockConnection connection) throws SQLException {
		String key = "lock:check:" + OwnerId.newInstance();
		LeaseRequest exclusive = request(key, LeaseMode.EXCLUSIVE, 1);
		LeaseRequest shared = request(key, LeaseMode.SHARED, 2);
		SingleStatementOperations.acquire(connection, exclusive, new RecentKeys(),
				connection.dialect().has(SqlStatement.CONTEND), false);
		SingleStatementOperations.renew(connection, LEASE, List.of(exclusive));
		SingleStatementOperations.release(connection, exclusive);
		VersionedRowOperations rows = new VersionedRowOperations(connection);
		rows.acquire(shared, false, false);
		new VersionedRowRenewal(connection).renew(List.of(shared));
		rows.release(shared);
	}

	private static LeaseRequest request(String key, LeaseMode mode, long sequence) {
		return new LeaseRequest(key, new LeaseTerms(mode, false, LEASE, 1), key, sequence);
	}

	/**
	 * Run the operations of a value.
	 */
	static void update(LockConnection connection) throws SQLException {
		String instance = OwnerId.newInstance();
		String key = "lock:check:" + instance;
		List<ValueChange> changes = List.of(new ValueChange.Add(1, 0), new ValueChange.Set(2, ValueChange.ANY_VERSION),
				new ValueChange.Delete(ValueChange.ANY_VERSION));
		ValueOperations values = new ValueOperations(connection);
		values.read(List.of(key), true);
		for (int i = 0; i < changes.size(); i++) {
			values.update(new ValueUpdate(key, changes.get(i), new OwnerId(instance, i)), null);
		}
	}

}
