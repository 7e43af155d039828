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
 * Outcome of an attempt that was denied because another owner holds the key or precedes
 * the request in the queue.
 *
 * @param retryAfter an estimate of the time after which another attempt may succeed,
 * unless a notification is received before
 * @param attemptId identifies this denial among all denials of the request, so that a
 * {@linkplain BackendListener#onGranted notification of a grant} can refer to the denial
 * that it follows
 * @param recalled whether the holder was asked to release its
 * {@linkplain LeaseTerms#recallable() recallable} lease for this request, or for another
 * beside which this one waits, and has not answered: once it has, a request in the queue
 * is granted, or receives a hint to retry and is then denied without this
 * @param postponed whether the store was not asked, because others are to acquire the key
 * first: an acquisition whose wait time is over makes another attempt
 */
public record Denial(Duration retryAfter, long attemptId, boolean recalled, boolean postponed) implements Attempt {

	/**
	 * A denial for an unknown time.
	 */
	public static final Denial UNKNOWN_DURATION = new Denial(Duration.ofSeconds(Long.MAX_VALUE));

	/**
	 * Create a denial that will not be followed by a notification of a grant.
	 * @param retryAfter the time after which another attempt may succeed
	 */
	public Denial(Duration retryAfter) {
		this(retryAfter, 0);
	}

	/**
	 * Create a denial by the store.
	 * @param retryAfter the time after which another attempt may succeed
	 * @param attemptId identifies this denial among all denials of the request
	 * @param recalled whether the holder was asked to release its lease
	 */
	public Denial(Duration retryAfter, long attemptId, boolean recalled) {
		this(retryAfter, attemptId, recalled, false);
	}

	/**
	 * Create a denial without a recall.
	 * @param retryAfter the time after which another attempt may succeed
	 * @param attemptId identifies this denial among all denials of the request
	 */
	public Denial(Duration retryAfter, long attemptId) {
		this(retryAfter, attemptId, false);
	}

}
