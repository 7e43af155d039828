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

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.state.KeyState;
import io.github.lockspring.support.RecentKeys;

/**
 * Operations that need a single statement, on a given connection: on exclusive leases,
 * and for a single key to acquire.
 */
final class SingleStatementOperations {

	/**
	 * Denial of a request that is not notified, with its maximum delay.
	 */
	static final Denial WITHOUT_NOTIFICATION = new Denial(Duration.ofMillis(50), -1);

	private static final int MAX_OVERTAKEN = 3;

	private SingleStatementOperations() {
	}

	/**
	 * Return whether the lease is stored in the columns of the row, which does not depend
	 * on whether it is fair.
	 */
	static boolean isExclusive(LeaseRequest request) {
		return request.terms().mode() instanceof LeaseMode.Exclusive;
	}

	/**
	 * Acquire the only key of the request. A recently released key is acquired with a
	 * faster statement; if that fails, the general statement is used.
	 * @param recentKeys the keys whose rows are likely to be free
	 * @param contending whether to leave a mark if the request is denied, so that it will
	 * be notified
	 * @param recallable whether the lease is to be recallable
	 * @return a grant, a denial until the current lease ends, or
	 * {@link #WITHOUT_NOTIFICATION}
	 */
	static Attempt acquire(LockConnection connection, LeaseRequest request, RecentKeys recentKeys, boolean contending,
			boolean recallable) throws SQLException {
		boolean recent = recentKeys.remove(request.key()) && !recallable;
		Long token = (recent && connection.dialect().has(SqlStatement.REACQUIRE)) ? reacquire(connection, request)
				: null;
		if (token != null) {
			return grant(request.terms(), token, false);
		}
		if (contending) {
			return contendInTurn(connection, request, recallable);
		}
		return connection.dialect().has(SqlStatement.TRY_ACQUIRE) ? tryAcquire(connection, request, recallable)
				: acquire(connection, request);
	}

	/**
	 * Acquire, or leave a mark. Retries immediately if another session acquired or
	 * released the key while the statement was running, which is not visible to the
	 * statement.
	 */
	private static Attempt contendInTurn(LockConnection connection, LeaseRequest request, boolean recallable)
			throws SQLException {
		Attempt attempt = contend(connection, request, recallable);
		for (int i = 1; i < MAX_OVERTAKEN && attempt.equals(WITHOUT_NOTIFICATION); i++) {
			attempt = contend(connection, request, recallable);
		}
		return attempt;
	}

