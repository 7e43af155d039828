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

package io.github.lockspring.redis.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Since when the tokens that a server grants lead its clock: since it has taken over, for
 * a minute. They lead it by half a minute at first, and then by less and less, growing
 * half as fast as the clock, so that they are larger than those of the former primary,
 * which may still grant some unknowingly, and by its own clock. The scripts remember a
 * token until the clock has passed it.
 * <p>
 * Processes detect a failover at different times. Where one server has all keys, it keeps
 * the latest of these times on a key of its own, and all that is granted goes by that.
 */
public final class TokenLead {

	private static final long SPAN_NANOS = Duration.ofMinutes(1).toNanos();

	private static final byte[] MARK = text("mark");

	private volatile long beginNanos = System.nanoTime() - SPAN_NANOS;

	private volatile boolean kept;

	/**
	 * Keep on the server since when tokens lead, because processes may differ in that.
	 */
	public void keep() {
		this.kept = true;
	}

	/**
	 * Return whether the server keeps since when tokens lead.
	 */
	public boolean isKept() {
		return this.kept;
	}

	/**
	 * Record a failover.
	 * @param ago how long that is ago
	 */
	public void begin(Duration ago) {
		long remaining = SPAN_NANOS - Math.min(ago.toNanos(), SPAN_NANOS);
		this.beginNanos = System.nanoTime() + Math.max(remaining, remainingNanos()) - SPAN_NANOS;
	}

	private long remainingNanos() {
		return Math.max(0, SPAN_NANOS - (System.nanoTime() - this.beginNanos));
	}

	/**
	 * Return the argument of a script that may grant: since when tokens lead, as far as
	 * this process knows, and whether the server keeps that.
	 * @return the argument, or {@code null} if there is none
	 */
	public byte @Nullable [] argument() {
		long remaining = remainingNanos();
		if (remaining == 0) {
			return this.kept ? MARK : null;
		}
		return text((this.kept ? "mark " : "lead ") + TimeUnit.NANOSECONDS.toMicros(SPAN_NANOS - remaining));
	}

	private static byte[] text(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
