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

package io.github.lockspring.local;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.spi.state.ValueState;

/**
 * In-memory values of a {@link LocalStore}: a map of {@linkplain ValueState states}. All
 * keys share one counter of versions. A key without a value and watchers has no state,
 * except for the last deletions.
 * <p>
 * Thread-safe.
 */
final class LocalValues {

	private static final int REMEMBERED_DELETIONS = 1000;

	private final Map<String, ValueState> states = new HashMap<>();

	/**
	 * States of deleted values, the oldest first.
	 */
	private final Map<String, ValueState> deleted = new LinkedHashMap<>();

	/**
	 * Values with a time to live, the next to be deleted first.
	 */
	private final TreeSet<Expiry> expiries = new TreeSet<>();

	private final InstantSource clock;

	private final Map<String, Set<LocalNotifier>> watchers = new HashMap<>();

	private long lastVersion;

	LocalValues(InstantSource clock) {
		this.clock = clock;
	}

	synchronized Map<String, Value> read(Collection<String> keys, @Nullable LocalNotifier watcher) {
		deleteExpired();
		Map<String, Value> values = new HashMap<>();
		for (String key : keys) {
			if (watcher != null) {
				this.watchers.computeIfAbsent(key, (absent) -> new HashSet<>()).add(watcher);
			}
			ValueState state = this.states.get(key);
			if (state != null) {
				values.put(key, state.value());
			}
		}
		return values;
	}

	synchronized void unwatch(String key, LocalNotifier watcher) {
		this.watchers.computeIfPresent(key, (same, all) -> (all.remove(watcher) && all.isEmpty()) ? null : all);
	}

	synchronized void removeWatchesOf(LocalNotifier watcher) {
		this.watchers.values().removeIf((all) -> all.remove(watcher) && all.isEmpty());
	}

	ValueUpdateResult update(ValueUpdate update) {
		ValueUpdateResult result;
		List<LocalNotifier> notified;
		synchronized (this) {
			result = apply(update);
			notified = result.applied() ? List.copyOf(this.watchers.getOrDefault(update.key(), Set.of())) : List.of();
		}
		notified.forEach((watcher) -> watcher.listener().onValueChanged(update.key()));
		return result;
	}

	private ValueUpdateResult apply(ValueUpdate update) {
		long now = deleteExpired();
		String key = update.key();
		ValueState state = this.states.getOrDefault(key, this.deleted.getOrDefault(key, ValueState.NONE));
		ValueUpdateResult answer = state.answer(update);
		if (answer != null) {
			return answer;
		}
		ValueState next = state.next(update, ++this.lastVersion, now);
		keep(key, next);
		return next.resultOf(update);
	}

	/**
	 * Delete the values whose time to live is over.
	 * @return the present time
	 */
	private long deleteExpired() {
		long now = ChronoUnit.MICROS.between(Instant.EPOCH, this.clock.instant());
		while (!this.expiries.isEmpty() && this.expiries.first().time() <= now) {
			String key = this.expiries.first().key();
			keep(key, Objects.requireNonNull(this.states.get(key)).at(now));
		}
		return now;
	}

	private void keep(String key, ValueState state) {
		this.deleted.remove(key);
		ValueState former = state.exists() ? this.states.put(key, state) : this.states.remove(key);
		if (former != null && former.expiry() != 0) {
			this.expiries.remove(new Expiry(former.expiry(), key));
		}
		if (state.expiry() != 0) {
			this.expiries.add(new Expiry(state.expiry(), key));
		}
		if (!state.exists()) {
			this.deleted.put(key, state);
			if (this.deleted.size() > REMEMBERED_DELETIONS) {
				this.deleted.remove(this.deleted.keySet().iterator().next());
			}
		}
	}

	synchronized boolean isEmpty() {
		deleteExpired();
		return this.states.isEmpty();
	}

	synchronized void clear() {
		this.states.clear();
		this.expiries.clear();
		this.deleted.clear();
	}

	/**
	 * Return the number of values and watched keys.
	 */
	synchronized int size() {
		deleteExpired();
		return this.states.size() + this.watchers.size();
	}

	/**
	 * Time at which a value is deleted.
	 *
	 * @param time the time in microseconds since 1970
	 * @param key the key of the value
	 */
	private record Expiry(long time, String key) implements Comparable<Expiry> {

		@Override
		public int compareTo(Expiry other) {
			int compared = Long.compare(this.time, other.time);
			return (compared != 0) ? compared : this.key.compareTo(other.key);
		}

	}

}
