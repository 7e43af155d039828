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
import java.util.List;
import java.util.Set;

import javax.sql.DataSource;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Renewal;

import org.springframework.util.Assert;

/**
 * {@link LockBackend} that keeps leases in a table of a SQL database: one row per key,
 * which stays when the lease is over, because the last fencing token is in it.
 * <ol>
 * <li>One statement acquires: it takes the row if its lease is over, or inserts it. The
 * token is the clock of the database in microseconds, or one more than the last token if
 * that is larger.</li>
 * <li>One statement releases, and one renews many leases; both check the owner.</li>
 * <li>Whether a lease is over is decided by the clock of the database.</li>
 * <li>Statements run on connections of their own, in autocommit, outside the transaction
 * of the caller.</li>
 * <li>A row that another session works on is a denial for who wants it, and a moment's
 * wait for who has it.</li>
 * </ol>
 * The table must be there: see {@link JdbcLockSchema}. Safe for use by many threads at
 * once.
 */
public final class JdbcLockBackend implements LockBackend {

	private static final int DEFAULT_KEPT_CONNECTIONS = 4;

	private static final Denial ROW_IS_BUSY = new Denial(Duration.ofMillis(3));

	private final JdbcCalls calls;

	/**
	 * Creates a backend on the {@linkplain JdbcLockSchema#DEFAULT_TABLE_NAME default
	 * table}.
	 * @param dataSource where connections come from
	 */
	public JdbcLockBackend(DataSource dataSource) {
		this(dataSource, JdbcLockSchema.DEFAULT_TABLE_NAME);
	}

	/**
	 * Creates a backend. Does not talk to the database yet.
	 * @param dataSource where connections come from
	 * @param tableName the table, with or without its schema
	 * @throws IllegalArgumentException if the table name is none
	 */
	public JdbcLockBackend(DataSource dataSource, String tableName) {
		this(dataSource, tableName, DEFAULT_KEPT_CONNECTIONS);
	}

	/**
	 * Creates a backend on a data source with few connections. Does not talk to the
	 * database yet.
	 * @param dataSource where connections come from
	 * @param tableName the table, with or without its schema
	 * @param keptConnections how many connections may be kept, for a second at most, for
	 * the next call; 0 gives each back at once
	 * @throws IllegalArgumentException if the table name is none
	 */
	public JdbcLockBackend(DataSource dataSource, String tableName, int keptConnections) {
		Assert.notNull(dataSource, "'dataSource' must not be null");
		Assert.isTrue(keptConnections >= 0, "'keptConnections' must not be negative");
		TableName table = new TableName(tableName);
		this.calls = new JdbcCalls(new JdbcConnections(() -> LockConnection.open(dataSource, table), keptConnections));
	}

	@Override
	public String name() {
		return "jdbc";
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of(Capability.SEVERAL_KEYS, Capability.FENCING);
	}

	@Override
	public void start(BackendListener listener) {
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		requireSupport(request.terms());
		return this.calls.run(timeout, (connection, mayBeDone) -> tryAcquire(connection, request, mayBeDone));
	}

	private static void requireSupport(LeaseTerms terms) {
		if (terms.fair() || terms.mode() != LeaseMode.EXCLUSIVE) {
			throw new UnsupportedOperationException("The backend 'jdbc' grants exclusive leases without order only");
		}
	}

	private static Attempt tryAcquire(LockConnection connection, LeaseRequest request, boolean mayBeDone)
			throws SQLException {
		try {
			Long token = LeaseTable.acquire(connection, request);
			return (token != null) ? grant(request.terms(), token) : deny(Denial.UNKNOWN_DURATION, mayBeDone);
		}
		catch (SQLException ex) {
			if (!connection.dialect().isContended(ex)) {
				throw ex;
			}
			return deny(ROW_IS_BUSY, mayBeDone);
		}
	}

	private static Grant grant(LeaseTerms terms, long lastToken) {
		return new Grant(lastToken - terms.tokens() + 1, terms.leaseTime());
	}

	private static Denial deny(Denial denial, boolean mayBeDone) {
		if (mayBeDone) {
			throw new OutcomeUnknownException("The first of two attempts to acquire may still be on its way", null);
		}
		return denial;
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		if (leases.isEmpty()) {
			return new Renewal(Set.of(), Set.of());
		}
		return this.calls.run(timeout, (connection, mayBeDone) -> new LeaseRenewal(connection).renew(leases));
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return this.calls.run(timeout, (connection, mayBeDone) -> LeaseTable.release(connection, lease) || mayBeDone);
	}

	@Override
	public boolean releaseAfter(LeaseRequest lease, Duration rest, Duration timeout) {
		return this.calls.run(timeout,
				(connection, mayBeDone) -> LeaseTable.releaseAfter(connection, lease, rest) || mayBeDone);
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return this.calls.run(timeout, (connection, mayBeDone) -> LeaseTable.inspect(connection, key));
	}

	@Override
	public void probe(Duration timeout) {
		this.calls.run(timeout, (connection, mayBeDone) -> {
			connection.ping();
			return true;
		});
	}

	@Override
	public void close() {
		this.calls.close();
	}

}
