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
import java.util.concurrent.locks.ReentrantLock;

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
 * if permits are in use with the new limit. The process then reads the limit again.</li>
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

	/**
	 * Time of the next check for limits that are no longer used. Guarded by the monitor
	 * of the limits.
	 */
	private long checkNanos;

	PermitLimits(EngineContext context, Values values) {
		this.context = context;
		this.time = context.time();
		this.values = values;
		this.task = context.task(this::run);
		this.checkNanos = this.time.nanoTime();
	}

	/**
	 * Task: stop watching limits that are no longer used.
	 */
	private void run() {
		List<Limit> idle = new ArrayList<>();
		synchronized (this.limits) {
			if (this.limits.isEmpty()) {
				return;
			}
			long now = this.time.nanoTime();
			if (this.checkNanos - now <= 0) {
				this.checkNanos = now + IDLE_NANOS;
				removeIdle(now, idle);
			}
			this.task.wakeUpAt(this.checkNanos);
		}
		idle.forEach(Limit::close);
	}

	/**
	 * Return the limit of a key, reading it if it is not known.
	 * @return the limit, or {@link Value#ABSENT} if it was never changed
	 * @throws EngineException if the store failed
	 */
	Value get(String key) {
		if (!this.context.store().hasValues()) {
			return Value.ABSENT;
		}
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
		Value known = limit.value;
		return (known != null) ? known : limit.read();
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
	 * Read the limit again if an acquisition was rejected because of a newer one.
	 * @return whether the acquisition may be retried
	 */
	boolean isOutdated(String key, EngineException failure, Permits wanted) {
		return failure.getCause() instanceof PermitLimitException rejection && rejection.version() > wanted.version()
				&& this.context.store().hasValues() && refresh(key).version() > wanted.version();
	}

	private Value refresh(String key) {
		get(key); // watched from now on
		Value value = this.values.read(key + SUFFIX);
		onChanged(key, value);
		return value;
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

		private final ReentrantLock reading = new ReentrantLock();

		private final String key;

		/**
		 * Guarded by the monitor of all limits.
		 */
		private long usedNanos;

		private volatile @Nullable Value value;

		private volatile Values.@Nullable Registration listener;

		private volatile boolean closed;

		Limit(String key) {
			this.key = key;
		}

		Value read() {
			this.reading.lock();
			try {
				Value known = this.value;
				return (known != null) ? known : startToWatch();
			}
			finally {
				this.reading.unlock();
			}
		}

		private Value startToWatch() {
			Values values = PermitLimits.this.values;
			PermitLimits.this.task.wakeUpAt(PermitLimits.this.time.nanoTime() + IDLE_NANOS);
			if (this.listener == null) {
				this.listener = values.listen(this.key + SUFFIX, values.callbacks(),
						(changed) -> onChanged(this.key, changed));
			}
			Value present = values.read(this.key + SUFFIX);
			onChanged(this.key, present);
			if (this.closed) {
				close();
			}
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
