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

package io.github.lockspring.autoconfigure;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.SmartLifecycle;

import io.github.lockspring.jdbc.JdbcLockCleanup;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.TimerThread;

/**
 * Maintenance of the lock table in the background: the table is created or validated as
 * soon as the database is available, and unused rows are removed at an interval. The
 * shared timer starts the tasks, which run in a thread that ends when it is idle.
 * <p>
 * The thread is not interrupted by a stop, because an interrupt can damage an embedded
 * database.
 */
final class JdbcLockMaintenance implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(JdbcLockMaintenance.class);

	private static final Duration FIRST_PREPARE_DELAY = Duration.ofSeconds(1);

	private static final Duration PREPARE_INTERVAL = Duration.ofSeconds(5);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(1);

	private final JdbcLockTable table;

	private final JdbcLockProperties properties;

	private @Nullable Work work;

	/**
	 * Create the maintenance tasks.
	 * @param table the lock table
	 * @param properties the properties, which are validated
	 * @throws InvalidConfigurationPropertyValueException if one of them is out of range
	 */
	JdbcLockMaintenance(JdbcLockTable table, JdbcLockProperties properties) {
		JdbcLockProperties.Cleanup cleanup = properties.getCleanup();
		require("interval", cleanup.getInterval(), Duration.ofSeconds(1), "one second");
		require("retention", cleanup.getRetention(), JdbcLockCleanup.MIN_RETENTION, "one hour");
		this.table = table;
		this.properties = properties;
	}

	private static void require(String name, Duration value, Duration min, String minText) {
		LockSettings.require(value.compareTo(min) >= 0, "lock.jdbc.cleanup." + name, value,
				"It must be at least " + minText + '.');
	}

	@Override
	public synchronized void start() {
		Work work = new Work();
		this.work = work;
		work.start();
	}

	private static void run(JdbcLockCleanup cleanup) {
		try {
			long rows = cleanup.removeOldRows();
			logger.debug("Removed " + rows + " unused rows from the lock table");
		}
		catch (BackendException ex) {
			logger.debug("Could not remove unused rows from the lock table", ex);
		}
		catch (RuntimeException ex) {
			logger.warn("Could not remove unused rows from the lock table", ex);
		}
	}

	@Override
	public synchronized void stop() {
		Work work = this.work;
		this.work = null;
		if (work != null) {
			work.stop();
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.work != null;
	}

	/**
	 * Return whether unused rows are removed at an interval.
	 */
	synchronized boolean isCleaningUp() {
		return this.work != null && !this.work.cleanUp.isStopped();
	}

	@Override
	public int getPhase() {
		return LockLifecycle.PHASE;
	}

	/**
	 * Tasks between a start and a stop.
	 */
	private final class Work {

		private final ExecutorService executor = new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), (task) -> DaemonThreads.create("lock-jdbc-maintenance", task),
				new ThreadPoolExecutor.DiscardPolicy());

		private final TimerThread.Task prepare = inBackground(this::prepare);

		private final TimerThread.Task cleanUp = inBackground(this::cleanUp);

		private final JdbcLockCleanup cleanup = new JdbcLockCleanup(JdbcLockMaintenance.this.table.dataSource(),
				JdbcLockMaintenance.this.properties.getTableName(),
				JdbcLockMaintenance.this.properties.getCleanup().getRetention());

		private final long cleanupNanos = Durations
			.nanos(JdbcLockMaintenance.this.properties.getCleanup().getInterval());

		private TimerThread.Task inBackground(Runnable action) {
			return TimerThread.shared().task(() -> this.executor.execute(action));
		}

		/**
		 * Start the tasks. The first cleanup takes place at a random time within the
		 * first interval, so that processes started together do not clean up at the same
		 * time.
		 */
		void start() {
			if (!JdbcLockMaintenance.this.table.isPrepared()) {
				runAfter(FIRST_PREPARE_DELAY.toNanos(), this.prepare);
			}
			if (JdbcLockMaintenance.this.properties.getCleanup().isEnabled()) {
				runAfter(ThreadLocalRandom.current().nextLong(this.cleanupNanos), this.cleanUp);
			}
		}

		private static void runAfter(long nanos, TimerThread.Task task) {
			task.wakeUpAt(System.nanoTime() + nanos);
			task.start();
		}

		private void prepare() {
			if (this.executor.isShutdown()) {
				return;
			}
			if (JdbcLockMaintenance.this.table.prepareLater()) {
				this.prepare.stop();
			}
			else {
				this.prepare.wakeUpAt(System.nanoTime() + PREPARE_INTERVAL.toNanos());
			}
		}

		private void cleanUp() {
			try {
				run(this.cleanup);
			}
			finally {
				this.cleanUp.wakeUpAt(System.nanoTime() + this.cleanupNanos);
			}
		}

		void stop() {
			this.prepare.stop();
			this.cleanUp.stop();
			this.executor.shutdown();
			this.cleanup.close();
			DaemonThreads.awaitEnd(this.executor, STOP_TIMEOUT);
		}

	}

}
