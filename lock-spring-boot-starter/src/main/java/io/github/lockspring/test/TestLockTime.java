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

package io.github.lockspring.test;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.TimeSource;

/**
 * Clock of the engines in a test. A thread that waits for a lock which it holds itself,
 * as another process, would wait in vain: the clock is advanced by its wait time.
 */
final class TestLockTime implements TimeSource {

	private final SettableTime time;

	private volatile @Nullable TestLocks locks;

	TestLockTime(TestLockStores stores) {
		this.time = stores.time();
	}

	void skipWaitsOf(TestLocks locks) {
		this.locks = locks;
	}

	@Override
	public long nanoTime() {
		return this.time.nanoTime();
	}

	@Override
	public long currentTimeMillis() {
		return this.time.currentTimeMillis();
	}

	@Override
	public void parkNanos(Object blocker, long nanos) {
		TestLocks locks = this.locks;
		if (nanos > 0 && locks != null && locks.isInVain(blocker)) {
			locks.advance(Duration.ofNanos(nanos));
		}
		else {
			this.time.parkNanos(blocker, nanos);
		}
	}

}
