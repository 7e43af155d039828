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

package io.github.lockspring.migration.redisson;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.migration.Payments;
import io.github.lockspring.migration.Work;

/**
 * With both locks.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class BothApplication {

	@Bean(defaultCandidate = false)
	LettuceConnectionFactory lockConnectionFactory(DataRedisProperties redis) {
		return new LettuceConnectionFactory(redis.getHost(), redis.getPort());
	}

	@Bean
	Payments payments(RedissonClient redisson, LockOperations locks, Work work) {
		return new LockedPayments(redisson, locks, work);
	}

	static class LockedPayments implements Payments {

		private final RedissonClient redisson;

		private final LockOperations locks;

		private final Work work;

		LockedPayments(RedissonClient redisson, LockOperations locks, Work work) {
			this.redisson = redisson;
			this.locks = locks;
			this.work = work;
		}

		@Override
		public void pay(long id) throws InterruptedException {
			RLock old = this.redisson.getLock("order:" + id);
			if (!old.tryLock(100, TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException("busy");
			}
			try {
				LockOptions options = this.locks.defaultOptions().withWaitTime(Duration.ofMillis(100));
				this.locks.executeWithoutResult("order:" + id, options, (lock) -> this.work.run());
			}
			finally {
				old.unlock();
			}
		}

	}

}
