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

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Deadline;

/**
 * Listens for notifications from PostgreSQL: of releases, for the waiting requests of
 * this process, and of changes of watched values.
 * <ol>
 * <li>The first waiting request, or watched value, starts a thread that listens on a
 * separate connection, which is closed when there has been none for a minute.</li>
 * <li>A release of a key with waiting requests sends a notification in the same
 * statement, and all listening processes retry their requests.</li>
 * <li>A message contains a part of the digest of the key instead of the key, because any
 * session may listen. Unreadable messages are ignored and counted, because any session
 * may send.</li>
 * <li>A change of a watched value sends the same notification. Requests and watches of
 * the same key receive both.</li>
 * <li>A denied request for a key whose lease is recallable sends such a message to the
 * process of the holder.</li>
 * <li>A lost connection is replaced, and all waiting requests are retried, and watched
 * values read, because notifications may have been missed. Until then they are polled
 * more often.</li>
 * <li>Behind a pooler, there is no listener: the pooler would assign the session to
 * another client.</li>
 * </ol>
 */
final class ReleaseListener implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ReleaseListener.class);

	private static final int POLL_MILLIS = 250;

	private static final Pattern MESSAGE = Pattern.compile("(" + PostgresStatements.RECALL_PREFIX + "?)([0-9a-f]{16})");

	/**
	 * Interval of the checks of the connection. In between, requests whose notifications
	 * are lost are polled together every few seconds, as all requests are.
	 */
	private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);

	private static final Duration CLOSE_TIME = Duration.ofSeconds(1);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final String POOLED = "Waiting lock requests are polled instead of being notified of releases, "
			+ "because a pooler such as PgBouncer between this process and PostgreSQL would deliver "
			+ "notifications late: set lock.jdbc.data-source to a data source that bypasses it, or set "
			+ "lock.jdbc.notify=off";

	private static final Duration IDLE_TIME = Duration.ofMinutes(1);

	/**
	 * Time without a retry after which a request is no longer waiting.
	 */
	private static final Duration WAITING_TIME = Duration.ofSeconds(10);

	/**
	 * Time without a new watch after which a value is no longer watched.
	 */
	private static final Duration WATCH_TIME = Duration.ofSeconds(20);

	/**
	 * Time after which a lease is over that has been neither released nor lost, which is
	 * longer than any is retained.
	 */
	private static final Duration LEASE_TIME = Duration.ofDays(1);

	private final Registrations<LeaseRequest> waiters = new Registrations<>(WAITING_TIME);

	/**
	 * Keys of the watched values.
	 */
	private final Registrations<String> watches = new Registrations<>(WATCH_TIME);

	/**
	 * Leases of this process that are recallable.
	 */
	private final Registrations<LeaseRequest> recallable = new Registrations<>(LEASE_TIME);

	private final AtomicLong unreadable = new AtomicLong();

	private final AtomicBoolean running = new AtomicBoolean();

	private final DataSource dataSource;

	private final TableName table;

	private volatile BackendListener listener = BackendListener.NONE;

	private volatile @Nullable Thread thread;

	private volatile long lastAwaited;

	private volatile boolean listening;

	private volatile boolean failing;

	private volatile boolean unsupported;

	private volatile boolean pooled;

	private volatile boolean closed;

	/**
	 * Create an instance.
	 * @param wanted whether to listen; if not, no notifications are received
	 */
	ReleaseListener(DataSource dataSource, TableName table, boolean wanted) {
		this.dataSource = dataSource;
		this.table = table;
		this.unsupported = !wanted;
	}

	void start(BackendListener listener) {
		this.listener = listener;
	}

	/**
	 * Register a request for the notification of the next release of its key, before it
	 * is sent or polled.
	 * @return whether notifications are currently received
	 */
	boolean await(LeaseRequest request) {
		if (!this.unsupported) {
			this.waiters.add(request.key(), request);
		}
		return this.listening;
	}

	/**
	 * Register a value for notifications of its changes, before it is read.
	 */
	void watch(String key) {
		if (!this.unsupported) {
			this.watches.add(key, key);
		}
	}

	/**
	 * Unregister a value.
	 */
	void unwatch(String key) {
		this.watches.remove(key, key);
	}

	/**
	 * Return whether notifications are received, or will be when they are needed.
	 */
	boolean isUsable() {
		return this.listening || (!this.unsupported && !this.failing && !this.closed);
	}

	/**
	 * Listen for releases for a while, because a request was denied.
	 */
	void listenForAWhile() {
		this.lastAwaited = System.nanoTime();
		if (!this.listening && !this.unsupported && !this.closed && this.running.compareAndSet(false, true)) {
			DaemonThreads.start("lock-jdbc-listener", this::run, (ex) -> this.running.set(false));
		}
	}

	/**
	 * Register a request for the recall of its lease, before it is sent.
	 * @return whether recalls are currently received
	 */
	boolean awaitRecall(LeaseRequest request) {
		listenForAWhile();
		boolean listening = this.listening;
		if (listening) {
			this.recallable.add(request.key(), request);
		}
		return listening;
	}

	/**
	 * Unregister a request for the recall of its lease.
	 */
	void forgetRecall(LeaseRequest request) {
		this.recallable.remove(request.key(), request);
	}

	/**
	 * Keep listening for recalls, and report if they are currently not received.
	 */
	void checkRecalls() {
		listenForAWhile();
		if (!this.listening) {
			this.listener.onRecallsMissed();
		}
	}

	/**
	 * Unregister a request.
	 */
	void forget(LeaseRequest request) {
		this.waiters.remove(request.key(), request);
	}

	private void run() {
		this.thread = Thread.currentThread();
		try {
			while (isNeeded()) {
				listen();
			}
		}
		finally {
			this.running.set(false);
		}
	}

	private boolean isNeeded() {
		return !this.closed && !this.unsupported && System.nanoTime() - this.lastAwaited < IDLE_TIME.toNanos();
	}

	private void listen() {
		try (LockConnection connection = LockConnection.open(this.dataSource, this.table)) {
			if (!connection.dialect().has(SqlStatement.CONTEND)) {
				this.unsupported = true;
				return;
			}
			if (PostgresSession.of(connection.connection()).pooled()) {
				this.unsupported = true;
				this.pooled = true;
				logger.warn(POOLED);
				return;
			}
			listen(connection.connection());
		}
		catch (Throwable ex) {
			this.failing = true;
			logger.debug("Could not listen for lock releases; waiting requests are polled", ex);
			LockSupport.parkNanos(PAUSE.toNanos());
		}
		finally {
			this.listening = false;
		}
	}

	private void listen(Connection connection) throws SQLException {
		try (ReleaseChannel channel = new ReleaseChannel(connection, this.table)) {
			this.listening = true;
			this.failing = false;
			this.waiters.names().forEach(this::notifyWaiters);
			this.watches.names().forEach(this::notifyWaiters);
			this.listener.onRecallsMissed();
			do {
				receive(channel, Deadline.after(CHECK_INTERVAL));
			}
			while (isNeeded() && channel.isCurrent());
		}
	}

	private void receive(ReleaseChannel channel, long until) throws SQLException {
		while (isNeeded() && !Deadline.isOver(until)) {
			channel.receive(POLL_MILLIS, this::received);
			this.waiters.removeExpired();
			this.watches.removeExpired();
			this.recallable.removeExpired();
		}
	}

	private void received(String message) {
		Matcher matcher = MESSAGE.matcher(message);
		if (!matcher.matches()) {
			countUnreadable();
		}
		else if (matcher.group(1).isEmpty()) {
			notifyWaiters(matcher.group(2));
		}
		else {
			this.recallable.of(matcher.group(2)).forEach(this.listener::onRecall);
		}
	}

	private void countUnreadable() {
		if (this.unreadable.getAndIncrement() == 0) {
			logger.warn(warning(1));
		}
	}

	/**
	 * Return warnings about the messages.
	 */
	Stream<String> warnings() {
		long count = this.unreadable.get();
		return Stream.concat(this.pooled ? Stream.of(POOLED) : Stream.empty(),
				(count > 0) ? Stream.of(warning(count)) : Stream.empty());
	}

	private static String warning(long count) {
		return "Unreadable messages on the notification channel for lock releases: " + count
				+ "; the channel is also used by other software";
	}

	private void notifyWaiters(String name) {
		this.waiters.of(name).forEach(this.listener::onRetryHint);
		this.watches.of(name).forEach(this.listener::onValueChanged);
	}

	/**
	 * Stop listening, and wait briefly until the connection is closed, because the data
	 * source may be closed next.
	 */
	@Override
	public void close() {
		this.closed = true;
		Thread thread = this.thread;
		if (thread != null) {
			LockSupport.unpark(thread);
			DaemonThreads.awaitEnd(thread, CLOSE_TIME);
		}
	}

}
