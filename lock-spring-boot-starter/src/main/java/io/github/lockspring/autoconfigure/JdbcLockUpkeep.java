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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
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

/**
 * What is done to the table of locks in the background: it is created or checked as soon
 * as the database can be reached, and rows of keys that nobody has locked for long are
 * removed from time to time.
 * <p>
 * Nothing is interrupted when this stops, because some databases in the same process do
 * not survive that.
 */
final class JdbcLockUpkeep implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(JdbcLockUpkeep.class);

	private static final Duration PREPARE_INTERVAL = Duration.ofSeconds(5);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(1);

	private final JdbcLockTable table;

	private final LockProperties.Jdbc properties;

	private @Nullable ScheduledExecutorService executor;

	private @Nullable JdbcLockCleanup cleanup;

	/**
	 * Checks the properties.
	 * @throws InvalidConfigurationPropertyValueException if one of them is out of range
	 */
	JdbcLockUpkeep(JdbcLockTable table, LockProperties.Jdbc properties) {
		LockProperties.Jdbc.Cleanup cleanup = properties.getCleanup();
		require("interval", cleanup.getInterval(), Duration.ofSeconds(1), "one second");
		require("retention", cleanup.getRetention(), JdbcLockCleanup.MIN_RETENTION, "one hour");
		this.table = table;
		this.properties = properties;
	}

	private static void require(String name, Duration value, Duration least, String leastForPeople) {
		if (value.compareTo(least) < 0) {
			throw new InvalidConfigurationPropertyValueException("lock.jdbc.cleanup." + name, value,
					"It must be " + leastForPeople + " at least.");
		}
	}

	@Override
	public synchronized void start() {
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, JdbcLockUpkeep::newThread);
		executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		this.executor = executor;
		if (!this.table.isPrepared()) {
			prepareIn(PREPARE_INTERVAL, executor);
		}
		if (this.properties.getCleanup().isEnabled()) {
			this.cleanup = scheduled(executor);
		}
	}

	private static Thread newThread(Runnable task) {
		return DaemonThreads.create("lock-jdbc-upkeep", task);
	}

	private void prepareIn(Duration delay, ScheduledExecutorService executor) {
		executor.schedule(() -> prepare(executor), delay.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void prepare(ScheduledExecutorService executor) {
		if (!this.table.prepareLater() && !executor.isShutdown()) {
			prepareIn(PREPARE_INTERVAL, executor);
		}
	}

	/**
	 * Begins at any time in the first interval, so that processes that start together do
	 * not clean up together.
	 */
	private JdbcLockCleanup scheduled(ScheduledExecutorService executor) {
		LockProperties.Jdbc.Cleanup settings = this.properties.getCleanup();
		JdbcLockCleanup cleanup = new JdbcLockCleanup(this.table.dataSource(), this.properties.getTableName(),
				settings.getRetention());
		long millis = Durations.cap(settings.getInterval()).toMillis();
		executor.scheduleWithFixedDelay(() -> run(cleanup), ThreadLocalRandom.current().nextLong(millis), millis,
				TimeUnit.MILLISECONDS);
		return cleanup;
	}

	private static void run(JdbcLockCleanup cleanup) {
		try {
			long rows = cleanup.removeOldRows();
			logger.debug("Removed " + rows + " rows of keys that nobody has locked for long");
		}
		catch (BackendException ex) {
			logger.debug("Could not remove rows of keys that nobody has locked for long", ex);
		}
		catch (RuntimeException ex) {
			logger.warn("Could not remove rows of keys that nobody has locked for long", ex);
		}
	}

	@Override
	public synchronized void stop() {
		ScheduledExecutorService executor = this.executor;
		this.executor = null;
		if (executor != null) {
			executor.shutdown();
			closeCleanup();
			awaitEnd(executor);
		}
	}

	private void closeCleanup() {
		if (this.cleanup != null) {
			this.cleanup.close();
			this.cleanup = null;
		}
	}

	private static void awaitEnd(ScheduledExecutorService executor) {
		try {
			executor.awaitTermination(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.executor != null;
	}

	@Override
	public int getPhase() {
		return LockLifecycle.PHASE;
	}

}
