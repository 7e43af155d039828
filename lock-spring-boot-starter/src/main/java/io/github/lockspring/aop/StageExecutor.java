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

package io.github.lockspring.aop;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * Executor of the bodies of methods that return a stage. It delegates to the executor of
 * the application, or uses dedicated threads if there is none. A body never runs in the
 * submitting thread, which may be in a transaction: if the executor of the application is
 * about to do so, the body is run by a dedicated thread.
 * <p>
 * There are at most {@value #THREADS} dedicated threads, which are created on demand,
 * inherit no thread-locals, and end when they are idle. Further bodies are queued.
 * Thread-safe.
 */
final class StageExecutor implements Executor {

	static final int THREADS = 64;

	private static final int IDLE_SECONDS = 10;

	private final Supplier<@Nullable Executor> application;

	private final SingletonSupplier<ThreadPoolExecutor> own;

	private final AtomicInteger number = new AtomicInteger();

	/**
	 * Create an executor.
	 * @param application supplies the executor of the application; called before the
	 * first body is run
	 * @param classLoader the context class loader of the dedicated threads
	 */
	StageExecutor(Supplier<@Nullable Executor> application, @Nullable ClassLoader classLoader) {
		this.application = SingletonSupplier.of(application);
		this.own = SingletonSupplier.of(() -> createThreads(classLoader));
	}

	private ThreadPoolExecutor createThreads(@Nullable ClassLoader classLoader) {
		ThreadPoolExecutor threads = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), (task) -> createThread(task, classLoader));
		threads.allowCoreThreadTimeOut(true);
		return threads;
	}

	private Thread createThread(Runnable task, @Nullable ClassLoader classLoader) {
		Thread thread = new Thread(null, task, "lock-stage-" + this.number.incrementAndGet(), 0, false);
		thread.setContextClassLoader(classLoader);
		thread.setDaemon(true);
		return thread;
	}

	@Override
	public void execute(Runnable body) {
		Executor executor = this.application.get();
		if (executor != null) {
			new Submission(body).to(executor);
		}
		else {
			executeHere(body);
		}
	}

	private void executeHere(Runnable body) {
		this.own.obtain().execute(body);
	}

	/**
	 * Shut down the dedicated threads: idle ones end immediately, others when they have
	 * finished.
	 */
	public void shutdown() {
		this.own.obtain().shutdown();
	}

	/**
	 * Submission of a body, which detects an executor that runs it in the submitting
	 * thread.
	 */
	private final class Submission implements Runnable {

		private final Runnable body;

		private final Thread caller = Thread.currentThread();

		/**
		 * Indicator that the body is being submitted, accessed only by the submitting
		 * thread.
		 */
		private boolean submitting = true;

		private Submission(Runnable body) {
			this.body = body;
		}

		void to(Executor executor) {
			try {
				executor.execute(this);
			}
			finally {
				this.submitting = false;
			}
		}

		@Override
		public void run() {
			if (Thread.currentThread() == this.caller && this.submitting) {
				executeHere(this.body);
			}
			else {
				this.body.run();
			}
		}

	}

}
