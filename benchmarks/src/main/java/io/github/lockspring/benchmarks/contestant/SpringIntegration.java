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

package io.github.lockspring.benchmarks.contestant;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's {@link JdbcLockRegistry} with leases of 30 seconds. Who renews
 * there must be the thread that acquired; so one thread does both for all leases, each
 * third of the lease time.
 */
public final class SpringIntegration implements Contestant {

	private static final Duration LEASE_TIME = Duration.ofSeconds(30);

	private final ScheduledExecutorService renewals = Executors.newSingleThreadScheduledExecutor();

	private final HikariDataSource dataSource;

	private final DefaultLockRepository repository;

	private final JdbcLockRegistry locks;

	public SpringIntegration(HikariDataSource dataSource) {
		this.dataSource = dataSource;
		this.repository = new DefaultLockRepository(dataSource);
		this.repository.setTransactionManager(new JdbcTransactionManager(dataSource));
		this.repository.afterPropertiesSet();
		this.repository.afterSingletonsInstantiated();
		this.repository.start();
		this.locks = new JdbcLockRegistry(this.repository, LEASE_TIME);
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		Lock lock = this.locks.obtain(key);
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		Lock lock = this.locks.obtain(key);
		return lock.tryLock() ? lock::unlock : null;
	}

	@Override
	public Hold acquireRenewed(String key) throws InterruptedException {
		Hold hold = inRenewingThread(() -> acquire(key));
		long interval = LEASE_TIME.toMillis() / 3;
		ScheduledFuture<?> renewal = this.renewals.scheduleAtFixedRate(() -> this.locks.renewLock(key), interval,
				interval, TimeUnit.MILLISECONDS);
		return () -> release(hold, renewal);
	}

	private void release(Hold hold, ScheduledFuture<?> renewal) {
		renewal.cancel(false);
		try {
			inRenewingThread(Executors.callable(hold::release));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private <T> T inRenewingThread(Callable<T> action) throws InterruptedException {
		try {
			return this.renewals.submit(action).get();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
	}

	@Override
	public void close() {
		this.renewals.shutdownNow();
		this.repository.stop();
		this.dataSource.close();
	}

}
