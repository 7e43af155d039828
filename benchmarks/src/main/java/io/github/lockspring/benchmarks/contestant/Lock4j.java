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
import java.util.List;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Lock4j on its executor for Spring's template, with leases of 30 seconds. Leases that it
 * renews are not for the machine of a benchmark: it starts a thread for each of them, and
 * another one each time it renews it.
 */
public final class Lock4j implements Contestant {

	private static final long LEASE_TIME = Duration.ofSeconds(30).toMillis();

	private static final long WAIT_TIME = Duration.ofMinutes(10).toMillis();

	private static final String PREFIX = "bench-lock4j:";

	private final LettuceConnectionFactory factory;

	private final LockTemplate locks = new LockTemplate();

	public Lock4j(LettuceConnectionFactory factory) {
		this.factory = factory;
		Lock4jProperties properties = new Lock4jProperties();
		this.locks.setProperties(properties);
		this.locks.setExecutors(List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(factory), properties)));
		try {
			this.locks.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Hold acquire(String key) {
		return require(lock(key, WAIT_TIME), key);
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		return lock(key, 1);
	}

	private @Nullable Hold lock(String key, long waitTime) {
		LockInfo lock = this.locks.lock(PREFIX + key, LEASE_TIME, waitTime);
		return (lock != null) ? () -> this.locks.releaseLock(lock) : null;
	}

	private static Hold require(@Nullable Hold hold, String key) {
		if (hold == null) {
			throw new IllegalStateException("Another holds " + key);
		}
		return hold;
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

}
