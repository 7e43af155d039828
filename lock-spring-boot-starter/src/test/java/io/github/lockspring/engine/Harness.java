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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import io.github.lockspring.local.LocalStore;
import io.github.lockspring.local.LocalStores;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Engines on one store, as processes on one server, whose time a test moves. Belongs in a
 * field of the test; {@link #close()} in a method that runs after each test.
 */
final class Harness implements AutoCloseable {

	static final String KEY = "order:42";

	static final Duration LEASE = Duration.ofSeconds(30);

	static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	static final AcquireOptions UNRENEWED = AcquireOptions.exclusive(LEASE, false);

	static final AcquireOptions FAIR = AcquireOptions.fair(LEASE, true);

	static final AcquireOptions SHARED = AcquireOptions.shared(LEASE, true);

	final SettableTime time = newTime();

	final LocalStore store = new LocalStore(this.time);

	final List<String> losses = new CopyOnWriteArrayList<>();

	private final EngineListener listener = new EngineListener() {

		@Override
		public void lost(String key, long token) {
			Harness.this.losses.add(key + "#" + token);
		}

	};

	private final List<FaultyBackend> backends = new CopyOnWriteArrayList<>();

	private final List<LockEngine> engines = new ArrayList<>();

	private final List<HookedTime> clocks = new ArrayList<>();

	private final List<Waiter> waiters = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	/**
	 * Create a clock that does not begin at zero, so that a sum of times differs from
	 * their difference.
	 */
	private static SettableTime newTime() {
		SettableTime time = new SettableTime();
		time.advance(Duration.ofDays(1));
		return time;
	}

	static ConditionFactory await() {
		return Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(Duration.ofMinutes(1));
	}

	FaultyBackend backend() {
		FaultyBackend backend = new FaultyBackend(this.store);
		this.backends.add(backend);
		return backend;
	}

	LockEngine engine() {
		return engine(backend());
	}

	LockEngine engine(FaultyBackend backend) {
		return engine(backend, EngineSettings.defaults());
	}

	LockEngine engine(FaultyBackend backend, EngineSettings settings) {
		return engine(backend, settings, this.time);
	}

	LockEngine engine(FaultyBackend backend, EngineSettings settings, TimeSource time) {
		return add(new LockEngine(backend, settings, this.listener, time));
	}

	LockEngine engine(FaultyBackend backend, ExecutorService executor) {
		return add(new LockEngine(backend, EngineSettings.defaults(), this.listener, this.time, executor));
	}

	/**
	 * An engine without threads of its own beside the timer, which {@link #advance} lets
	 * do all that is due.
	 */
	LockEngine steadyEngine(FaultyBackend backend, EngineSettings settings) {
		return steadyEngine(backend, settings, new DirectExecutor());
	}

	LockEngine steadyEngine(FaultyBackend backend, EngineSettings settings, ExecutorService executor) {
		HookedTime clock = new HookedTime(this.time);
		this.clocks.add(clock);
		return add(new LockEngine(backend, settings, this.listener, clock, executor));
	}

	/**
	 * The clock of the last steady engine.
	 */
	HookedTime clock() {
		return this.clocks.get(this.clocks.size() - 1);
	}

	private LockEngine add(LockEngine engine) {
		this.engines.add(engine);
		return engine;
	}

	/**
	 * Acquires keys for this thread, of which none is waited for.
	 */
	static List<Hold> acquireTogether(LockEngine engine, List<String> keys, AcquireOptions options) {
		List<Hold> holds = engine.acquireTogether(keys, options, Thread.currentThread(), Long.MAX_VALUE);
		return (holds != null) ? holds : List.of();
	}

	/**
	 * Acquires for another owner, in this thread, a key that is not held.
	 */
	static Hold hold(LockEngine engine) {
		return hold(engine, OPTIONS);
	}

	static Hold hold(LockEngine engine, AcquireOptions options) {
		Hold hold = engine.acquireUninterruptibly(KEY, options, new Object(), 0);
		if (hold == null) {
			throw new AssertionError("The key is held");
		}
		return hold;
	}

	/**
	 * Starts to acquire in another thread.
	 */
	Waiter acquire(LockEngine engine, Duration wait) {
		return acquire(engine, OPTIONS, wait);
	}

	Waiter acquire(LockEngine engine, AcquireOptions options, Duration wait) {
		return start(() -> engine.acquire(KEY, options, wait.toNanos()));
	}

	Waiter start(Callable<@Nullable Hold> acquisition) {
		Waiter waiter = new Waiter(acquisition);
		this.waiters.add(waiter);
		this.threads.add(waiter.thread);
		waiter.thread.start();
		return waiter;
	}

	/**
	 * Starts to acquire in another thread, and returns when that thread sleeps.
	 */
	Waiter queued(LockEngine engine, AcquireOptions options, Duration wait) {
		return acquire(engine, options, wait).awaitSleep();
	}

	Waiter queued(LockEngine engine, Duration wait) {
		return queued(engine, OPTIONS, wait);
	}

	/**
	 * Lets steady engines do what is due, moves time, and lets them do what is due then.
	 */
	void advance(Duration duration) {
		this.clocks.forEach(HookedTime::awaitTimer);
		this.time.advance(duration);
		this.clocks.forEach(HookedTime::awaitTimer);
	}

	/**
	 * Moves time step by step.
	 */
	void advance(Duration duration, Duration step) {
		for (Duration rest = duration; !rest.isNegative() && !rest.isZero(); rest = rest.minus(step)) {
			advance((rest.compareTo(step) < 0) ? rest : step);
		}
	}

	/**
	 * Does something that fails when a class logs.
	 */
	static void assertFailureToLog(Class<?> type, ThrowingCallable action) {
		Logger logger = (Logger) LoggerFactory.getLogger(type);
		AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

			@Override
			protected void append(ILoggingEvent event) {
				throw new InternalError("a test");
			}

		};
		appender.start();
		logger.addAppender(appender);
		try {
			assertThatExceptionOfType(InternalError.class).isThrownBy(action);
		}
		finally {
			logger.detachAppender(appender);
		}
	}

	List<LeaseHolder> holders() {
		return backend().inspect(KEY, Duration.ofSeconds(1));
	}

	int sizeOfStore() {
		return LocalStores.size(this.store);
	}

	/**
	 * Checks that nothing is left, neither in the engines nor in the store.
	 */
	void assertNothingLeft() {
		await().untilAsserted(() -> {
			for (LockEngine engine : this.engines) {
				if (engine.size() != 0) {
					throw new AssertionError("Keys left: " + engine.size());
				}
			}
			if (sizeOfStore() != 0) {
				throw new AssertionError("Left in the store: " + sizeOfStore());
			}
		});
	}

	/**
	 * Closes the engines, and checks that none has called the store in the thread of a
	 * timer.
	 */
	@Override
	public void close() {
		this.engines.forEach(LockEngine::close);
		this.threads.forEach(Thread::interrupt);
		assertThat(this.backends).flatMap(FaultyBackend::callsOfTimer).isEmpty();
	}

	/**
	 * A thread that acquires.
	 */
	static final class Waiter {

		private final CompletableFuture<@Nullable Hold> result = new CompletableFuture<>();

		private final Thread thread;

		private volatile boolean interruptedAtEnd;

		Waiter(Callable<@Nullable Hold> acquisition) {
			this.thread = new Thread(() -> run(acquisition));
			this.thread.setDaemon(true);
		}

		private void run(Callable<@Nullable Hold> acquisition) {
			Hold hold = null;
			Throwable failure = null;
			try {
				hold = acquisition.call();
			}
			catch (Throwable ex) {
				failure = ex;
			}
			this.interruptedAtEnd = Thread.currentThread().isInterrupted();
			if (failure != null) {
				this.result.completeExceptionally(failure);
			}
			else {
				this.result.complete(hold);
			}
		}

		Thread thread() {
			return this.thread;
		}

		void interrupt() {
			this.thread.interrupt();
		}

		boolean isDone() {
			return this.result.isDone();
		}

		boolean wasInterruptedAtEnd() {
			failure();
			return this.interruptedAtEnd;
		}

		void awaitSleepOrEnd() {
			await().until(() -> isDone() || LockSupport.getBlocker(this.thread) instanceof LocalQueue);
		}

		Waiter awaitSleep() {
			awaitSleepOrEnd();
			if (isDone()) {
				throw new AssertionError("Did not wait: " + this.result);
			}
			return this;
		}

		/**
		 * The result, for which the caller waits.
		 */
		@Nullable Hold result() {
			try {
				return this.result.get(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException | ExecutionException | TimeoutException ex) {
				throw new AssertionError("Thread of the waiter: " + List.of(this.thread.getStackTrace()), ex);
			}
		}

		Hold hold() {
			Hold hold = result();
			if (hold == null) {
				throw new AssertionError("Not acquired");
			}
			return hold;
		}

		/**
		 * The exception that ended it, for which the caller waits.
		 */
		@Nullable Throwable failure() {
			try {
				this.result.get(1, TimeUnit.MINUTES);
				return null;
			}
			catch (ExecutionException ex) {
				return ex.getCause();
			}
			catch (InterruptedException | TimeoutException ex) {
				throw new AssertionError("Thread of the waiter: " + List.of(this.thread.getStackTrace()), ex);
			}
		}

	}

}
