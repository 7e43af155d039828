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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * By how much the tokens that a server grants lead its clock: not at all, but for half a
 * minute after it has taken over. In that time it grants no token that is smaller than
 * its clock will show at the end, so that its tokens are larger than those of the former
 * primary, which may go on to grant some without knowing, and by a clock of its own. The
 * scripts remember a token until the clock has passed it.
 */
final class TokenLead {

	private static final long SPAN_NANOS = Duration.ofSeconds(30).toNanos();

	private volatile long endNanos = System.nanoTime();

	/**
	 * Takes note that a server has taken over.
	 * @param ago how long that is ago
	 */
	void begin(Duration ago) {
		long rest = SPAN_NANOS - Math.min(ago.toNanos(), SPAN_NANOS);
		this.endNanos = System.nanoTime() + Math.max(rest, nanos());
	}

	/**
	 * The lead in microseconds.
	 */
	long micros() {
		return TimeUnit.NANOSECONDS.toMicros(nanos());
	}

	private long nanos() {
		return Math.max(0, this.endNanos - System.nanoTime());
	}

}
