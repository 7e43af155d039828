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

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Owner of permits that any thread of this process may release. Guarded by the monitor of
 * the queue of its hold.
 */
final class PermitOwner {

	private final Thread thread;

	private int permits;

	private @Nullable CompletableFuture<@Nullable Void> division;

	PermitOwner(Thread thread) {
		this.thread = thread;
	}

	/**
	 * Return whether a thread has acquired the permits.
	 */
	boolean isAcquiredBy(Thread other) {
		return this.thread == other;
	}

	/**
	 * Return the number of permits that are not released yet, nor claimed to be released.
	 */
	int permits() {
		return this.permits;
	}

	void add(int permits) {
		this.permits += permits;
	}

	/**
	 * Return what is completed when a part of the permits is released, or {@code null} if
	 * none is just being released.
	 */
	@Nullable CompletableFuture<@Nullable Void> division() {
		return this.division;
	}

	void setDivision(@Nullable CompletableFuture<@Nullable Void> division) {
		this.division = division;
	}

	@Override
	public String toString() {
		return this.thread.toString();
	}

}
