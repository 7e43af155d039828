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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.RecentKeys;

/**
 * Operations on leases, on a given connection: with single statements for exclusive
 * leases of one key, and with versioned rows for all others. A row that is locked by
 * another session is a denial. Thread-safe.
 */
final class LeaseOperations {

	/**
	 * Delay after which to retry when the row is locked or changed by others.
	 */
	private static final Duration BUSY_ROW_DELAY = Duration.ofMillis(3);

	private static final JdbcDialect.Update NO_UPDATE = new JdbcDialect.Update(0, false);

	/**
	 * Time for which an attempt that reads and writes is repeated when the row is locked
	 * or changed by others: conflicts are short, and the key may be granted to all of
	 * them.
	 */
	private static final Duration BUSY_ROW_TIME = Duration.ofMillis(50);

	/**
	 * Maximum delay between two attempts of a request with a mark, shorter than half the
	 * lifetime of the mark, which is left after every denial.
	 */
	private static final Duration MARK_POLL = Duration.ofSeconds(4);

	/**
	 * Maximum delay between two attempts of a fair request, shorter than half the
	 * lifetime of its queue entry, which is left after every denial.
	 */
	private static final Duration QUEUE_ENTRY_POLL = Duration.ofSeconds(2);

	/**
	 * Time for which this process does not acquire a key again that it released while
	 * another one waited: that one is notified, and needs a moment to acquire it.
	 */
	private static final Duration PAUSE = Duration.ofMillis(10);

	private static final int MAX_PAUSES = 1024;

	/**
	 * Keys that this process released recently while no process waited, so that there is
	 * a row that is most likely free, for which there is a faster statement.
	 */
	private final RecentKeys recentKeys = new RecentKeys();

	/**
	 * Keys that this process released while another one waited, with the times.
	 */
	private final Map<String, Long> pauses = new ConcurrentHashMap<>();

	private final boolean notified;

	/**
	 * Create operations.
	 * @param notified whether waiting requests are notified of releases, instead of being
	 * entered into the rows
	 */
	LeaseOperations(boolean notified) {
		this.notified = notified;
	}

	/**
	 * Limit the delay of a denied request if others are notified. A request that will not
	 * be notified is retried soon, the others before the mark in the row, or their queue
	 * entry, expires.
	 * @param listening whether notifications of releases are received
	 */
	Denial limited(Denial denial, LeaseRequest request, boolean listening) {
		if (!this.notified) {
			return denial;
		}
		boolean awaiting = listening
				&& denial.attemptId() != SingleStatementOperations.WITHOUT_NOTIFICATION.attemptId();
		Duration max = request.terms().fair() ? QUEUE_ENTRY_POLL : MARK_POLL;
		Duration retryAfter = Durations.min(denial.retryAfter(),
				awaiting ? max : SingleStatementOperations.WITHOUT_NOTIFICATION.retryAfter());
		return new Denial(retryAfter, 0, denial.recalled());
	}

	/**
	 * Return for how long a request lets others acquire its key. Only the first one after
	 * a release does, and only once. A request with several tokens is to be handed off or
	 * retained in its process, which decides by itself when to let others acquire the
	 * key.
	 * @return the time, not positive for most requests
	 */
	Duration takePause(LeaseRequest request) {
		Long released = (isExclusiveSingleKey(request) && request.terms().tokens() == 1)
				? this.pauses.remove(request.key()) : null;
		return (released != null) ? PAUSE.minusNanos(System.nanoTime() - released) : Duration.ZERO;
	}

	private void beginPause(String key) {
		if (this.pauses.size() >= MAX_PAUSES) {
			this.pauses.clear(); // of keys that were not acquired again
		}
		this.pauses.put(key, System.nanoTime());
	}

	/**
	 * Acquire all keys of a request, or none of them.
	 * @param queueing whether the request will wait if it is denied
	 * @param recallable whether the lease is to be recallable
	 */
	Attempt acquire(LockConnection connection, LeaseRequest request, boolean queueing, boolean recallable)
			throws SQLException {
		boolean single = isExclusiveSingleKey(request) && (this.notified || !queueing);
		boolean contending = queueing && this.notified && connection.dialect().has(SqlStatement.CONTEND);
		VersionedRowOperations versioned = single ? null : new VersionedRowOperations(connection);
		try {
			return (versioned != null) ? versioned.acquire(request, queueing, this.notified)
					: SingleStatementOperations.acquire(connection, request, this.recentKeys, contending, recallable);
		}
		catch (SQLException ex) {
			if (!connection.dialect().isContended(ex)
					|| (versioned != null && isWorthAnotherTry(connection, ex, request, queueing))) {
				throw ex;
			}
			return new Denial(BUSY_ROW_DELAY, SingleStatementOperations.WITHOUT_NOTIFICATION.attemptId(),
					versioned != null && versioned.isRecalling());
		}
	}

	private static boolean isExclusiveSingleKey(LeaseRequest request) {
		return SingleStatementOperations.isExclusive(request) && !request.terms().fair() && !request.hasMultipleKeys();
	}

	/**
	 * Return whether an attempt is repeated after a conflict. A request that does not
	 * wait has no later attempt, and one that waits may not have the time for it: they
	 * are repeated as long as others make progress, unless those may hold the whole key.
	 * The last repetition is started with half of the time left, so that its outcome does
	 * not become unknown if the store is slow for a moment. If another session keeps the
	 * row locked, no repetition is started that would be aborted while it waits for the
	 * row.
	 */
	private static boolean isWorthAnotherTry(LockConnection connection, SQLException contention, LeaseRequest request,
			boolean queueing) {
		boolean exclusive = SingleStatementOperations.isExclusive(request);
		boolean lastChance = (contention instanceof RowChangedException) ? !queueing || !exclusive
				: !queueing && !exclusive;
		TimedConnection timed = connection.timed();
		if (!lastChance) {
			return !timed.isBusyFor(BUSY_ROW_TIME);
		}
		Duration lockTimeout = connection.dialect().lockTimeout();
		boolean locked = timed.isBusyFor(lockTimeout);
		return !timed.isHalfOver() && !(locked && timed.isOverIn(BUSY_ROW_TIME.plus(lockTimeout)));
	}

	/**
	 * Release a lease.
	 * @return whether the owner held it
	 */
	boolean release(LockConnection connection, LeaseRequest lease) throws SQLException {
		JdbcDialect.Update update = SingleStatementOperations.isExclusive(lease)
				? SingleStatementOperations.release(connection, lease) : NO_UPDATE;
		if (update.rows() != lease.keys().size()) {
			return mayHaveEntries(lease) && new VersionedRowOperations(connection).release(lease);
		}
		if (isExclusiveSingleKey(lease)) {
			if (!update.notified()) {
				this.recentKeys.add(lease.key(), false);
			}
			else if (this.notified) {
				beginPause(lease.key());
			}
		}
		return true;
	}

	private boolean mayHaveEntries(LeaseRequest lease) {
		return !this.notified || lease.terms().fair() || !SingleStatementOperations.isExclusive(lease);
	}

	/**
	 * Release a lease, so that it can be acquired when a delay is over.
	 * @return whether the owner held it
	 */
	boolean releaseWithDelay(LockConnection connection, LeaseRequest lease, Duration delay) throws SQLException {
		return (SingleStatementOperations.isExclusive(lease)
				&& SingleStatementOperations.releaseWithDelay(connection, lease, delay))
				|| (mayHaveEntries(lease) && new VersionedRowOperations(connection).releaseWithDelay(lease, delay));
	}

}