	private static @Nullable Long reacquire(LockConnection connection, LeaseRequest request) throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.REACQUIRE);
		statement.setLong(1, request.terms().tokens());
		statement.setString(2, request.ownerText());
		statement.setString(3, connection.processName());
		statement.setLong(4, SqlParameters.micros(request.terms().leaseTime()));
		statement.setBytes(5, SqlParameters.bytes(request.key()));
		return connection.dialect().acquire(statement);
	}

	private static Attempt acquire(LockConnection connection, LeaseRequest request) throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.ACQUIRE);
		bindAcquire(connection, statement, request, false);
		Long token = connection.dialect().acquire(statement);
		return (token != null) ? grant(request.terms(), token, false) : Denial.UNKNOWN_DURATION;
	}

	private static Attempt tryAcquire(LockConnection connection, LeaseRequest request, boolean recallable)
			throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.TRY_ACQUIRE);
		bindAcquire(connection, statement, request, recallable);
		statement.setBytes(6, SqlParameters.bytes(request.key()));
		return attempt(statement, request, Denial.UNKNOWN_DURATION);
	}

	private static Attempt contend(LockConnection connection, LeaseRequest request, boolean recallable)
			throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.CONTEND);
		bindAcquire(connection, statement, request, recallable);
		statement.setBytes(6, SqlParameters.bytes(request.key()));
		statement.setBytes(7, SqlParameters.bytes(request.key()));
		return attempt(statement, request, WITHOUT_NOTIFICATION);
	}

	private static Attempt attempt(PreparedStatement statement, LeaseRequest request, Denial withoutRow)
			throws SQLException {
		try (ResultSet result = statement.executeQuery()) {
			if (!result.next()) {
				return withoutRow;
			}
			long token = result.getLong(1);
			return result.wasNull()
					? new Denial(Duration.of(result.getLong(2), ChronoUnit.MICROS), 0, result.getBoolean(3))
					: grant(request.terms(), token, result.getBoolean(3));
		}
	}

	private static Grant grant(LeaseTerms terms, long lastToken, boolean recallable) {
		return new Grant(lastToken - terms.tokens() + 1, terms.leaseTime(), recallable);
	}

	private static void bindAcquire(LockConnection connection, PreparedStatement statement, LeaseRequest request,
			boolean recallable) throws SQLException {
		String process = connection.processName();
		statement.setBytes(1, SqlParameters.bytes(request.key()));
		statement.setString(2, request.ownerText());
		statement.setLong(3, SqlParameters.micros(request.terms().leaseTime()));
		statement.setLong(4, request.terms().tokens());
		statement.setString(5, recallable ? process + KeyRows.RECALLABLE : process);
	}

	/**
	 * Make a lease one that is not recallable.
	 */
	static void declineRecall(LockConnection connection, LeaseRequest lease) throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.DECLINE_RECALL);
		statement.setBytes(1, SqlParameters.bytes(lease.key()));
		statement.setString(2, lease.ownerText());
		connection.dialect().updateAndNotify(statement);
	}

	/**
	 * Release the keys that the owner of the lease still holds.
	 * @return a row for each of them
	 */
	static JdbcDialect.Update release(LockConnection connection, LeaseRequest lease) throws SQLException {
		SqlParameters keys = SqlParameters.ofKeys(lease.keys());
		PreparedStatement statement = connection.prepare(SqlStatement.RELEASE, keys.placeholders());
		statement.setString(keys.bind(statement, 1), lease.ownerText());
		return connection.dialect().updateAndNotify(statement);
	}

	/**
	 * Replace the owner of the keys that it still holds by a placeholder owner until the
	 * delay is over.
	 * @return whether it held all of them
	 */
	static boolean releaseWithDelay(LockConnection connection, LeaseRequest lease, Duration delay) throws SQLException {
		SqlParameters keys = SqlParameters.ofKeys(lease.keys());
		String owner = lease.ownerText();
		PreparedStatement statement = connection.prepare(SqlStatement.RELEASE_WITH_DELAY, keys.placeholders());
		statement.setString(1, KeyState.placeholder(owner));
		statement.setLong(2, SqlParameters.micros(delay));
		statement.setString(keys.bind(statement, 3), owner);
		return connection.dialect().updateAndNotify(statement).rows() == keys.size();
	}

	/**
	 * Renew leases. The statement has separate lists of keys and owners, which are
	 * matched by the table: an owner makes one request, and has no other keys.
	 * @return the leases that are still held
	 */
	static Set<LeaseRequest> renew(LockConnection connection, Duration leaseTime, List<LeaseRequest> leases)
			throws SQLException {
		SqlParameters keys = keys(leases);
		PreparedStatement statement = connection.prepare(SqlStatement.RENEW, keys.placeholders());
		statement.setLong(1, SqlParameters.micros(leaseTime));
		owners(leases, keys).bind(statement, keys.bind(statement, 2));
		return (statement.executeUpdate() == keys.size()) ? Set.copyOf(leases) : held(connection, leases);
	}

	private static Set<LeaseRequest> held(LockConnection connection, List<LeaseRequest> leases) throws SQLException {
		SqlParameters keys = keys(leases);
		PreparedStatement statement = connection.prepare(SqlStatement.HELD, keys.placeholders());
		owners(leases, keys).bind(statement, keys.bind(statement, 1));
		Map<String, Integer> keysOfOwner = new HashMap<>();
		try (ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				keysOfOwner.merge(rows.getString(1), 1, Integer::sum);
			}
		}
		return leases.stream()
			.filter((lease) -> keysOfOwner.getOrDefault(lease.ownerText(), 0) == lease.keys().size())
			.collect(Collectors.toSet());
	}

	private static SqlParameters keys(List<LeaseRequest> leases) {
		return SqlParameters.ofKeys(leases.stream().flatMap((lease) -> lease.keys().stream()).toList());
	}

	/**
	 * Return the owners, with as many placeholders as the keys have.
	 */
	private static SqlParameters owners(List<LeaseRequest> leases, SqlParameters keys) {
		return new SqlParameters(leases.stream().map((lease) -> lease.ownerText()).toList(), keys.placeholders());
	}

}
