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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.support.Deadline;

/**
 * {@link LockBackend} that keeps leases in a table of a SQL database: one row per key,
 * which is kept when the lease has ended, because it contains the last fencing token.
 * <ol>
 * <li>One statement acquires: it updates the row if its lease is over, or inserts it. The
 * token is the clock of the database in microseconds, or one more than the last token if
 * that is larger.</li>
 * <li>One statement releases, and one renews many leases; both check the owner.</li>
 * <li>Whether a lease is over is decided by the clock of the database.</li>
 * <li>Statements run on separate connections, in autocommit mode, outside the transaction
 * of the caller.</li>
 * <li>If the database does not notify of releases, waiting requests are entered into the
 * row, and a release hands the key off to the first of them: it reserves the key for that
 * request for a short time. The token is issued when the request acquires the key.</li>
 * <li>If the database notifies of releases, all waiting requests are notified and
 * retried, and the process that has released the key pauses before it acquires the key
 * again.</li>
 * <li>A row that is locked by another session is a denial for an acquiring request, and a
 * short wait for its holder.</li>
 * </ol>
 * Values are kept in a second table, whose name ends in {@code _value}. Both tables must
 * exist: see {@link JdbcLockSchema}. Thread-safe.
 */
public final class JdbcLockBackend implements LockBackend {

	private static final Log logger = LogFactory.getLog(JdbcLockBackend.class);

	private static final Set<Capability> CAPABILITIES = Set.of(Capability.SHARED, Capability.PERMITS,
			Capability.MULTI_KEY, Capability.FAIR, Capability.FENCING, Capability.POLLED_QUEUE);

	private static final Set<Capability> CAPABILITIES_WITH_NOTIFICATIONS = Set.of(Capability.SHARED, Capability.PERMITS,
			Capability.MULTI_KEY, Capability.FAIR, Capability.FENCING, Capability.NOTIFICATIONS, Capability.RECALL);

	private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(1);

	private final HeldLeases leases = new HeldLeases();

	private final DataSource dataSource;

	private final TableName table;

	private final JdbcLockSettings settings;

	private final JdbcCalls calls;

	private final LeaseOperations operations;

	private final RecentReleases recentReleases = new RecentReleases();

	private final ReleaseListener releaseListener;

	private final ValueBackend values;

	private volatile Optional<String> growthWarning = Optional.empty();

	private volatile String processName = ProcessName.current("").toString();

	/**
	 * Create a backend on the {@linkplain JdbcLockSchema#DEFAULT_TABLE_NAME default
	 * table}.
	 * @param dataSource the data source of the connections
	 */
	public JdbcLockBackend(DataSource dataSource) {
		this(dataSource, JdbcLockSchema.DEFAULT_TABLE_NAME);
	}

	/**
	 * Create a backend. Does not access the database yet.
	 * @param dataSource the data source of the connections
	 * @param tableName the table, with or without its schema
	 * @throws IllegalArgumentException if the table name is invalid
	 */
	public JdbcLockBackend(DataSource dataSource, String tableName) {
		this(dataSource, JdbcLockSettings.of(tableName));
	}

	/**
	 * Check that a JDBC URL does not lead to several servers that all accept writes.
	 * @param url the JDBC URL, or {@code null} if it is unknown
	 * @throws UnsupportedDatabaseException if the locks would be on several servers. The
	 * message does not contain the URL, which may contain a password
	 */
	public static void requireOneServer(@Nullable String url) {
		SingleServer.requireOneServer(url);
	}

