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

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.TimerThread;

/**
 * Watches values for those that wait for a change.
 * <ol>
 * <li>A key is watched as long as it has observers.</li>
 * <li>All watched keys that are due are read in one call, in a separate thread: when the
 * store notified of a change, and periodically, because notifications may be lost and
 * some stores send none. One call at a time is made, and its answer is passed only to the
 * observers that were there when it began, so that none sees an older value after a newer
 * one.</li>
 * <li>A call that fails is repeated after a delay for half as many keys: one of them may
 * be the cause. The observers keep the last failure until the next answer.</li>
 * </ol>
 * Thread-safe.
 */
final class ValueWatches {

	private static final Log logger = LogFactory.getLog(ValueWatches.class);

	/**
	 * Maximum number of keys read in one call. The others follow immediately.
	 */
	private static final int MAX_BATCH_SIZE = 10_000;

	private final Store store;

	private final EngineSettings settings;

	private final TimeSource time;

	private final Executor executor;

	private final TimerThread.Task task;

	private final long origin;

	/**
	 * The watched keys. Its monitor guards the state of this class.
	 */
	private final Map<String, Watch> watches = new HashMap<>();

	private boolean reading;

	/**
	 * Maximum number of keys of the next call.
	 */
	private int batchSize = MAX_BATCH_SIZE;

	private volatile boolean idle = true;

	ValueWatches(EngineContext context) {
		this.store = context.store();
		this.settings = context.settings();
		this.time = context.time();
		this.executor = context.threads().polls();
		this.task = context.task(this::run);
		this.origin = this.time.nanoTime();
	}

	/**
	 * Add an observer, and read its key soon.
	 */
	void add(String key, Observer observer) {
		synchronized (this.watches) {
			Watch watch = this.watches.computeIfAbsent(key, (absent) -> new Watch());
			watch.observers.add(observer);
			watch.changed = true;
			this.idle = false;
		}
		this.task.wakeUpAt(this.time.nanoTime());
	}

	void remove(String key, Observer observer) {
		synchronized (this.watches) {
			Watch watch = this.watches.get(key);
			if (watch != null && watch.observers.remove(observer) && watch.observers.isEmpty()) {
				this.watches.remove(key);
				this.store.values().unwatch(key);
			}
		}
	}

	/**
	 * Read a key soon, because it may have changed.
	 */
	void onChanged(String key) {
		synchronized (this.watches) {
			Watch watch = this.watches.get(key);
			if (watch == null) {
				return;
			}
			watch.changed = true;
		}
		this.task.wakeUpAt(this.time.nanoTime());
	}

	/**
	 * Let all observers check whether they still wait.
	 */
	void wakeAll() {
		List<Observer> all = new ArrayList<>();
		synchronized (this.watches) {
			this.watches.values().forEach((watch) -> all.addAll(watch.observers));
		}
		all.forEach(Observer::wakeUp);
	}

	/**
	 * Return how many keys are watched.
	 */
	int size() {
		synchronized (this.watches) {
			return this.watches.size();
		}
	}

	/**
	 * Task: read the keys that are due in another thread, if no call is in progress.
	 */
	private void run() {
		if (this.idle) {
			return;
		}
		Collection<String> due;
		synchronized (this.watches) {
			this.idle = this.watches.isEmpty();
			due = this.reading ? List.of() : due(this.time.nanoTime() - this.origin);
			this.reading |= !due.isEmpty();
		}
		if (!due.isEmpty()) {
			start(due);
		}
	}

