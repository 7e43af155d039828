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

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

	private final Map<String, Set<LocalNotifier>> watchers = new HashMap<>();

	private long lastVersion;

	synchronized Map<String, Value> read(Collection<String> keys, @Nullable LocalNotifier watcher) {
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
		notified.forEach((watcher) -> watcher.onValueChanged(update.key()));
		return result;
	}

	private ValueUpdateResult apply(ValueUpdate update) {
		String key = update.key();
		ValueState state = this.states.getOrDefault(key, this.deleted.getOrDefault(key, ValueState.NONE));
		ValueUpdateResult answer = state.answer(update);
		if (answer != null) {
			return answer;
		}
		ValueState next = state.next(update, ++this.lastVersion);
		keep(key, next);
		return next.resultOf(update);
	}

	private void keep(String key, ValueState state) {
		this.deleted.remove(key);
		if (state.exists()) {
			this.states.put(key, state);
			return;
		}
		this.states.remove(key);
		this.deleted.put(key, state);
		if (this.deleted.size() > REMEMBERED_DELETIONS) {
			this.deleted.remove(this.deleted.keySet().iterator().next());
		}
	}

	synchronized boolean isEmpty() {
		return this.states.isEmpty();
	}

	synchronized void clear() {
		this.states.clear();
		this.deleted.clear();
	}

	/**
	 * Return the number of values and watched keys.
	 */
	synchronized int size() {
		return this.states.size() + this.watchers.size();
	}

}
