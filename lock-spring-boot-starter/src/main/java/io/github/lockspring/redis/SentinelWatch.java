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
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisNode;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;

/**
 * Tracks which server is the primary, with a thread for each of the sentinels.
 * <ol>
 * <li>A sentinel is queried whenever it announces something about a failover, and once a
 * second, so that a lost announcement causes a delay of a second at most.</li>
 * <li>The answer with the largest configuration epoch is used. An older one is used only
 * if it is that of most sentinels, for example after they were set up again.</li>
 * <li>From the moment a failover begins, which is before a replica is promoted, until its
 * outcome is known, no server is used: the former primary would continue to accept writes
 * that are lost.</li>
 * <li>A primary that no sentinel has confirmed for three seconds, as after a pause of
 * this process, is queried again. It is used without a confirmation if no sentinel can be
 * reached.</li>
 * </ol>
 */
final class SentinelWatch implements AutoCloseable {

	/**
	 * Announcements of the sentinels when a failover begins, and when its outcome is
	 * known.
	 */
	static final List<String> CHANNELS = List.of("+switch-master", "+try-failover", "+promoted-slave");

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final long PAUSE_MILLIS = 500;

	private static final long TRUST_NANOS = Duration.ofSeconds(3).toNanos();

	private static final long MAX_QUESTION_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * Maximum time to wait for the outcome of a failover.
	 */
	private static final long MAX_FAILOVER_NANOS = Duration.ofSeconds(5).toNanos();

	private final List<RedisNode> nodes;

	private final Function<RedisNode, Sentinel> connector;

	private final TokenLead lead;

	private final Runnable switched;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/**
	 * Last answer of each sentinel that can be reached.
	 */
	private final @Nullable Report[] reports;

	private final @Nullable Throwable[] failures;

	private final Thread[] threads;

	private volatile @Nullable RedisNode primary;

	private volatile long trustedUntilNanos;

	private long epoch = -1;

	/**
	 * Start of a failover whose outcome is not known.
	 */
	private @Nullable Long failingSinceNanos;

	private volatile boolean closed;

	/**
	 * Create a watch, to be started.
	 * @param nodes the sentinels
	 * @param connector connects to one of them
	 * @param lead notified when a server has taken over, also if that was before the
	 * start
	 * @param switched called each time after another server has become the primary
	 */
	SentinelWatch(List<RedisNode> nodes, Function<RedisNode, Sentinel> connector, TokenLead lead, Runnable switched) {
		this.nodes = List.copyOf(nodes);
		this.connector = connector;
		this.lead = lead;
		this.switched = switched;
		this.reports = new Report[nodes.size()];
		this.failures = new Throwable[nodes.size()];
		this.threads = new Thread[nodes.size()];
		this.trustedUntilNanos = System.nanoTime();
		lead.keep();
	}

	void start() {
		for (int i = 0; i < this.threads.length; i++) {
			int index = i;
			this.threads[i] = DaemonThreads.create("lock-redis-sentinel-" + (i + 1), () -> follow(index));
			this.threads[i].start();
		}
	}

	private void follow(int index) {
		while (!this.closed) {
			try (Sentinel sentinel = this.connector.apply(this.nodes.get(index))) {
				while (!this.closed) {
					take(index, sentinel.report());
					sentinel.awaitAnnouncement(INTERVAL);
				}
			}
			catch (RuntimeException | Error ex) {
				fail(index, ex);
			}
			pause();
		}
	}

	private void pause() {
		try {
			Thread.sleep(PAUSE_MILLIS);
		}
		catch (InterruptedException ex) {
			// closed, or it does no harm
		}
	}

