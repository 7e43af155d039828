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
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Renewal;

/**
 * Renews leases on one connection.
 * <ol>
 * <li>Exclusive leases of the same length are renewed together, up to 500 in one
 * statement; others one after the other, after one statement that reads them.</li>
 * <li>If a row is locked by somebody else, the halves are renewed on their own, and so
 * on, so that the one row keeps nobody but its own lease from being renewed.</li>
 * <li>Of a lease whose row is locked nothing is known. If all rows are locked, the call
 * fails, and is tried again as long as there is time.</li>
 * </ol>
 */
final class LeaseRenewal {

	private static final int LEASES_PER_STATEMENT = 500;

	private final LockConnection connection;

	private final Set<LeaseRequest> held = new HashSet<>();

	private final Set<LeaseRequest> lost = new HashSet<>();

	private @Nullable SQLException contention;

	LeaseRenewal(LockConnection connection) {
		this.connection = connection;
	}

	Renewal renew(Collection<LeaseRequest> leases) throws SQLException {
		Map<Boolean, List<LeaseRequest>> kinds = leases.stream()
			.collect(Collectors.partitioningBy(LeaseTable::isExclusive));
		Map<Duration, List<LeaseRequest>> groups = of(kinds, true).stream()
			.collect(Collectors.groupingBy((lease) -> lease.terms().leaseTime()));
		for (Map.Entry<Duration, List<LeaseRequest>> group : groups.entrySet()) {
			renew(group.getValue(), (some) -> LeaseTable.renew(this.connection, group.getKey(), some));
		}
		renew(of(kinds, false), new LeaseStates(this.connection)::renew);
		if (this.contention != null && this.held.isEmpty() && this.lost.isEmpty()) {
			throw this.contention;
		}
		return new Renewal(this.held, this.lost);
	}

	private static List<LeaseRequest> of(Map<Boolean, List<LeaseRequest>> kinds, boolean exclusive) {
		return kinds.getOrDefault(exclusive, List.of());
	}

	private void renew(List<LeaseRequest> leases, Step step) throws SQLException {
		for (int from = 0; from < leases.size(); from += LEASES_PER_STATEMENT) {
			int to = Math.min(from + LEASES_PER_STATEMENT, leases.size());
			renewTogether(leases.subList(from, to), step);
		}
	}

	private void renewTogether(List<LeaseRequest> leases, Step step) throws SQLException {
		try {
			Set<LeaseRequest> held = step.renew(leases);
			leases.forEach((lease) -> (held.contains(lease) ? this.held : this.lost).add(lease));
		}
		catch (SQLException ex) {
			if (!this.connection.dialect().isContended(ex)) {
				throw ex;
			}
			this.contention = ex;
			renewApart(leases, step);
		}
	}

	private void renewApart(List<LeaseRequest> leases, Step step) throws SQLException {
		if (leases.size() > 1) {
			int middle = leases.size() / 2;
			renewTogether(leases.subList(0, middle), step);
			renewTogether(leases.subList(middle, leases.size()), step);
		}
	}

	/**
	 * Renews some leases.
	 */
	private interface Step {

		/**
		 * Renews.
		 * @return those that are still held
		 */
		Set<LeaseRequest> renew(List<LeaseRequest> leases) throws SQLException;

	}

}
