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

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.DaemonThreads;
import org.jspecify.annotations.Nullable;

/**
 * The few connections that lock statements run on. They come straight from the data
 * source and are never those of the caller's transaction.
 * <ol>
 * <li>A call takes an idle connection without leaving its thread.
 * <li>If there is none it waits, no longer than it may, for one that another call gives
 * back or that a background thread gets from the data source, which may take its time.
 * <li>A connection is kept for a second, then the data source has it again: a thread of
 * the application may wait for just that connection.
 * <li>One is kept for as long as leases are held: an application that takes all
 * connections of the data source must not keep them from being renewed. Not so if no more
 * than one may be kept at all, for then the application needs it.
 * <li>A connection that does not answer in time, or cannot be given back in time, is
 * aborted.
 * </ol>
 */
final class JdbcConnections implements AutoCloseable {

	private static final int MAX_OPEN = 8;

	private static final int MAX_OPENING = 2;

	private static final Duration KEPT_FOR = Duration.ofSeconds(1);

	private static final Duration SWEEP_INTERVAL = Duration.ofMillis(50);

	private final Callable<LockConnection> source;

	private final int maxIdle;

	private final BooleanSupplier leasesHeld;

	private final ExecutorService background = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS,
			new SynchronousQueue<>(), JdbcConnections::newThread, (task, executor) -> task.run());

	private final Deque<LockConnection> idle = new ArrayDeque<>();

	private final Set<LockConnection> open = new LinkedHashSet<>();

	private final Deque<CompletableFuture<LockConnection>> waiters = new ArrayDeque<>();

	private int opening;

	private boolean sweeping;

	private boolean closed;

	/**
	 * Takes no connection yet.
	 * @param source where connections come from; may block for long
	 * @param maxIdle how many are kept for the next call at most
	 */
	JdbcConnections(Callable<LockConnection> source, int maxIdle) {
		this(source, maxIdle, () -> false);
	}

	/**
	 * Takes no connection yet.
	 * @param source where connections come from; may block for long
	 * @param maxIdle how many are kept for the next call at most
	 * @param leasesHeld whether there are leases that will have to be renewed
	 */
	JdbcConnections(Callable<LockConnection> source, int maxIdle, BooleanSupplier leasesHeld) {
		this.source = source;
		this.maxIdle = maxIdle;
		this.leasesHeld = leasesHeld;
	}

	/**
	 * Takes a connection, to be {@linkplain #giveBack given back} or {@linkplain #discard
	 * discarded} after the call.
	 * @param deadline when the call must have ended, by {@link System#nanoTime()}
	 */
	LockConnection take(long deadline) {
		CompletableFuture<LockConnection> waiter = new CompletableFuture<>();
		LockConnection connection = takeIdleOr(waiter);
		if (connection == null) {
			connection = await(waiter, deadline);
		}
		connection.begin(deadline);
		return connection;
	}

	private synchronized @Nullable LockConnection takeIdleOr(CompletableFuture<LockConnection> waiter) {
		if (this.closed) {
			throw new BackendUnavailableException("The lock backend 'jdbc' is closed", null);
		}
		LockConnection connection = this.idle.pollLast();
		if (connection == null) {
			this.waiters.add(waiter);
			openForWaiters();
		}
		return connection;
	}

	private LockConnection await(CompletableFuture<LockConnection> waiter, long deadline) {
		long nanos = Math.max(0, deadline - System.nanoTime());
		try {
			return waiter.get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			Throwable reason = (ex.getCause() != null) ? ex.getCause() : ex;
			throw new BackendUnavailableException("The data source gave no connection: " + reason.getMessage(), reason);
		}
		catch (TimeoutException ex) {
			return giveUp(waiter,
					new BackendUnavailableException("The data source gave no connection within "
							+ Duration.ofNanos(nanos).toMillis() + " ms: its pool is exhausted or too small, "
							+ "or the caller itself holds the last connection in a transaction", null));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return giveUp(waiter, new BackendUnavailableException("Interrupted while waiting for a connection", ex));
		}
	}

	private LockConnection giveUp(CompletableFuture<LockConnection> waiter, BackendUnavailableException reason) {
		if (waiter.completeExceptionally(reason) || waiter.isCompletedExceptionally()) {
			forget(waiter);
			throw reason;
		}
		return waiter.join();
	}

	private synchronized void forget(CompletableFuture<LockConnection> waiter) {
		this.waiters.remove(waiter);
	}

	private void openForWaiters() {
		while (this.opening < Math.min(this.waiters.size(), MAX_OPENING)
				&& this.open.size() + this.opening < MAX_OPEN) {
			this.opening++;
			this.background.execute(this::open);
		}
	}

	private void open() {
		try {
			LockConnection connection = this.source.call();
			admit(connection);
			giveBack(connection);
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private synchronized void admit(LockConnection connection) {
		this.opening--;
		this.open.add(connection);
		if (!this.sweeping && !this.closed) {
			this.sweeping = true;
			this.background.execute(this::sweep);
		}
	}

	private synchronized void failed(Throwable reason) {
		this.opening--;
		if (this.open.isEmpty()) {
			this.waiters.forEach((waiter) -> waiter.completeExceptionally(reason));
			this.waiters.clear();
		}
	}

	/**
	 * Gives back a connection that works.
	 */
	void giveBack(LockConnection connection) {
		connection.end();
		if (!isReused(connection)) {
			close(List.of(connection));
		}
	}

	private synchronized boolean isReused(LockConnection connection) {
		boolean kept = !connection.isOlderThan(KEPT_FOR) || (this.idle.isEmpty() && isOneReserved());
		return kept && !this.closed && !connection.isAborted()
				&& (isDelivered(connection) || (this.idle.size() < this.maxIdle && this.idle.add(connection)));
	}

	private boolean isOneReserved() {
		return this.maxIdle > 1 && this.leasesHeld.getAsBoolean();
	}

	private boolean isDelivered(LockConnection connection) {
		while (!this.waiters.isEmpty()) {
			if (this.waiters.remove().complete(connection)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Gives back a connection that failed, and the idle ones, which may fail likewise.
	 */
	void discard(LockConnection connection) {
		List<LockConnection> leaving = removeIdle(Duration.ZERO);
		leaving.add(connection);
		close(leaving);
	}

	private synchronized List<LockConnection> removeIdle(Duration minAge) {
		List<LockConnection> leaving = new ArrayList<>();
		this.idle.removeIf((connection) -> connection.isOlderThan(minAge) && leaving.add(connection));
		return leaving;
	}

	private synchronized List<LockConnection> removeOld() {
		List<LockConnection> leaving = removeIdle(KEPT_FOR);
		if (this.idle.isEmpty() && !leaving.isEmpty() && isOneReserved()) {
			this.idle.add(leaving.remove(leaving.size() - 1));
		}
		return leaving;
	}

	private void close(Collection<LockConnection> leaving) {
		leaving.forEach((connection) -> this.background.execute(() -> closeAtOnce(connection)));
	}

	private void closeAtOnce(LockConnection connection) {
		connection.begin(System.nanoTime() + KEPT_FOR.toNanos());
		connection.close();
		departed(connection);
	}

	private synchronized void departed(LockConnection connection) {
		this.open.remove(connection);
		openForWaiters();
	}

	/**
	 * Runs as long as there are connections.
	 */
	private void sweep() {
		while (isSweepNeeded()) {
			close(removeOld());
			overdue().forEach((connection) -> this.background.execute(connection::abort));
			LockSupport.parkNanos(SWEEP_INTERVAL.toNanos());
		}
	}

	private synchronized boolean isSweepNeeded() {
		this.sweeping = !this.open.isEmpty();
		return this.sweeping;
	}

	private synchronized List<LockConnection> overdue() {
		return this.open.stream().filter(LockConnection::isOverdue).toList();
	}

	/**
	 * Gives back the idle connections; those in use follow when their calls end.
	 */
	@Override
	public void close() {
		markClosed();
		removeIdle(Duration.ZERO).forEach(this::closeAtOnce);
		this.background.shutdown();
		try {
			this.background.awaitTermination(KEPT_FOR.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized void markClosed() {
		this.closed = true;
		this.waiters.forEach((waiter) -> waiter.completeExceptionally(new IllegalStateException("closed")));
		this.waiters.clear();
	}

	private static Thread newThread(Runnable task) {
		return DaemonThreads.create("lock-jdbc", task);
	}

}
