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

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Runs everything in the thread that asks, so that the work of the timer is done when the
 * timer sleeps.
 */
final class DirectExecutor extends ControlledExecutor {

	private static final ThreadLocal<Integer> running = ThreadLocal.withInitial(() -> 0);

	private final ConcurrentLinkedQueue<Throwable> rejections = new ConcurrentLinkedQueue<>();

	/**
	 * Has the next task rejected.
	 */
	void rejectNext(Throwable rejection) {
		this.rejections.add(rejection);
	}

	@Override
	public void execute(Runnable command) {
		Throwable rejection = this.rejections.poll();
		if (rejection instanceof Error error) {
			throw error;
		}
		if (rejection instanceof RuntimeException exception) {
			throw exception;
		}
		int depth = running.get();
		running.set(depth + 1);
		try {
			command.run();
		}
		finally {
			running.set(depth);
		}
	}

	/**
	 * Whether the current thread runs a task.
	 */
	static boolean isRunning() {
		return running.get() > 0;
	}

}