	/**
	 * Create a backend with settings. Does not access the database yet.
	 * @param dataSource the data source of the connections
	 * @param settings the settings of the table and the connections
	 * @throws IllegalArgumentException if the table name is invalid
	 */
	public JdbcLockBackend(DataSource dataSource, JdbcLockSettings settings) {
		Assert.notNull(dataSource, "'dataSource' must not be null");
		TableName table = new TableName(settings.tableName());
		this.dataSource = dataSource;
		this.table = table;
		this.settings = settings;
		this.operations = new LeaseOperations(settings.listening());
		boolean own = settings.ownConnections() > 0;
		this.calls = new JdbcCalls(new JdbcConnections(
				(connection) -> LockConnection.open(connection, dataSource, table, own, this.processName),
				settings.limits(), this.leases::exist, () -> this.recentReleases.repetition(this::repeat)));
		this.releaseListener = new ReleaseListener(dataSource, table, settings.listening());
		this.values = new JdbcValueBackend(this.calls, this.releaseListener);
	}

	@Override
	public String name() {
		return "jdbc";
	}

	@Override
	public Set<Capability> capabilities() {
		return this.settings.listening() ? CAPABILITIES_WITH_NOTIFICATIONS : CAPABILITIES;
	}

	@Override
	public void identify(String instance, ProcessName name) {
		this.processName = name.toString();
	}

	@Override
	public void start(BackendListener listener) {
		warnings().forEach(logger::warn);
		this.calls.start();
		this.releaseListener.start(listener);
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		return acquire(request, false, timeout);
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		Duration pause = this.operations.takePause(request);
		if (pause.compareTo(Duration.ZERO) > 0) {
			return new Denial(pause, 0, false, true);
		}
		boolean listening = this.releaseListener.await(request);
		Attempt attempt = acquire(request, true, timeout);
		if (attempt instanceof Denial denial) {
			this.releaseListener.listenForAWhile();
			return this.operations.limited(denial, request, listening);
		}
		this.releaseListener.forget(request);
		return attempt;
	}

	private Attempt acquire(LeaseRequest request, boolean queueing, Duration timeout) {
		// a process that receives no messages cannot be asked to release a lease
		boolean recallable = request.terms().recallable() && this.releaseListener.awaitRecall(request);
		Attempt attempt = null;
		try {
			attempt = attempt(request, timeout,
					(connection, mayBeDone) -> this.operations.acquire(connection, request, queueing, recallable));
			return attempt;
		}
		finally {
			if (recallable && !(attempt instanceof Grant grant && grant.recallable())) {
				this.releaseListener.forgetRecall(request);
			}
		}
	}

	private Attempt attempt(LeaseRequest request, Duration timeout, JdbcCalls.Call<Attempt> call) {
		return this.calls.run(timeout, (connection, mayBeDone) -> {
			Attempt attempt = call.run(connection, mayBeDone);
			if (mayBeDone && attempt instanceof Denial) {
				throw new OutcomeUnknownException("The first of two attempts may still take effect", null);
			}
			if (attempt instanceof Grant) {
				this.leases.add(request);
			}
			return attempt;
		});
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Enables notifications of releases that follow the reading of the rows.
	 */
	@Override
	public Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		if (waiting.isEmpty()) {
			this.releaseListener.checkRecalls();
			return Map.of();
		}
		Set<LeaseRequest> listening = waiting.stream().filter(this.releaseListener::await).collect(Collectors.toSet());
		Map<LeaseRequest, Denial> denials = this.calls.run(timeout, (connection,
				mayBeDone) -> new RequestPoll(connection, listening, !this.settings.listening()).poll(waiting));
		this.releaseListener.listenForAWhile();
		denials.replaceAll((request, denial) -> this.operations.limited(denial, request, listening.contains(request)));
		return denials;
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		if (leases.isEmpty()) {
			return new Renewal(Set.of(), Set.of());
		}
		return this.calls.runUrgently(timeout, (connection, mayBeDone) -> {
			Renewal renewal = new LeaseRenewal(connection).renew(leases);
			renewal.held().forEach(this.leases::add);
			renewal.lost().forEach(this.leases::remove);
			renewal.lost().forEach(this.releaseListener::forgetRecall);
			return renewal;
		});
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		this.leases.remove(lease);
		this.releaseListener.forget(lease);
		this.releaseListener.forgetRecall(lease);
		return this.calls.run(timeout, (connection, mayBeDone) -> {
			boolean released = this.operations.release(connection, lease);
			if (released && !connection.dialect().isReleaseDurable()) {
				this.recentReleases.add(lease);
			}
			return released || mayBeDone;
		});
	}

