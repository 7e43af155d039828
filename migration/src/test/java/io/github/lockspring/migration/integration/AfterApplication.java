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

package io.github.lockspring.migration.integration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.migration.Payments;
import io.github.lockspring.migration.Work;

/**
 * With the lock of this library.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class AfterApplication {

	@Bean
	Payments payments(LockClient client, Work work) {
		return new LockedPayments(client, work);
	}

	static class LockedPayments implements Payments {

		private final LockClient client;

		private final Work work;

		LockedPayments(LockClient client, Work work) {
			this.client = client;
			this.work = work;
		}

		@Override
		public void pay(long id) throws InterruptedException {
			Lock lock = this.client.lock("order:" + id);
			if (!lock.tryLock(100, TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException("busy");
			}
			try {
				this.work.run();
			}
			finally {
				lock.unlock();
			}
		}

	}

}
