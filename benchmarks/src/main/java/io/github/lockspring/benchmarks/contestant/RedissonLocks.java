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

import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with its defaults: its locks have leases of 30 seconds, which it renews.
 */
public final class RedissonLocks implements Contestant {

	private final RedissonClient client;

	private final BiFunction<RedissonClient, String, RLock> locks;

	private RedissonLocks(String uri, BiFunction<RedissonClient, String, RLock> locks) {
		Config config = new Config();
		config.useSingleServer().setAddress(uri);
		this.client = Redisson.create(config);
		this.locks = locks;
	}

	public static RedissonLocks plain(String uri) {
		return new RedissonLocks(uri, (client, key) -> client.getLock("bench-redisson:" + key));
	}

	public static RedissonLocks fair(String uri) {
		return new RedissonLocks(uri, (client, key) -> client.getFairLock("bench-redisson-fair:" + key));
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		RLock lock = this.locks.apply(this.client, key);
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		RLock lock = this.locks.apply(this.client, key);
		return lock.tryLock() ? lock::unlock : null;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
