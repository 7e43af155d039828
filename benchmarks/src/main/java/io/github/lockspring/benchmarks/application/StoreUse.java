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

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;

import io.github.lockspring.benchmarks.contestant.Contestant;

/**
 * What an application does with its store, once when it is started, be it with locks or
 * without them.
 */
final class StoreUse implements ApplicationRunner {

	private final Runnable use;

	StoreUse(Runnable use) {
		this.use = use;
	}

	@Override
	public void run(ApplicationArguments arguments) {
		this.use.run();
	}

	/**
	 * Takes the place of the contestant where there is none.
	 * @return one that uses the store and locks nothing
	 */
	Contestant withoutLocks() {
		return new WithoutLocks(this.use);
	}

	private static final class WithoutLocks implements Contestant {

		private static final Hold NOTHING = () -> {
		};

		private final Runnable use;

		private WithoutLocks(Runnable use) {
			this.use = use;
		}

		@Override
		public Hold acquire(String key) {
			this.use.run();
			return NOTHING;
		}

		@Override
		public @Nullable Hold tryAcquire(String key) {
			return acquire(key);
		}

		@Override
		public void close() {
		}

	}

}
