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
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's {@link RedisLockRegistry} with leases of 30 seconds. It renews
 * only if it is given a scheduler, which the registry for leases that are renewed is. The
 * two have the same keys.
 */
public final class SpringIntegrationRedis implements Contestant {

	private static final Duration LEASE_TIME = Duration.ofSeconds(30);

	private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

	private final LettuceConnectionFactory factory;

	private final RedisLockRegistry locks;

	private final RedisLockRegistry renewedLocks;

	public SpringIntegrationRedis(LettuceConnectionFactory factory, RedisLockType type) {
		this.scheduler.afterPropertiesSet();
		this.factory = factory;
		this.locks = registry(factory, "bench-integration-" + type, type);
		this.renewedLocks = registry(factory, "bench-integration-" + type, type);
		this.renewedLocks.setRenewalTaskScheduler(this.scheduler);
	}

	private static RedisLockRegistry registry(LettuceConnectionFactory factory, String name, RedisLockType type) {
		RedisLockRegistry registry = new RedisLockRegistry(factory, name, LEASE_TIME);
		registry.setRedisLockType(type);
		return registry;
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		return acquire(this.locks, key);
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		Lock lock = this.locks.obtain(key);
		return lock.tryLock() ? lock::unlock : null;
	}

	@Override
	public Hold acquireRenewed(String key) throws InterruptedException {
		return acquire(this.renewedLocks, key);
	}

	private static Hold acquire(RedisLockRegistry locks, String key) throws InterruptedException {
		Lock lock = locks.obtain(key);
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.scheduler.shutdown();
		this.locks.destroy();
		this.renewedLocks.destroy();
		this.factory.destroy();
	}

}
