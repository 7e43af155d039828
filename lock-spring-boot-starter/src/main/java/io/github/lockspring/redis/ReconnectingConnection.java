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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.DaemonThreads;

/**
 * Connection that is opened in the background when it is needed and was lost, or is
 * suspicious, or, if something is to be done with each connection, as soon as it is lost.
 * Attempts after a failure, or because of a suspicion, are at least half a second apart;
 * the delay increases with every failure if no caller needs the connection. Callers wait
 * for it no longer than their deadline.
 *
 * @param <C> the type of connection
 */
final class ReconnectingConnection<C> implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

	private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

	/**
	 * Minimum time between two attempts because a connection was lost.
	 */
	private static final long LOSS_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	/**
	 * Time for which calls in progress may still use a connection that was replaced.
	 */
	private static final long LINGER_MILLIS = 2_000;

	private final String name;

	private final Supplier<C> connector;

	private final Predicate<C> open;

	private final Consumer<C> closer;

	private final @Nullable Runnable onOpen;

	private volatile @Nullable C connection;

	private @Nullable CompletableFuture<C> connecting;

	private @Nullable Thread maker;

	private long attemptedNanos = System.nanoTime() - PAUSE_NANOS;

	private int failures;

	private volatile @Nullable Throwable lastFailure;

	private int generation;

	private boolean closed;

	/**
	 * Create an instance without a connection.
	 * @param name the address and purpose, for messages
	 * @param onOpen called when there is a new connection, which is then opened again
	 * without a caller; {@code null} to open it when it is needed
	 */
	ReconnectingConnection(String name, Supplier<C> connector, Predicate<C> open, Consumer<C> closer,
			@Nullable Runnable onOpen) {
		this.name = name;
		this.connector = connector;
		this.open = open;
		this.closer = closer;
		this.onOpen = onOpen;
	}

	/**
	 * Prepare a connection that was just opened, and close it if that fails.
	 * @return the result of the preparation
	 */
	static <T, R> R prepare(T opened, Function<T, R> preparation, Consumer<? super T> closer) {
		try {
			return preparation.apply(opened);
		}
		catch (Throwable ex) {
			closer.accept(opened);
			throw ex;
		}
	}

	/**
	 * Return the connection, if there is one.
	 */
	@Nullable C current() {
		C connection = this.connection;
		return (connection != null && this.open.test(connection)) ? connection : null;
	}

	/**
	 * Return the connection, waiting for it if it is being opened.
	 * @throws BackendUnavailableException if there is none
	 */
	C get(Duration timeout) {
		C connection = current();
		return (connection != null) ? connection : await(renew(), timeout);
	}

	/**
	 * Wait for the first connection, and continue without one.
	 */
	void awaitFirst(Duration timeout) {
		try {
			get(timeout);
		}
		catch (BackendUnavailableException ex) {
			logger.debug("Not connected to Redis yet (" + this.name + "): " + ex.getMessage());
		}
	}

	private C await(@Nullable CompletableFuture<C> connecting, Duration timeout) {
		if (connecting == null) {
			Throwable last = this.lastFailure;
			throw new BackendUnavailableException(
					"Redis is not reachable: " + ((last != null) ? rootMessage(last) : "the connection was lost"),
					last);
		}
		try {
			return connecting.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for a connection", ex);
		}
		catch (ExecutionException ex) {
			throw new BackendUnavailableException("Redis is not reachable: " + rootMessage(ex), ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new BackendUnavailableException("Redis is not reachable: no connection within " + timeout.toMillis()
					+ " ms. Check the address, and that client and server agree on encryption (TLS)", ex);
		}
	}

	/**
	 * Open the connection if there is none.
	 * @return the attempt in progress, or {@code null} if there was one just now
	 */
	@Nullable CompletableFuture<C> renew() {
		return connect(null);
	}

	/**
	 * Replace the connection, which is suspicious, or open one if there is none.
	 */
	void replace() {
		connect(current());
	}

	/**
	 * Open another connection in place of one that was lost. Has no effect if that was
	 * replaced or discarded before.
	 */
	void restore(C lost) {
		if (forget(lost)) {
			this.closer.accept(lost);
			renewLater();
		}
	}

	private synchronized boolean forget(C lost) {
		boolean current = this.connection == lost;
		if (current) {
			this.connection = null;
		}
		return current;
	}

	private synchronized void renewLater() {
		long pause = (this.failures > 0) ? pause() : LOSS_PAUSE_NANOS;
		long delay = pause - (System.nanoTime() - this.attemptedNanos);
		CompletableFuture.delayedExecutor(Math.max(delay, 0), TimeUnit.NANOSECONDS).execute(this::renew);
	}

	private synchronized @Nullable CompletableFuture<C> connect(@Nullable C suspicious) {
		C present = current();
		if (present != null && present != suspicious) {
			return CompletableFuture.completedFuture(present);
		}
		if (this.connecting != null) {
			return this.connecting;
		}
		long now = System.nanoTime();
		boolean delayed = this.failures > 0 || suspicious != null;
		if (this.closed || (delayed && now - this.attemptedNanos < pause())) {
			return null;
		}
		this.attemptedNanos = now;
		CompletableFuture<C> attempt = new CompletableFuture<>();
		this.connecting = attempt;
		this.maker = DaemonThreads.start("lock-redis-connect", () -> make(attempt), (ex) -> fail(attempt, ex));
		return attempt;
	}

	private long pause() {
		int doublings = (this.onOpen != null) ? Math.min(Math.max(this.failures - 1, 0), 10) : 0;
		return Math.min(PAUSE_NANOS << doublings, MAX_PAUSE_NANOS);
	}

	private void make(CompletableFuture<C> attempt) {
		try {
			attempt.complete(make());
		}
		catch (Throwable ex) {
			fail(attempt, ex);
		}
	}

	/**
	 * Open a connection, and another one if it is {@linkplain #leave() discarded}
	 * meanwhile.
	 */
	private C make() {
		while (true) {
			int generation = generation();
			C made = this.connector.get();
			if (succeed(made, generation)) {
				opened(made);
				return made;
			}
			this.closer.accept(made);
		}
	}

	private synchronized int generation() {
		return this.generation;
	}

	/**
	 * Put a new connection in place.
	 * @return {@code false} if it was discarded meanwhile
	 */
	private synchronized boolean succeed(C made, int generation) {
		if (generation != this.generation) {
			return false;
		}
		this.connecting = null;
		if (this.closed) {
			closeLater(made);
			return true;
		}
		if (this.connection != null) {
			closeLater(this.connection);
		}
		this.connection = made;
		if (this.failures > 0) {
			this.failures = 0;
			this.lastFailure = null;
			logger.info("Connection to Redis at " + this.name + " restored");
		}
		return true;
	}

	private void opened(C made) {
		if (this.onOpen != null && this.connection == made) {
			this.onOpen.run();
			if (!this.open.test(made)) {
				restore(made); // lost before it was in place
			}
		}
	}

	private void closeLater(C former) {
		CompletableFuture.delayedExecutor(LINGER_MILLIS, TimeUnit.MILLISECONDS)
			.execute(() -> this.closer.accept(former));
	}

	/**
	 * Record a failure, and complete the attempt without the monitor: callbacks of others
	 * may wait for it.
	 */
	private void fail(CompletableFuture<C> attempt, Throwable ex) {
		failed(ex);
		attempt.completeExceptionally(ex);
	}

	private synchronized void failed(Throwable ex) {
		this.connecting = null;
		this.failures++;
		this.lastFailure = ex;
		if (this.failures == 1 && !this.closed) {
			logger.warn("Could not connect to Redis at " + this.name + "; it will be retried"
					+ ((this.onOpen != null) ? ": " : " when a connection is needed: ") + rootMessage(ex));
		}
		if (this.onOpen != null && !this.closed) {
			renewLater();
		}
	}

	private static String rootMessage(Throwable ex) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
	}

	/**
	 * Discard the current connection immediately, with the calls in progress, and any
	 * connection that is being opened.
	 */
	void leave() {
		C former = forget();
		if (former != null) {
			this.closer.accept(former);
		}
	}

	private synchronized @Nullable C forget() {
		C former = this.connection;
		this.generation++;
		this.failures = 0;
		this.connection = null;
		return former;
	}

	/**
	 * Open no further connection, and discard one that is being opened: a client that is
	 * shut down meanwhile may never complete it. The current one is closed with its
	 * client.
	 */
	@Override
	public synchronized void close() {
		this.closed = true;
		this.connection = null;
		if (this.connecting != null && this.maker != null) {
			this.maker.interrupt();
		}
	}

}
