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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.PermitLimitException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.support.TimerThread;

/**
 * Limits of permits that were changed: kept in the store as values, whose version is that
 * of the limit.
 * <ol>
 * <li>The limit of a key is read before its permits are first acquired, and watched from
 * then on, so that later acquisitions need no further call.</li>
 * <li>When it was changed, waiting acquisitions are woken, and start again with the new
 * limit.</li>
 * <li>A request of a process that has not detected a change yet is rejected by the store
 * if permits are in use with the new limit. The process then retries with that.</li>
 * <li>The limit of a key that was not used for a while is no longer watched.</li>
 * </ol>
 * A store without values has no limits that can be changed. Thread-safe.
 */
final class PermitLimits {

	private static final int MAX_WATCHED = 1000;

	private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();

	/**
	 * Suffix of the key of the value, appended to the key of the permits.
	 */
	private static final String SUFFIX = ":permits";

	private final EngineContext context;

	private final TimeSource time;

	private final Values values;

	private final TimerThread.Task task;

	/**
	 * Limits of the keys in use, the last one used last. Guarded by its monitor.
	 */
	private final Map<String, Limit> limits = new LinkedHashMap<>(16, 0.75f, true);

	PermitLimits(EngineContext context, Values values) {
		this.context = context;
		this.time = context.time();
		this.values = values;
		this.task = context.task(this::run);
	}

	/**
	 * Task: stop watching limits that are no longer used.
	 */
	private void run() {
		List<Limit> idle = new ArrayList<>();
		synchronized (this.limits) {
			long now = this.time.nanoTime();
			removeIdle(now, idle);
			if (!this.limits.isEmpty()) {
				this.task.wakeUpAt(now + IDLE_NANOS);
			}
		}
		idle.forEach(Limit::close);
	}

	/**
	 * Return the limit of a key, reading it if it is not known. Of several threads one
	 * reads, and all get its result or failure.
	 * @param key the key
	 * @param wanted the terms of the acquisition
	 * @param answerDeadline when the store must have answered
	 * @param interruptible whether an interrupt ends the waiting for another thread
	 * @return the limit, or {@link Value#ABSENT} if it was never changed
	 * @throws EngineException if the store failed, or did not answer in time
	 */
	Value get(String key, PermitTerms wanted, long answerDeadline, boolean interruptible) throws InterruptedException {
		Value known = known(key, wanted);
		return (known != null) ? known : await(read(key, answerDeadline, Runnable::run), answerDeadline, interruptible);
	}

	/**
	 * Return the limit of a key if it is known, or cannot be changed.
	 */
	private @Nullable Value known(String key) {
		return this.context.store().hasValues() ? use(key).value : Value.ABSENT;
	}

	/**
	 * Return the limit of a key like {@link #known(String)}, unless it is too low for an
	 * acquisition: it may have been raised since.
	 */
	@Nullable Value known(String key, PermitTerms wanted) {
		Value known = known(key);
		boolean tooLow = known != null && wanted.permits() > wanted.limit(known);
		return (tooLow && this.context.store().hasValues()) ? null : known;
	}

	/**
	 * Read the limit of a key, unless that is in progress.
	 */
	private CompletableFuture<Value> read(String key, long answerDeadline, Executor executor) {
		StackRoom.requireToUndo();
		Limit limit = use(key);
		CompletableFuture<Value> begun = new CompletableFuture<>();
		CompletableFuture<Value> reading = limit.begin(begun);
		if (reading == begun) {
			executor.execute(() -> limit.read(begun, this.context.timeoutUntil(answerDeadline)));
		}
		return reading;
	}

