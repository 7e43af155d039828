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

import org.jspecify.annotations.Nullable;

/**
 * Lead of the tokens of a server over its clock, for a minute after a failover. The lead
 * is half a minute at first. It decreases to zero, because tokens then increase half as
 * fast as the clock. The tokens are therefore larger than those of the former primary,
 * which may still grant some by its own clock before it detects the failover. The scripts
 * keep a token until the clock has passed it.
 * <p>
 * Processes detect a failover at different times. If one server has all keys, it stores
 * the latest of these times in a separate key, and uses it for all grants.
 */
final class TokenLead {

	private static final long SPAN_NANOS = Duration.ofMinutes(1).toNanos();

	private static final byte[] MARK = RedisCall.arg("mark");

	private volatile long beginNanos = System.nanoTime() - SPAN_NANOS;

	private volatile boolean kept;

	/**
	 * Store the time of the failover on the server, because processes may detect it at
	 * different times.
	 */
	void keep() {
		this.kept = true;
	}

	/**
	 * Return whether the server stores the time of the failover.
	 */
	boolean isKept() {
		return this.kept;
	}

	/**
	 * Record a failover.
	 * @param ago the time since the failover
	 */
	void begin(Duration ago) {
		long remaining = SPAN_NANOS - Math.min(ago.toNanos(), SPAN_NANOS);
		this.beginNanos = System.nanoTime() + Math.max(remaining, remainingNanos()) - SPAN_NANOS;
	}

	private long remainingNanos() {
		return Math.max(0, SPAN_NANOS - (System.nanoTime() - this.beginNanos));
	}

	/**
	 * Return the argument of a script that may grant: the time since the last failover
	 * that this process detected, and whether the server stores its time.
	 * @return the argument, or {@code null} if there is none
	 */
	byte @Nullable [] argument() {
		long elapsed = System.nanoTime() - this.beginNanos;
		if (elapsed >= SPAN_NANOS) {
			return this.kept ? MARK : null;
		}
		return RedisCall.arg((this.kept ? "mark " : "lead ") + TimeUnit.NANOSECONDS.toMicros(elapsed));
	}

}
