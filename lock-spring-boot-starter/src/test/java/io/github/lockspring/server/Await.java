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

package io.github.lockspring.server;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waits for a server to reach a state.
 */
final class Await {

	private static final Duration AT_MOST = Duration.ofMinutes(2);

	private Await() {
	}

	/**
	 * Wait until the condition is true; one that throws because a server is away or not
	 * ready is not true yet.
	 * @param what the state, for the message of the exception
	 * @param condition the condition
	 * @throws IllegalStateException if it does not become true
	 */
	static void until(String what, BooleanSupplier condition) {
		long start = System.nanoTime();
		RuntimeException last = null;
		while (System.nanoTime() - start < AT_MOST.toNanos()) {
			try {
				if (condition.getAsBoolean()) {
					return;
				}
			}
			catch (UncheckedIOException | RedisErrorException ex) {
				last = ex;
			}
			pause();
		}
		throw new IllegalStateException("Waited in vain: " + what, last);
	}

	private static void pause() {
		try {
			Thread.sleep(10);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

}
