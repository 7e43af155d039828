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

import org.jspecify.annotations.Nullable;

/**
 * One who locks, as the workloads see it. A contestant is configured as its users would
 * configure it; the workloads know nothing of that.
 * <p>
 * Used by many threads at once; a hold is released by the thread that acquired it.
 */
public interface Contestant extends AutoCloseable {

	/**
	 * Acquires, waiting as long as it takes.
	 * @param key the key
	 * @return what is held
	 */
	Hold acquire(String key) throws InterruptedException;

	/**
	 * Tries once to acquire.
	 * @param key the key
	 * @return what is held, or {@code null} if another holds the key
	 */
	@Nullable Hold tryAcquire(String key) throws InterruptedException;

	/**
	 * Acquires a lease of 30 seconds that is renewed until it is released.
	 * @param key the key, which no other thread requests
	 * @return what is held
	 */
	default Hold acquireRenewed(String key) throws InterruptedException {
		return acquire(key);
	}

	@Override
	void close();

	/**
	 * An acquisition.
	 */
	@FunctionalInterface
	interface Hold {

		void release();

	}

}
