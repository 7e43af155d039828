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

package io.github.lockspring.concurrent;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs an action in a thread of its own.
 *
 * @param <T> the type of the result
 */
final class TestThread<T> {

	final CompletableFuture<T> result = new CompletableFuture<>();

	final Thread thread;

	volatile boolean interruptedAtEnd;

	TestThread(Callable<T> action) {
		this.thread = new Thread(() -> run(action));
		this.thread.setDaemon(true);
	}

	/**
	 * Starts an action.
	 */
	static <T> TestThread<T> start(Callable<T> action) {
		TestThread<T> started = new TestThread<>(action);
		started.thread.start();
		return started;
	}

	/**
	 * Runs an action in another thread, and returns its result.
	 */
	static <T> T call(Callable<T> action) {
		return start(action).get();
	}

	private void run(Callable<T> action) {
		try {
			T value = action.call();
			this.interruptedAtEnd = Thread.currentThread().isInterrupted();
			this.result.complete(value);
		}
		catch (Throwable ex) {
			this.interruptedAtEnd = Thread.currentThread().isInterrupted();
			this.result.completeExceptionally(ex);
		}
	}

	T get() {
		try {
			return this.result.get(2, TimeUnit.MINUTES);
		}
		catch (InterruptedException | ExecutionException | TimeoutException ex) {
			throw new AssertionError("Stuck or failed: " + List.of(this.thread.getStackTrace()), ex);
		}
	}

	Throwable failure() {
		try {
			throw new AssertionError("Did not fail: " + this.result.get(2, TimeUnit.MINUTES));
		}
		catch (ExecutionException ex) {
			return ex.getCause();
		}
		catch (InterruptedException | TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

}
