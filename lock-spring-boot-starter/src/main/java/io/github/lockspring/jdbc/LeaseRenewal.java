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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Renewal;

/**
 * Renews leases on one connection.
 * <ol>
 * <li>Exclusive leases of the same length are renewed by one statement. Others are
 * renewed together by one statement that reads their rows and one batch that writes each
 * row once.</li>
 * <li>If a row is locked by another session, or cannot be read, the halves are renewed
 * separately, and so on, so that the row prevents only the renewal of its own
 * leases.</li>
 * <li>The outcome is unknown for a lease whose row is locked, and for one for which no
 * time was left. If it is unknown for all, the call fails, and is retried as long as
 * there is time.</li>
 * </ol>
 */
final class LeaseRenewal {

	private final LockConnection connection;

	private final Set<LeaseRequest> held = new HashSet<>();

	private final Set<LeaseRequest> lost = new HashSet<>();

	private @Nullable SQLException contention;

	private @Nullable BackendException unreadable;

	LeaseRenewal(LockConnection connection) {
		this.connection = connection;
	}

	Renewal renew(Collection<LeaseRequest> leases) throws SQLException {
		try {
			renewAll(leases);
		}
		catch (SQLException ex) {
			if (isNothingKnown()) {
				throw ex;
			}
			this.connection.timed().abort(); // the leases renewed so far must be returned
		}
		if (isNothingKnown()) {
			throwFailure();
		}
		return new Renewal(this.held, this.lost);
	}

	private void renewAll(Collection<LeaseRequest> leases) throws SQLException {
		Map<Duration, List<LeaseRequest>> exclusive = leases.stream()
			.filter(SingleStatementOperations::isExclusive)
			.collect(Collectors.groupingBy((lease) -> lease.terms().leaseTime(), LinkedHashMap::new,
					Collectors.toList()));
		for (Map.Entry<Duration, List<LeaseRequest>> group : exclusive.entrySet()) {
			renew(group.getValue(), (some) -> SingleStatementOperations.renew(this.connection, group.getKey(), some));
		}
		List<LeaseRequest> others = leases.stream()
			.filter(Predicate.not(SingleStatementOperations::isExclusive))
			.toList();
		if (!others.isEmpty()) {
			renew(others, new VersionedRowRenewal(this.connection)::renew);
		}
	}

	private boolean isNothingKnown() {
		return this.held.isEmpty() && this.lost.isEmpty();
	}

	private void throwFailure() throws SQLException {
		if (this.unreadable != null) {
			throw this.unreadable;
		}
		if (this.contention != null) {
			throw this.contention;
		}
		throw new BackendUnavailableException("The timeout elapsed before all leases were renewed", null);
	}

	private void renew(List<LeaseRequest> leases, Step step) throws SQLException {
		if (this.connection.timed().isOverIn(Duration.ZERO)) {
			return;
		}
		try {
			Set<LeaseRequest> held = step.renew(leases);
			leases.forEach((lease) -> (held.contains(lease) ? this.held : this.lost).add(lease));
		}
		catch (BackendException ex) {
			this.unreadable = ex;
			renewApart(leases, step);
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
		List<List<LeaseRequest>> rows = List
			.copyOf(leases.stream().collect(Collectors.groupingBy(LeaseRequest::keys)).values());
		if (rows.size() > 1) {
			int middle = rows.size() / 2;
			renew(rows.subList(0, middle).stream().flatMap(List::stream).toList(), step);
			renew(rows.subList(middle, rows.size()).stream().flatMap(List::stream).toList(), step);
		}
	}

	/**
	 * Renewal of a part of the leases.
	 */
	private interface Step {

		/**
		 * Renew the leases.
		 * @return the leases that are still held
		 */
		Set<LeaseRequest> renew(List<LeaseRequest> leases) throws SQLException;

	}

}
