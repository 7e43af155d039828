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

package io.github.lockspring.spi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The two clocks by which the validity of a lease is measured, and the methods to wait
 * for them. Tests use an implementation with a settable time.
 */
public interface TimeSource {

	/**
	 * The clocks of the machine.
	 */
	TimeSource SYSTEM = new TimeSource() {

		private static final long TEN_YEARS = TimeUnit.DAYS.toNanos(3_650);

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public long currentTimeMillis() {
			return System.currentTimeMillis();
		}

		@Override
		public void parkNanos(Object blocker, long nanos) {
			if (nanos < TEN_YEARS) {
				LockSupport.parkNanos(blocker, nanos);
			}
			else {
				LockSupport.park(blocker); // a timer would cost a tenth of a hand-off
			}
		}

	};

	/**
	 * The monotonic clock, which stands still while the machine is suspended.
	 * @return nanoseconds since some moment
	 */
	long nanoTime();

	/**
	 * Return the time of the wall clock, which may jump.
	 * @return milliseconds since 1970
	 */
	long currentTimeMillis();

	/**
	 * Park the current thread as {@link LockSupport#parkNanos(Object, long)} does.
	 * @param blocker what the thread waits for
	 * @param nanos how long at most, by the monotonic clock
	 */
	void parkNanos(Object blocker, long nanos);

}
