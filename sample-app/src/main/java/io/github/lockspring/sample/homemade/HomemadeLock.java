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

package io.github.lockspring.sample.homemade;

import java.time.Duration;

/**
 * What the locks of this package have in common. An instance has one owner at a time.
 */
public interface HomemadeLock extends AutoCloseable {

	/**
	 * Try once to get the lock.
	 * @return whether the lock is held now
	 */
	boolean tryLock() throws Exception;

	/**
	 * Try to get the lock until a time is over: here every ten milliseconds.
	 * @param waitTime how long
	 * @return whether the lock is held now
	 */
	default boolean tryLock(Duration waitTime) throws Exception {
		long deadline = System.nanoTime() + waitTime.toNanos();
		while (!tryLock()) {
			if (System.nanoTime() >= deadline) {
				return false;
			}
			Thread.sleep(10);
		}
		return true;
	}

	/**
	 * Release the lock.
	 */
	void unlock() throws Exception;

	/**
	 * End the threads of the lock, if there are any.
	 */
	@Override
	default void close() {
	}

}