	/**
	 * Return the limit of a key with the timeout of any call to the store.
	 */
	Value get(String key) {
		Value known = known(key);
		long answerDeadline = this.time.nanoTime() + this.context.answerNanos();
		try {
			return (known != null) ? known : await(read(key, answerDeadline, Runnable::run), answerDeadline, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Unexpected interrupt", ex);
		}
	}

	private Value await(CompletableFuture<Value> reading, long answerDeadline, boolean interruptible)
			throws InterruptedException {
		Thread thread = Thread.currentThread();
		reading.whenComplete((value, failure) -> LockSupport.unpark(thread));
		boolean interrupted = false;
		try {
			while (!reading.isDone()) {
				long remaining = answerDeadline - this.time.nanoTime();
				if (remaining <= 0) {
					throw this.context.store().notAnswered();
				}
				this.time.parkNanos(this, remaining);
				interrupted |= Thread.interrupted();
				if (interrupted && interruptible) {
					interrupted = false;
					throw new InterruptedException();
				}
			}
			return reading.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			throw (ex.getCause() instanceof RuntimeException failure) ? failure : ex;
		}
		finally {
			if (interrupted) {
				thread.interrupt();
			}
		}
	}

	/**
	 * Return the limit of a key like {@link #get(String, PermitTerms, long, boolean)},
	 * without blocking the calling thread.
	 * @param executor completes the future, because the thread that reads the limit may
	 * do so for itself
	 */
	CompletableFuture<Value> getAsync(String key, PermitTerms wanted, long answerDeadline, Executor executor) {
		Value known = known(key, wanted);
		return (known != null) ? CompletableFuture.completedFuture(known)
				: read(key, answerDeadline, this::runAsync).whenCompleteAsync((value, failure) -> {
				}, executor);
	}

	private void runAsync(Runnable reading) {
		this.values.async(() -> {
			reading.run();
			return reading;
		});
	}

	private Limit use(String key) {
		List<Limit> idle = new ArrayList<>();
		Limit limit;
		synchronized (this.limits) {
			limit = this.limits.computeIfAbsent(key, Limit::new);
			limit.usedNanos = this.time.nanoTime();
			if (this.limits.size() > MAX_WATCHED) {
				removeIdle(limit.usedNanos, idle);
			}
		}
		idle.forEach(Limit::close);
		return limit;
	}

	private void removeIdle(long now, List<Limit> idle) {
		Iterator<Limit> eldest = this.limits.values().iterator();
		while (eldest.hasNext()) {
			Limit limit = eldest.next();
			if (this.limits.size() <= MAX_WATCHED && now - limit.usedNanos < IDLE_NANOS) {
				return;
			}
			if (this.context.queues().get(limit.key) == null) {
				eldest.remove();
				idle.add(limit);
			}
		}
	}

	/**
	 * Reject an acquisition that waits with a limit that was changed since.
	 */
	void requireCurrent(Hold hold) {
		Value newer = newerThan(hold.key(), hold.options().mode());
		if (newer != null && hold.options().mode() instanceof Permits wanted) {
			throw this.context.store()
				.rejected(new PermitLimitException(wanted, (int) newer.number(), newer.version()));
		}
	}

	/**
	 * Return the limit to which that of a mode was changed since, if it is known.
	 * @return the limit, or {@code null} if the mode has the last one, or has none
	 */
	@Nullable Value newerThan(String key, LeaseMode mode) {
		if (!(mode instanceof Permits permits)) {
			return null;
		}
		Limit limit;
		synchronized (this.limits) {
			limit = this.limits.get(key);
		}
		Value current = (limit != null) ? limit.value : null;
		return (current != null && current.version() > permits.version()) ? current : null;
	}

	/**
	 * Return the newer limit because of which an acquisition was rejected: that of the
	 * permits in use, even if the store has lost it.
	 * @return the limit with which to retry, or {@code null} if that is not the reason
	 */
	@Nullable Value newerThan(String key, Permits wanted, EngineException failure) {
		if (failure.getCause() instanceof PermitLimitException rejection && rejection.version() > wanted.version()) {
			Value limit = new Value(rejection.limit(), rejection.version());
			onChanged(key, limit);
			Value known = newerThan(key, wanted);
			return (known != null) ? known : limit;
		}
		return null;
	}

	/**
	 * Change the limit of a key.
	 * @throws EngineException if the store failed
	 */
	void set(String key, int limit) {
		ValueChange change = new ValueChange.Set(limit, ValueChange.ANY_VERSION);
		onChanged(key, this.values.update(key + SUFFIX, change).after());
	}

	/**
	 * Record that a limit was changed, and let the acquisitions begin anew that wait for
	 * permits of the former one.
	 */
	private void onChanged(String key, Value value) {
		synchronized (this.limits) {
			Limit limit = this.limits.get(key);
			Value known = (limit != null) ? limit.value : null;
			if (limit == null || known != null && known.version() >= value.version()) {
				return;
			}
			limit.value = value;
		}
		LocalQueue queue = this.context.queues().get(key);
		if (queue != null) {
			queue.wakeAll();
		}
	}

	/**
	 * Limit of one key.
	 */
	private final class Limit {

		private final String key;

		/**
		 * Guarded by the monitor of all limits.
		 */
		private long usedNanos;

		private volatile @Nullable Value value;

		private volatile Values.@Nullable Registration listener;

		private volatile boolean closed;

		/**
		 * Read in progress. Guarded by the monitor.
		 */
		private @Nullable CompletableFuture<Value> reading;

		Limit(String key) {
			this.key = key;
		}

		/**
		 * Begin to read, unless a read is in progress.
		 * @return the read in progress; if it is the given one, the caller makes it
		 */
		synchronized CompletableFuture<Value> begin(CompletableFuture<Value> begun) {
			CompletableFuture<Value> reading = (this.reading != null) ? this.reading : begun;
			this.reading = reading;
			return reading;
		}

		private synchronized void end() {
			this.reading = null;
		}

		/**
		 * Read the limit, and watch it from then on.
		 */
		void read(CompletableFuture<Value> reading, Duration timeout) {
			try {
				Value present = (this.value != null) ? refresh(timeout) : startToWatch(timeout);
				end();
				reading.complete(present);
			}
			catch (Throwable ex) {
				end();
				reading.completeExceptionally(ex);
			}
		}

		private Value startToWatch(Duration timeout) {
			Values values = PermitLimits.this.values;
			PermitLimits.this.task.wakeUpAt(PermitLimits.this.time.nanoTime() + IDLE_NANOS);
			Value present = values.read(this.key + SUFFIX, timeout);
			this.listener = values.listen(this.key + SUFFIX, present, Runnable::run,
					(changed) -> onChanged(this.key, changed));
			onChanged(this.key, present);
			if (this.closed) {
				close();
			}
			return latest(present);
		}

		private Value refresh(Duration timeout) {
			Value present = PermitLimits.this.values.read(this.key + SUFFIX, timeout);
			onChanged(this.key, present);
			return latest(present);
		}

		private Value latest(Value read) {
			Value known = this.value;
			return (known != null) ? known : read;
		}

		/**
		 * Stop watching. May be called twice.
		 */
		void close() {
			this.closed = true;
			Values.Registration listener = this.listener;
			if (listener != null) {
				listener.close();
			}
		}

	}

}
