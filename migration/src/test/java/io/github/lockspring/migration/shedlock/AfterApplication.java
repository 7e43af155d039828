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

package io.github.lockspring.migration.shedlock;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.github.lockspring.ClusterJob;
import io.github.lockspring.migration.Work;

/**
 * With the lock of this library.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class AfterApplication {

	@Bean
	Prices prices(Work work) {
		return new Prices(work);
	}

	static class Prices implements Runnable {

		private final Work work;

		Prices(Work work) {
			this.work = work;
		}

		@Override
		@Scheduled(cron = "${prices.cron}")
		@ClusterJob(name = "prices", lockAtLeastFor = "${prices.at-least}")
		public void run() {
			this.work.run();
		}

	}

}
