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

package io.github.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * Result of an attempt to run an action under a lock: whether the action ran, and its
 * return value.
 *
 * @param <T> the type of the result
 */
public final class LockResult<T extends @Nullable Object> {

	private static final LockResult<?> NOT_ACQUIRED = new LockResult<>(false, null);

	private final boolean executed;

	private final @Nullable T value;

	private LockResult(boolean executed, @Nullable T value) {
		this.executed = executed;
		this.value = value;
	}

	static <T extends @Nullable Object> LockResult<T> executed(T value) {
		return new LockResult<>(true, value);
	}

	@SuppressWarnings("unchecked")
	static <T extends @Nullable Object> LockResult<T> notAcquired() {
		return (LockResult<T>) NOT_ACQUIRED;
	}

	/**
	 * Return whether the lock was acquired and the action ran.
	 * @return {@code false} if the lock was held by another owner
	 */
	public boolean isExecuted() {
		return this.executed;
	}

	/**
	 * Return the result of the action.
	 * @return the result, or {@code null} if the action did not run
	 */
	public @Nullable T value() {
		return this.value;
	}

	@Override
	public String toString() {
		return this.executed ? "executed: " + this.value : "not acquired";
	}

}
