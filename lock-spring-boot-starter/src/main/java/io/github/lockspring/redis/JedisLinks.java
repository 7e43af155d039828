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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Small pool of connections to one server, each for one call at a time. Connections are
 * opened in the background, one after the other, so that callers wait for one no longer
 * than their deadline. When one is lost, those opened before are replaced as well.
 */
final class JedisLinks implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final int MAX_LINKS = 8;

	private static final int MAX_RESERVED = 4;

	private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

	/**
	 * Idle time after which a connection is checked before it is used.
	 */
	private static final long TRUST_NANOS = Duration.ofSeconds(1).toNanos();

	private final String server;

	private final IntFunction<JedisLink> connector;

	private final Executor threads;

	private final Runnable onFailure;

	private final int max;

	private final @Nullable JedisLinks reserved;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Deque<JedisLink> idle = new ArrayDeque<>();

	private int count;

	private int epoch;

	private boolean making;

	private @Nullable Throwable failure;

	private long failedNanos;

	private boolean closed;

	/**
	 * Create an empty pool.
	 * @param server the address of the server, for messages
	 * @param connector connects to the server, in a given epoch
	 * @param threads runs the connector
	 * @param onFailure called when a connection was lost or could not be opened
	 */
	JedisLinks(String server, IntFunction<JedisLink> connector, Executor threads, Runnable onFailure) {
		this(server, connector, threads, onFailure, MAX_LINKS,
				new JedisLinks(server, connector, threads, onFailure, MAX_RESERVED, null));
	}

	private JedisLinks(String server, IntFunction<JedisLink> connector, Executor threads, Runnable onFailure, int max,
			@Nullable JedisLinks reserved) {
		this.server = server;
		this.connector = connector;
		this.threads = threads;
		this.onFailure = onFailure;
		this.max = max;
		this.reserved = reserved;
	}

	/**
	 * Return a few more connections to the same server, for calls that must not wait for
	 * others.
	 */
	JedisLinks reserved() {
		return (this.reserved != null) ? this.reserved : this;
	}

	/**
	 * Take a connection, to be {@linkplain #release released}.
	 * @param deadline the deadline for getting a connection, and of the call
	 * @throws BackendUnavailableException if there is none
	 */
	JedisLink borrow(long deadline) {
		while (true) {
			JedisLink link = take(deadline);
			link.begin(deadline);
			if (link.idleNanos() < TRUST_NANOS || isUsable(link, deadline)) {
				return link;
			}
		}
	}

	/**
	 * Check a connection whose loss may not have been detected, with half of the time
	 * left for another one. Releases it if it cannot be used.
	 * @throws BackendUnavailableException if the server has become a replica
	 */
	private boolean isUsable(JedisLink link, long deadline) {
		boolean primary = false;
		try {
			long now = System.nanoTime();
			primary = link.isPrimary(now + (deadline - now) / 2);
		}
		catch (JedisException ex) {
			return false;
		}
		finally {
			if (!primary) {
				link.setBroken();
				release(link);
			}
		}
		if (!primary) {
			throw new BackendUnavailableException("Redis rejected the command: the server is now a replica", null);
		}
		return true;
	}

	private JedisLink take(long deadline) {
		this.lock.lock();
		try {
			while (true) {
				JedisLink link = this.idle.pollFirst();
				if (link != null) {
					return link;
				}
				makeOne();
				if (this.count == 0) {
					throw unavailable((this.failure != null) ? String.valueOf(this.failure.getMessage()) : "closed");
				}
				long remaining = deadline - System.nanoTime();
				if (remaining <= 0) {
					throw unavailable("no connection within the timeout");
				}
				this.changed.awaitNanos(remaining);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for a connection", ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private BackendUnavailableException unavailable(String reason) {
		return new BackendUnavailableException("Redis is not reachable: " + reason, this.failure);
	}

	private void makeOne() {
		boolean pause = this.failure != null && System.nanoTime() - this.failedNanos < PAUSE_NANOS;
		if (this.closed || this.making || pause || this.count == this.max) {
			return;
		}
		int epoch = this.epoch;
		try {
			this.threads.execute(() -> make(epoch));
			this.making = true;
			this.count++;
		}
		catch (RejectedExecutionException ex) {
			this.closed = true;
		}
	}

	private void make(int epoch) {
		try {
			made(this.connector.apply(epoch));
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
			this.onFailure.run();
		}
	}

	private void made(JedisLink link) {
		this.lock.lock();
		try {
			this.making = false;
			if (this.failure != null) {
				this.failure = null;
				logger.info("Connection to Redis at " + link.address() + " restored");
			}
			keep(link);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void failed(Throwable ex) {
		this.lock.lock();
		try {
			this.making = false;
			this.count--;
			if (this.failure == null && !this.closed) {
				logger.warn("Could not connect to Redis at " + this.server
						+ "; it will be retried when a connection is needed: " + ex.getMessage());
			}
			this.failure = ex;
			this.failedNanos = System.nanoTime();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Return a connection to the pool. A broken one is not used again.
	 */
	void release(JedisLink link) {
		link.endCall();
		boolean broken = link.isBroken();
		this.lock.lock();
		try {
			if (broken && link.epoch() == this.epoch) {
				this.epoch++;
				dropIdle();
			}
			keep(link);
		}
		finally {
			this.lock.unlock();
		}
		if (broken) {
			this.onFailure.run();
		}
	}

	private void keep(JedisLink link) {
		if (this.closed || link.isBroken() || link.epoch() != this.epoch) {
			this.count--;
			link.cut();
		}
		else {
			this.idle.addFirst(link);
		}
		this.changed.signal();
	}

	private void dropIdle() {
		this.count -= this.idle.size();
		this.idle.forEach(JedisLink::cut);
		this.idle.clear();
		this.changed.signalAll();
	}

	/**
	 * Replace all connections, those in use after their calls.
	 */
	void replace() {
		replace(false);
	}

	@Override
	public void close() {
		replace(true);
	}

	private void replace(boolean closing) {
		if (this.reserved != null) {
			this.reserved.replace(closing);
		}
		this.lock.lock();
		try {
			this.closed |= closing;
			this.epoch++;
			dropIdle();
		}
		finally {
			this.lock.unlock();
		}
	}

}
