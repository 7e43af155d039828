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
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.jspecify.annotations.Nullable;

/**
 * ShedLock on any of its providers. It does not wait, so its waiting is {@link Polling}.
 * Leases that are kept alive go through its {@code KeepAliveLockProvider}.
 */
public final class ShedLock implements Contestant {

	private static final Duration LEASE_TIME = Duration.ofSeconds(30);

	private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

	private final LockProvider locks;

	private final LockProvider renewedLocks;

	private final Runnable cleanUp;

	/**
	 * Takes a provider.
	 * @param provider the provider
	 * @param cleanUp closes what the provider works on
	 */
	public ShedLock(ExtensibleLockProvider provider, Runnable cleanUp) {
		this.locks = provider;
		this.renewedLocks = new KeepAliveLockProvider(provider, this.scheduler);
		this.cleanUp = cleanUp;
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		return Polling.acquire(this, key);
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		return tryAcquire(this.locks, key);
	}

	@Override
	public Hold acquireRenewed(String key) {
		Hold hold = tryAcquire(this.renewedLocks, key);
		if (hold == null) {
			throw new IllegalStateException("Another holds " + key);
		}
		return hold;
	}

	private static @Nullable Hold tryAcquire(LockProvider locks, String key) {
		Optional<SimpleLock> lock = locks.lock(new LockConfiguration(Instant.now(), key, LEASE_TIME, Duration.ZERO));
		return lock.isPresent() ? lock.get()::unlock : null;
	}

	@Override
	public void close() {
		this.scheduler.shutdownNow();
		this.cleanUp.run();
	}

}
