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

package io.github.lockspring.engine;

import java.util.concurrent.locks.LockSupport;

import io.github.lockspring.spi.TimeSource;

/**
 * Time for model checking. It stands still for most threads, which sleep until they are
 * woken: if they are not woken, the model checker reports that all threads are blocked.
 * For others it advances with every reading, and they do not sleep at all.
 */
final class ModelTime implements TimeSource {

	private final ThreadLocal<long[]> looks = new ThreadLocal<>();

	/**
	 * Advance the time with every reading of the current thread.
	 */
	void advanceWithReadings() {
		this.looks.set(new long[1]);
	}

	/**
	 * Stand still for the current thread again.
	 */
	void standStill() {
		this.looks.remove();
	}

	@Override
	public long nanoTime() {
		long[] looks = this.looks.get();
		return (looks != null) ? ++looks[0] : 0;
	}

	@Override
	public long currentTimeMillis() {
		return 0;
	}

	@Override
	public void parkNanos(Object blocker, long nanos) {
		if (this.looks.get() == null) {
			LockSupport.park(blocker);
		}
	}

}
