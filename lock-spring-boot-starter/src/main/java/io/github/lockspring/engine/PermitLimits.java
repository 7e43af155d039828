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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

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
	private final Map<String, Limit> limits = new LinkedHashMap<>();

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
			removeIdle(now, this.limits.size(), idle);
			if (!this.limits.isEmpty()) {
				this.task.wakeUpAt(now + IDLE_NANOS);
			}
		}
		idle.forEach(this::unwatch);
	}

	/**
	 * Return the limit of a key if it is known, or cannot be changed.
	 */
	private @Nullable Value known(String key) {
		if (!this.context.store().hasValues()) {
			return Value.ABSENT;
		}
		synchronized (this.limits) {
			Limit limit = this.limits.get(key);
			if (limit == null) {
				return null;
			}
			setUsed(limit, this.time.nanoTime());
			return limit.value;
		}
	}

	/**
	 * Make a limit the one that was used last. Others also read them, in other orders.
	 */
	private void setUsed(Limit limit, long now) {
		limit.usedNanos = now;
		this.limits.remove(limit.key);
		this.limits.put(limit.key, limit);
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
	 * Read the limit of a key, and watch it from then on. Those that need it at the same
	 * time share the answer of the store, or its failure.
	 * @param waitNanos how long to wait for a store that is unavailable
	 * @param interruptible whether an interrupt ends the waiting
	 * @return the limit, or {@link Value#ABSENT} if it was never changed
	 * @throws EngineException if the store failed, or did not answer in time
	 */
	Value read(String key, long waitNanos, boolean interruptible) throws InterruptedException {
		watch(key);
		return latest(key, this.values.awaitRead(key + SUFFIX, waitNanos, interruptible));
	}

	/**
	 * Read the limit of a key like {@link #read}, without blocking the calling thread.
	 * @return the limit, to be {@linkplain #latest recorded}
	 */
	CompletableFuture<Value> readAsync(String key, long waitNanos) {
		watch(key);
		return this.values.awaitAsync(key + SUFFIX, (value) -> true, waitNanos);
	}

	/**
	 * Return the limit of a key with the timeout of any call to the store.
	 */
	Value get(String key) {
		Value known = known(key);
		try {
			return (known != null) ? known : read(key, 0, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Unexpected interrupt", ex);
		}
	}

	private void watch(String key) {
		StackRoom.requireToUndo();
		List<Limit> idle = new ArrayList<>();
		synchronized (this.limits) {
			if (!this.limits.containsKey(key) && !this.context.isClosed()) {
				long now = this.time.nanoTime();
				Limit limit = new Limit(key, now);
				this.values.watches().add(key + SUFFIX, limit);
				this.limits.put(key, limit);
				this.task.wakeUpAt(now + IDLE_NANOS);
				if (this.limits.size() > MAX_WATCHED) {
					removeIdle(now, 2, idle);
				}
			}
		}
		idle.forEach(this::unwatch);
	}

	private void unwatch(Limit limit) {
		this.values.watches().remove(limit.key + SUFFIX, limit);
	}

	/**
	 * Remove limits of keys that were not used for a while, or are too many. A key that
	 * is held or waited for is in use.
	 * @param most how many limits are examined, so that many in use do not delay each
	 * addition
	 */
	private void removeIdle(long now, int most, List<Limit> idle) {
		for (int i = 0; i < most && !this.limits.isEmpty(); i++) {
			Limit eldest = this.limits.values().iterator().next();
			if (this.limits.size() <= MAX_WATCHED && now - eldest.usedNanos < IDLE_NANOS) {
				return;
			}
			if (this.context.queues().get(eldest.key) == null) {
				this.limits.remove(eldest.key);
				idle.add(eldest);
			}
			else {
				setUsed(eldest, now);
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
		return (failure.getCause() instanceof PermitLimitException rejection && rejection.version() > wanted.version())
				? latest(key, new Value(rejection.limit(), rejection.version())) : null;
	}

	/**
	 * Change the limit of a key.
	 * @throws EngineException if the store failed
	 */
	void set(String key, int limit) {
		ValueChange change = new ValueChange.Set(limit, ValueChange.ANY_VERSION);
		latest(key, this.values.update(key + SUFFIX, change).after());
	}

	/**
	 * Record a limit, unless a later one is known. Acquisitions that wait for permits of
	 * a former one begin anew.
	 * @return the last one that is known
	 */
	Value latest(String key, Value value) {
		synchronized (this.limits) {
			Limit limit = this.limits.get(key);
			Value known = (limit != null) ? limit.value : null;
			if (known != null && known.version() >= value.version()) {
				return known;
			}
			if (limit != null) {
				limit.value = value;
			}
		}
		LocalQueue queue = this.context.queues().get(key);
		if (queue != null) {
			queue.wakeAll();
		}
		return value;
	}

	/**
	 * Limit of one key.
	 */
	private final class Limit implements WatchedValues.Observer {

		private final String key;

		/**
		 * Guarded by the monitor of all limits.
		 */
		private long usedNanos;

		private volatile @Nullable Value value;

		Limit(String key, long now) {
			this.key = key;
			this.usedNanos = now;
		}

		@Override
		public void onValue(Value value, long sentNanos) {
			latest(this.key, value);
		}

	}

}