	private void repeat(LeaseRequest released) {
		if (!this.leases.contain(released)) {
			this.calls.run(RECOVERY_TIMEOUT, (connection, mayBeDone) -> repeat(connection, released));
		}
	}

	/**
	 * A server that is read-only has not crashed. Its connection is left to those who
	 * need it, which then replace it.
	 */
	private boolean repeat(LockConnection connection, LeaseRequest lease) throws SQLException {
		try {
			return this.operations.release(connection, lease);
		}
		catch (SQLException ex) {
			if (connection.dialect().isReadOnly(ex)) {
				return false;
			}
			throw ex;
		}
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		this.leases.remove(lease);
		return this.calls.run(timeout,
				(connection, mayBeDone) -> this.operations.releaseWithDelay(connection, lease, delay) || mayBeDone);
	}

	@Override
	public void declineRecall(LeaseRequest lease, Duration timeout) {
		if (!this.settings.listening()) {
			LockBackend.super.declineRecall(lease, timeout);
			return;
		}
		this.calls.run(timeout, (connection, mayBeDone) -> {
			SingleStatementOperations.declineRecall(connection, lease);
			return true;
		});
		// if it failed, a recall that is sent again declines again
		this.releaseListener.forgetRecall(lease);
	}

	@Override
	public Attempt downgrade(LeaseRequest held, LeaseRequest weaker, Duration timeout) {
		Attempt attempt = attempt(weaker, timeout,
				(connection, mayBeDone) -> new VersionedRowOperations(connection).downgrade(held, weaker));
		this.leases.remove(held);
		return attempt;
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return this.calls.run(timeout, (connection, mayBeDone) -> new VersionedRowOperations(connection).inspect(key))
			.inspect();
	}

	@Override
	public List<LeaseWaiter> inspectQueue(String key, Duration timeout) {
		return this.calls.run(timeout, (connection, mayBeDone) -> new VersionedRowOperations(connection).inspect(key))
			.inspectQueue();
	}

	@Override
	public boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		return this.calls.run(timeout, (connection,
				mayBeDone) -> new VersionedRowOperations(connection).forceRelease(key, holder.owner()) || mayBeDone);
	}

	@Override
	public Duration probe(LeaseRequest request, Duration timeout) {
		long deadline = Deadline.after(timeout);
		this.calls.run(timeout, (connection, mayBeDone) -> {
			connection.requireWritable();
			noteGrowth(connection.dialect().growthWarning(connection.connection(), this.table));
			return true;
		});
		return LockBackend.super.probe(request, Deadline.remaining(deadline));
	}

	/**
	 * Log when the table begins to be slow. The warning is one of this backend until it
	 * is over.
	 */
	private void noteGrowth(Optional<String> warning) {
		if (warning.isPresent() && this.growthWarning.isEmpty()) {
			logger.warn(warning.get());
		}
		this.growthWarning = warning;
	}

	@Override
	public Optional<ValueBackend> values() {
		return Optional.of(this.values);
	}

	@Override
	public String address() {
		return JdbcAddress.of(this.dataSource) + ", table " + this.settings.tableName();
	}

	@Override
	public List<String> warnings() {
		Stream<Optional<String>> own = Stream.of(this.settings.warning(),
				JdbcAddress.url(this.dataSource).flatMap(SingleServer::warning), this.growthWarning);
		return Stream.concat(own.flatMap(Optional::stream), this.releaseListener.warnings()).toList();
	}

	@Override
	public void close() {
		this.releaseListener.close();
		this.calls.close();
	}

	@Override
	public LockBackend reopened() {
		return new JdbcLockBackend(this.dataSource, this.settings);
	}

}
