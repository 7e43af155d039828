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

import org.jspecify.annotations.Nullable;

/**
 * Owner that holds a key, as recorded in the store.
 *
 * @param owner the text of the {@link OwnerId}; of an owner that has released the key
 * with a delay that is not over, it contains an exclamation mark
 * @param process the process of the owner, or {@code null} if the backend does not record
 * it, or an earlier version recorded it differently
 * @param mode the mode of the lease
 * @param token the last fencing token of the lease's block, or, if it is known, the one
 * of the holder; 0 from a backend without {@link Capability#FENCING}
 * @param remaining the time until the lease ends if it is not renewed
 */
public record LeaseHolder(String owner, @Nullable ProcessName process, LeaseMode mode, long token, Duration remaining) {

	/**
	 * Create a holder of which the process is unknown.
	 * @param owner the text of the {@link OwnerId}
	 * @param mode the mode of the lease
	 * @param token the last fencing token of the lease's block, or 0
	 * @param remaining the time until the lease ends if it is not renewed
	 */
	public LeaseHolder(String owner, LeaseMode mode, long token, Duration remaining) {
		this(owner, null, mode, token, remaining);
	}

	/**
	 * Return whether the owner has released the key, with a delay that is not over.
	 * @return whether no process holds the key, although it is locked
	 */
	public boolean isReleased() {
		return this.owner.indexOf('!') >= 0;
	}

	/**
	 * Return whether the owner belongs to a process.
	 * @param instance the {@linkplain OwnerId#instance() identifier} of the process
	 * @return whether the process made the request
	 */
	public boolean isOf(String instance) {
		return this.owner.startsWith(instance);
	}

}
