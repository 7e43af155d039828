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

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.DaemonThreads;

/**
 * Threads for one kind of work of an engine, so that no kind waits for another. Each task
 * has its own virtual thread where the JDK supports them; otherwise there is a pool that
 * grows to a limit, beyond which tasks are queued. There are no idle threads without
 * work. Tasks are rejected unless this is started; it can be stopped and started again.
 * <p>
 * Thread-safe.
 */
final class Workers implements Executor {

	private static final long IDLE_SECONDS = 5;

	private final Supplier<StartedExecutor> source;

	private volatile @Nullable StartedExecutor started;

	private Workers(Supplier<StartedExecutor> source) {
		this.source = source;
	}

	/**
	 * Create workers.
	 * @param prefix the prefix of the thread names
	 * @param limit the maximum number of platform threads
	 */
	static Workers of(String prefix, int limit) {
		ThreadFactory virtual = DaemonThreads.virtualNamed(prefix);
		return (virtual != null) ? of((task) -> virtual.newThread(task).start(), () -> {
		}) : ofPlatform(prefix, limit);
	}

	/**
	 * Create workers whose threads do not depend on carrier threads used by virtual
	 * threads of the application.
	 */
	static Workers ofPlatform(String prefix, int limit) {
		return new Workers(() -> {
			Pool pool = new Pool(limit, DaemonThreads.named(prefix));
			return new StartedExecutor(pool, pool::shutdown);
		});
	}

	/**
	 * Create workers that delegate their tasks to the given executor.
	 */
	static Workers of(Executor executor, Runnable shutdown) {
		return new Workers(() -> new StartedExecutor(executor, shutdown));
	}

	void start() {
		this.started = this.source.get();
	}

	/**
	 * Reject tasks from now on. Those that were accepted are still run.
	 */
	void stop() {
		StartedExecutor started = this.started;
		this.started = null;
		if (started != null) {
			started.shutdown.run();
		}
	}

	@Override
	public void execute(Runnable task) {
		StartedExecutor started = this.started;
		if (started == null) {
			throw new RejectedExecutionException("The application is shutting down");
		}
		started.executor.execute(task);
	}

	/**
	 * Executor of the tasks between a start and a stop.
	 */
	private record StartedExecutor(Executor executor, Runnable shutdown) {
	}

	/**
	 * Run a task in an idle thread, or else in a new one, or else queue it. (A pool of
	 * the JDK would make a new thread although others are idle, or would not make any
	 * before its queue is full.)
	 */
	private static final class Pool extends ThreadPoolExecutor {

		Pool(int limit, ThreadFactory threads) {
			super(0, limit, IDLE_SECONDS, TimeUnit.SECONDS, new IdleFirst(), threads, Pool::putInQueue);
		}

		private static void putInQueue(Runnable task, ThreadPoolExecutor pool) {
			if (pool.isShutdown()) {
				throw new RejectedExecutionException("The application is shutting down");
			}
			((IdleFirst) pool.getQueue()).put(task);
			if (pool.getPoolSize() == 0 && pool.getQueue().remove(task)) {
				pool.execute(task); // all threads have ended in the meantime
			}
		}

	}

	/**
	 * Accepts a task immediately only if a thread waits for one.
	 */
	private static final class IdleFirst extends LinkedTransferQueue<Runnable> {

		@Override
		public boolean offer(Runnable task) {
			return tryTransfer(task);
		}

	}

}
