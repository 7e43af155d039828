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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;
import io.github.lockspring.support.Durations;

/**
 * Watches values for those that wait for a change.
 * <ol>
 * <li>A key is watched as long as it has observers.</li>
 * <li>All watched keys that are due are read in one call, in a separate thread: when the
 * store notified of a change, and periodically, because notifications may be lost and
 * some stores send none. One call at a time is made, and its answer is passed only to the
 * observers that were there when it began, so that none sees an older value after a newer
 * one.</li>
 * <li>A value that the store sends with a notification is forwarded at once, and not read
 * again if no observer waits for another one.</li>
 * <li>A call that fails is repeated after a delay for half as many keys: one of them may
 * be the cause. The observers keep the last failure until the next answer, and only that
 * of a call for a single key is an answer.</li>
 * </ol>
 * Thread-safe.
 */
final class WatchedValues implements DueCalls.Work<WatchedValues.Watch> {

	private final Store store;

	private final EngineSettings settings;

	private final TimeSource time;

	private final DueCalls<Watch> calls;

	/**
	 * The watched keys. Its monitor guards their observers.
	 */
	private final Map<String, Watch> watches = new HashMap<>();

	/**
	 * Half of the last interval: a backend is not asked in the thread of the timer.
	 */
	private volatile long soonNanos;

	WatchedValues(EngineContext context) {
		this.store = context.store();
		this.settings = context.settings();
		this.time = context.time();
		this.calls = new DueCalls<>(context, context.threads().polls(), this);
	}

	/**
	 * Add an observer, and read its key soon.
	 */
	void add(String key, Observer observer) {
		synchronized (this.watches) {
			Watch watch = this.watches.computeIfAbsent(key, Watch::new);
			watch.observers.add(observer);
			this.calls.schedule(watch, this.time.nanoTime());
		}
	}

	void remove(String key, Observer observer) {
		synchronized (this.watches) {
			Watch watch = this.watches.get(key);
			if (watch != null && watch.observers.remove(observer) && watch.observers.isEmpty()) {
				this.watches.remove(key);
				this.calls.remove(watch);
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
			this.calls.add(watch, this.time.nanoTime());
		}
		this.calls.runNow();
	}

	/**
	 * Forward a value that the store has sent. Read the key soon, unless all observers
	 * have waited for this value.
	 */
	void onChanged(String key, Value value, long version) {
		List<Observer> observers;
		synchronized (this.watches) {
			Watch watch = this.watches.get(key);
			observers = (watch != null) ? List.copyOf(watch.observers) : List.of();
		}
		boolean awaited = true;
		for (Observer observer : observers) {
			awaited &= observer.onSent(value, version);
		}
		if (!awaited) {
			onChanged(key);
		}
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
	 * Read the keys that are due.
	 */
	@Override
	public void call(List<Watch> due) {
		Map<String, List<Observer>> observers = observersOf(due);
		long sentNanos = this.time.nanoTime();
		try {
			Map<String, Value> values = this.store.read(due.stream().map((watch) -> watch.key).toList(), true,
					this.settings.operationTimeout());
			observers.forEach((key, those) -> those
				.forEach((observer) -> observer.onValue(values.getOrDefault(key, Value.ABSENT), sentNanos)));
			long interval = interval();
			this.soonNanos = interval / 2;
			long next = this.time.nanoTime() + interval;
			due.forEach((watch) -> this.calls.repeat(watch, next));
		}
		catch (BackendException ex) {
			boolean alone = due.size() == 1;
			observers.values()
				.forEach((those) -> those.forEach((observer) -> observer.onFailure(ex, alone, sentNanos)));
			throw ex;
		}
		finally {
			due.forEach(this::unwatchIfUnused);
		}
	}

	/**
	 * Return the observers that may be called with what is read from now on. One that is
	 * added later may have seen a newer value before, and has its key read again.
	 */
	private Map<String, List<Observer>> observersOf(List<Watch> due) {
		synchronized (this.watches) {
			return due.stream()
				.collect(Collectors.toMap((watch) -> watch.key, (watch) -> List.copyOf(watch.observers)));
		}
	}

	/**
	 * Stop watching a key whose last observer left while it was read.
	 */
	private void unwatchIfUnused(Watch watch) {
		synchronized (this.watches) {
			if (!this.watches.containsKey(watch.key)) {
				this.store.values().unwatch(watch.key);
			}
		}
	}

	/**
	 * Return how long before it is due a key is read together with others, so that they
	 * are read together from then on.
	 */
	@Override
	public long soonNanos(Watch watch) {
		return this.soonNanos;
	}

	/**
	 * Return the time after which a key is read again. On a store without notifications
	 * it is random within its upper half, so that processes do not read in lockstep.
	 */
	private long interval() {
		return this.store.values().notifiesOfChanges() ? Durations.nanos(this.settings.polling().queue())
				: Durations.jitter(Durations.nanos(this.settings.polling().max()));
	}

	@Override
	public long pauseAfterFailure() {
		return Durations
			.jitter(Math.min(Durations.nanos(this.settings.polling().queue()), Poller.MAX_PAUSE_AFTER_FAILURE_NANOS));
	}

	/**
	 * A watched key.
	 */
	static final class Watch extends DueCalls.Item {

		private final String key;

		private final List<Observer> observers = new ArrayList<>();

		private Watch(String key) {
			this.key = key;
		}

	}

	/**
	 * Observer of a value. Its methods return immediately.
	 */
	interface Observer {

		/**
		 * Called with the current value, which may be the same as before.
		 * @param value the value
		 * @param sentNanos when the store was asked
		 */
		void onValue(Value value, long sentNanos);

		/**
		 * Called with a value that the store has sent, which may be older than one that
		 * was passed before.
		 * @param value the value
		 * @param version the version of the change after which it was the value
		 * @return whether no other value is awaited
		 */
		default boolean onSent(Value value, long version) {
			return false;
		}

		/**
		 * Called when the store failed.
		 * @param failure the failure
		 * @param alone whether no other key was read, which may be the cause
		 * @param sentNanos when the store was asked
		 */
		default void onFailure(BackendException failure, boolean alone, long sentNanos) {
		}

		/**
		 * Called when the engine shuts down.
		 */
		default void wakeUp() {
		}

	}

}