	/**
	 * Find the keys to read: with one that is due, those that are due soon, so that they
	 * are read together from then on.
	 */
	private Collection<String> due(long now) {
		long next = Long.MAX_VALUE;
		for (Watch watch : this.watches.values()) {
			next = Math.min(next, watch.changed ? now : watch.due);
		}
		if (next - now > 0) {
			if (next < Long.MAX_VALUE) {
				this.task.wakeUpAt(this.origin + next);
			}
			return List.of();
		}
		long soon = now + interval() / 2;
		List<String> keys = new ArrayList<>();
		this.watches.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().changed || entry.getValue().due - soon <= 0)
			.sorted(Comparator.comparingLong((entry) -> entry.getValue().due))
			.limit(this.batchSize)
			.forEach((entry) -> {
				entry.getValue().changed = false;
				keys.add(entry.getKey());
			});
		return keys;
	}

	private void start(Collection<String> keys) {
		try {
			this.executor.execute(() -> read(keys));
		}
		catch (Throwable ex) {
			end(keys, pauseAfterFailure(), true);
			throw ex; // the timer will run this again
		}
	}

	private void read(Collection<String> keys) {
		long pause = pauseAfterFailure();
		boolean failed = true;
		Map<String, List<Observer>> observers = observersOf(keys);
		try {
			Map<String, Value> values = this.store.read(keys, true, this.settings.operationTimeout());
			pause = interval();
			failed = false;
			observers.forEach((key, those) -> those
				.forEach((observer) -> observer.onValue(values.getOrDefault(key, Value.ABSENT))));
		}
		catch (BackendException ex) {
			observers.values().forEach((those) -> those.forEach((observer) -> observer.onFailure(ex)));
		}
		catch (Throwable ex) {
			logger.error("Could not read the watched values; it will be retried", ex);
		}
		finally {
			end(keys, pause, failed);
		}
	}

	private void end(Collection<String> keys, long pause, boolean failed) {
		synchronized (this.watches) {
			long due = this.time.nanoTime() - this.origin + pause;
			for (String key : keys) {
				Watch watch = this.watches.get(key);
				if (watch != null) {
					watch.due = due;
				}
				else {
					this.store.values().unwatch(key); // its last observer left meanwhile
				}
			}
			this.batchSize = failed ? Math.max(1, Math.min(this.batchSize, keys.size()) / 2)
					: Math.min(MAX_BATCH_SIZE, 2 * this.batchSize);
			this.reading = false;
		}
		this.task.wakeUpAt(this.time.nanoTime());
	}

	/**
	 * Return the observers that may be called with what is read from now on. One that is
	 * added later may have seen a newer value before, and has its key read again.
	 */
	private Map<String, List<Observer>> observersOf(Collection<String> keys) {
		Map<String, List<Observer>> observers = new HashMap<>();
		synchronized (this.watches) {
			for (String key : keys) {
				Watch watch = this.watches.get(key);
				if (watch != null) {
					observers.put(key, List.copyOf(watch.observers));
				}
			}
		}
		return observers;
	}

	/**
	 * Return the time after which a key is read again. On a store without notifications
	 * it is random within its upper half, so that processes do not read in lockstep.
	 */
	private long interval() {
		return this.store.values().notifiesOfChanges() ? Durations.nanos(this.settings.queuePoll())
				: Durations.jitter(Durations.nanos(this.settings.maxPoll()));
	}

	private long pauseAfterFailure() {
		return Durations
			.jitter(Math.min(Durations.nanos(this.settings.queuePoll()), Poller.MAX_PAUSE_AFTER_FAILURE_NANOS));
	}

	/**
	 * A watched key.
	 */
	private static final class Watch {

		private final List<Observer> observers = new ArrayList<>();

		/**
		 * Time of the next read, relative to the start.
		 */
		private long due = Long.MAX_VALUE;

		/**
		 * Whether the value may have changed since the last read began.
		 */
		private boolean changed;

	}

	/**
	 * Observer of a value. Its methods return immediately.
	 */
	interface Observer {

		/**
		 * Called with the current value, which may be the same as before.
		 */
		void onValue(Value value);

		/**
		 * Called when the store failed.
		 */
		void onFailure(@Nullable BackendException failure);

		/**
		 * Called when the engine shuts down.
		 */
		void wakeUp();

	}

}
