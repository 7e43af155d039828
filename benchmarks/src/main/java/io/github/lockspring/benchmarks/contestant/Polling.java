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
import java.util.concurrent.ThreadLocalRandom;

/**
 * Waits for one that cannot: tries again and again, with a random pause of 10 ms at most.
 */
final class Polling {

	private static final long MAX_PAUSE_NANOS = Duration.ofMillis(10).toNanos();

	private Polling() {
	}

	static Contestant.Hold acquire(Contestant contestant, String key) throws InterruptedException {
		Contestant.Hold hold = contestant.tryAcquire(key);
		while (hold == null) {
			Thread.sleep(Duration.ofNanos(ThreadLocalRandom.current().nextLong(MAX_PAUSE_NANOS)).toMillis() + 1);
			hold = contestant.tryAcquire(key);
		}
		return hold;
	}

}
