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

import java.time.Duration;

/**
 * Somebody else holds the key, or is before the request in the queue.
 *
 * @param retryAfter the time after which another attempt may make sense if no news comes
 * before; a guess
 * @param stamp names this denial among all that the request ever gets, so that
 * {@linkplain BackendListener#onGranted news of a grant} can tell which one they follow
 */
public record Denial(Duration retryAfter, long stamp) implements Attempt {

	/**
	 * A denial of which nobody knows how long it will last.
	 */
	public static final Denial UNKNOWN_DURATION = new Denial(Duration.ofSeconds(Long.MAX_VALUE));

	/**
	 * Creates a denial that no unasked grant will follow.
	 * @param retryAfter the time after which another attempt may make sense
	 */
	public Denial(Duration retryAfter) {
		this(retryAfter, 0);
	}

}
