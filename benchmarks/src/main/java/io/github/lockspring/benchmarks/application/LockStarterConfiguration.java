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
package io.github.lockspring.benchmarks.application;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.concurrent.LockClient;

/**
 * What the starter adds, and a bean with a method that is locked.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration(LockAutoConfiguration.class)
@Profile(LockStarter.NAME)
class LockStarterConfiguration {

	@Bean(destroyMethod = "")
	Contestant contestant(LockTemplate template, LockClient client) {
		return new LockStarter(template, client, () -> {
		});
	}

	@Bean
	Payments payments() {
		return new Payments();
	}

	/**
	 * A service that locks by the annotation.
	 */
	static class Payments {

		@DistributedLock(name = "payments", key = "#id")
		public void pay(long id) {
			// nothing is ever paid
		}

	}

}
