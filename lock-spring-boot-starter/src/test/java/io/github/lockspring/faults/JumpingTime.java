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

package io.github.lockspring.faults;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.github.lockspring.spi.TimeSource;

/**
 * The clocks of the machine, but someone sets the wall clock.
 */
public final class JumpingTime implements TimeSource {

	private final AtomicLong offsetMillis = new AtomicLong();

	/**
	 * Moves the wall clock.
	 * @param duration how far, negative for backwards
	 */
	public void jump(Duration duration) {
		this.offsetMillis.addAndGet(duration.toMillis());
	}

	@Override
	public long nanoTime() {
		return SYSTEM.nanoTime();
	}

	@Override
	public long currentTimeMillis() {
		return SYSTEM.currentTimeMillis() + this.offsetMillis.get();
	}

	@Override
	public void parkNanos(Object blocker, long nanos) {
		SYSTEM.parkNanos(blocker, nanos);
	}

}
