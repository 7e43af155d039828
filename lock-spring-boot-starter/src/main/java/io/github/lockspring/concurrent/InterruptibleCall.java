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

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

import io.github.lockspring.support.DaemonThreads;

/**
 * Future result of a call that waits in a thread of its own, which is interrupted when
 * the future is cancelled, or completed by others.
 */
final class InterruptibleCall extends CompletableFuture<Boolean> {

	private static final ThreadFactory THREADS = DaemonThreads.virtualOrNamed("lock-barrier-");

	/**
	 * Start a call.
	 * @param call the call
	 * @param undo run if the call returned {@code true} after the future was completed by
	 * others
	 */
	static CompletableFuture<Boolean> start(Callable<Boolean> call, Runnable undo) {
		InterruptibleCall future = new InterruptibleCall();
		Thread thread = THREADS.newThread(() -> future.run(call, undo));
		future.whenComplete((result, failure) -> {
			if (Thread.currentThread() != thread) {
				thread.interrupt();
			}
		});
		thread.start();
		return future;
	}

	private void run(Callable<Boolean> call, Runnable undo) {
		try {
			boolean result = call.call();
			if (!complete(result) && result) {
				undo.run();
			}
		}
		catch (Throwable ex) {
			completeExceptionally(ex);
		}
	}

}