	private void take(int index, Report report) {
		this.lock.lock();
		boolean other;
		try {
			if (this.failures[index] != null) {
				this.failures[index] = null;
				logger.info("The Redis sentinel " + this.nodes.get(index) + " is available again");
			}
			this.reports[index] = report;
			other = adopt(newest());
			judge(report);
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		if (other && !this.closed) {
			logger.info("The Redis primary is now " + report.primary());
			this.switched.run();
		}
	}

	private Report newest() {
		return Arrays.stream(this.reports)
			.filter(Objects::nonNull)
			.max(Comparator.comparingLong(Report::epoch))
			.orElseThrow();
	}

	/**
	 * Adopt the primary that a sentinel reported.
	 * @return whether it was another one before
	 */
	private boolean adopt(Report report) {
		RedisNode former = this.primary;
		if (former != null && report.epoch() < this.epoch && !isGivenByMost(report.primary())) {
			return false;
		}
		this.epoch = report.epoch();
		if (report.primary().equals(former)) {
			return false;
		}
		this.lead.begin((former != null) ? Duration.ZERO : report.age());
		this.trustedUntilNanos = System.nanoTime();
		this.primary = report.primary();
		return former != null;
	}

	private boolean isGivenByMost(RedisNode primary) {
		return 2 * Arrays.stream(this.reports).filter((report) -> isFor(primary, report)).count() > this.reports.length;
	}

	private static boolean isFor(@Nullable RedisNode primary, @Nullable Report report) {
		return report != null && report.primary().equals(primary);
	}

	/**
	 * Determine the time for which the primary is used.
	 */
	private void judge(Report latest) {
		long now = System.nanoTime();
		boolean failing = Arrays.stream(this.reports)
			.anyMatch((report) -> isFor(this.primary, report) && report.failingOver());
		if (!failing) {
			this.failingSinceNanos = null;
		}
		else if (this.failingSinceNanos == null) {
			this.failingSinceNanos = now;
			this.trustedUntilNanos = now;
		}
		if (isFor(this.primary, latest) && !isWaiting(now)) {
			this.trustedUntilNanos = now + TRUST_NANOS;
		}
	}

	/**
	 * Return whether the outcome of a failover is awaited.
	 */
	private boolean isWaiting(long now) {
		Long since = this.failingSinceNanos;
		return since != null && now - since < MAX_FAILOVER_NANOS;
	}

	private void fail(int index, Throwable ex) {
		if (this.closed) {
			return;
		}
		this.lock.lock();
		try {
			if (this.failures[index] == null) {
				logger.warn("The Redis sentinel " + this.nodes.get(index) + " is unavailable; it will be retried: "
						+ ex.getMessage());
			}
			this.failures[index] = ex;
			this.reports[index] = null;
			if (isOutOfReach()) {
				this.failingSinceNanos = null;
				this.trustedUntilNanos = System.nanoTime() + Durations.MAX_NANOS;
			}
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean isOutOfReach() {
		return Arrays.stream(this.failures).allMatch(Objects::nonNull);
	}

	/**
	 * Return whether the {@linkplain #primary(Duration) known} primary may be used.
	 */
	boolean isTrusted() {
		return System.nanoTime() - this.trustedUntilNanos < 0;
	}

	/**
	 * Return whether a server is the primary, as far as is known.
	 */
	boolean isPrimary(String host, int port) {
		RedisNode primary = this.primary;
		return primary == null || (port == primary.getRequiredPort() && host.equals(primary.getHost()));
	}

	/**
	 * Return the primary, waiting for it if it is not known, or if a failover is in
	 * progress.
	 * @throws BackendUnavailableException if there is none in time
	 */
	RedisNode primary(Duration timeout) {
		RedisNode primary = this.primary;
		return (primary != null && isTrusted()) ? primary : await(timeout);
	}

	private RedisNode await(Duration timeout) {
		long begin = System.nanoTime();
		this.lock.lock();
		try {
			while (true) {
				long now = System.nanoTime();
				RedisNode primary = known(now, begin);
				if (primary != null) {
					return primary;
				}
				long left = timeout.toNanos() - (now - begin);
				if (left <= 0 || this.closed || isOutOfReach()) {
					throw unavailable();
				}
				this.changed.await(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)), TimeUnit.NANOSECONDS);
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

	private @Nullable RedisNode known(long now, long begin) {
		RedisNode primary = this.primary;
		if (primary != null && !isTrusted() && !isWaiting(now) && now - begin >= MAX_QUESTION_NANOS) {
			this.trustedUntilNanos = now + TRUST_NANOS;
		}
		return isTrusted() ? primary : null;
	}

	private BackendUnavailableException unavailable() {
		if (this.failingSinceNanos != null) {
			return new BackendUnavailableException("Redis is not reachable: a failover is in progress", null);
		}
		Throwable failure = Arrays.stream(this.failures).filter(Objects::nonNull).findFirst().orElse(null);
		return new BackendUnavailableException("Redis is not reachable: none of the sentinels " + this.nodes
				+ " returned the address of the primary" + ((failure != null) ? ": " + failure.getMessage() : ""),
				failure);
	}

	@Override
	public void close() {
		this.closed = true;
		for (Thread thread : this.threads) {
			if (thread != null) {
				thread.interrupt();
			}
		}
	}

	/**
	 * Connection to a sentinel.
	 */
	interface Sentinel extends AutoCloseable {

		/**
		 * Return the address of the primary.
		 */
		Report report();

		/**
		 * Wait until the sentinel announces something.
		 */
		void awaitAnnouncement(Duration timeout);

		@Override
		void close();

	}

	/**
	 * State of a sentinel.
	 *
	 * @param primary the address of the primary
	 * @param epoch the configuration epoch of that primary
	 * @param failingOver whether a failover is in progress
	 * @param age the time for which the sentinel has known this primary
	 */
	record Report(RedisNode primary, long epoch, boolean failingOver, Duration age) {

		/**
		 * Parse answers.
		 * @param address the answer to {@code SENTINEL GET-MASTER-ADDR-BY-NAME}, which is
		 * the promoted replica as soon as it is promoted
		 * @param facts the answer to {@code SENTINEL MASTER}
		 */
		static Report of(List<String> address, Map<String, String> facts) {
			return new Report(new RedisNode(address.get(0), Integer.parseInt(address.get(1))),
					Long.parseLong(facts.getOrDefault("config-epoch", "0")),
					facts.getOrDefault("flags", "").contains("failover_in_progress"),
					Duration.ofMillis(Long.parseLong(facts.getOrDefault("role-reported-time", "0"))));
		}

	}

}
