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

import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * In-memory values of a {@link LocalStore}. All keys share one counter of versions. A key
 * without a value and watchers has no state, except for the last deletions.
 * <p>
 * Thread-safe.
 */
final class LocalValues {

	private static final int REMEMBERED_DELETIONS = 1000;

	private final Map<String, Entry> entries = new HashMap<>();

	/**
	 * Former entries of deleted values, the oldest first.
	 */
	private final Map<String, Entry> deleted = new LinkedHashMap<>();

	private final Map<String, Set<LocalNotifier>> watchers = new HashMap<>();

	private long lastVersion;

	synchronized Map<String, Value> read(Collection<String> keys, @Nullable LocalNotifier watcher) {
		Map<String, Value> values = new HashMap<>();
		for (String key : keys) {
			if (watcher != null) {
				this.watchers.computeIfAbsent(key, (absent) -> new HashSet<>()).add(watcher);
			}
			Entry entry = this.entries.get(key);
			if (entry != null) {
				values.put(key, entry.value);
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
		Entry former = this.entries.get(update.key());
		Entry entry = (former != null) ? former : this.deleted.get(update.key());
		Value before = (former != null) ? former.value : Value.ABSENT;
		Applied last = (entry != null) ? entry.applied.get(update.id().instance()) : null;
		if (last != null && last.id.sequence() >= update.id().sequence()) {
			return last.id.equals(update.id()) ? last.result : new ValueUpdateResult(before, before);
		}
		if (last == null && update.repeated() && entry != null && entry.applied.size() >= Entry.MAX_PROCESSES) {
			throw new OutcomeUnknownException("Unknown whether a repeated update of '" + update.key()
					+ "' was applied: the store no longer has a record of it", null);
		}
		Value after = after(update.change(), before);
		ValueUpdateResult result = new ValueUpdateResult(before, after);
		if (result.applied()) {
			keep(update, result, (entry != null) ? entry : new Entry());
		}
		return result;
	}

	/**
	 * Return the value after a change, or the same if the change is not applied.
	 */
	private Value after(ValueChange change, Value before) {
		if (!change.appliesTo(before)) {
			return before;
		}
		return (change instanceof ValueChange.Delete) ? Value.ABSENT
				: new Value(change.numberAfter(before), ++this.lastVersion);
	}

	private void keep(ValueUpdate update, ValueUpdateResult result, Entry entry) {
		entry.value = result.after();
		entry.applied.put(update.id().instance(), new Applied(update.id(), result));
		this.deleted.remove(update.key());
		if (entry.value.exists()) {
			this.entries.put(update.key(), entry);
		}
		else {
			this.entries.remove(update.key());
			this.deleted.put(update.key(), entry);
			if (this.deleted.size() > REMEMBERED_DELETIONS) {
				this.deleted.remove(this.deleted.keySet().iterator().next());
			}
		}
	}

	synchronized boolean isEmpty() {
		return this.entries.isEmpty();
	}

	synchronized void clear() {
		this.entries.clear();
		this.deleted.clear();
	}

	/**
	 * Return the number of values and watched keys.
	 */
	synchronized int size() {
		return this.entries.size() + this.watchers.size();
	}

	/**
	 * Value with the last update of each process.
	 */
	private static final class Entry {

		private static final int MAX_PROCESSES = 2 * ValueBackend.REMEMBERED_PROCESSES;

		private Value value = Value.ABSENT;

		private final Map<String, Applied> applied = new LinkedHashMap<>(16, 0.75f, true) {

			@Override
			protected boolean removeEldestEntry(Map.Entry<String, Applied> eldest) {
				return size() > MAX_PROCESSES;
			}

		};

	}

	/**
	 * Update that was applied.
	 *
	 * @param id its identity
	 * @param result its result
	 */
	private record Applied(OwnerId id, ValueUpdateResult result) {
	}

}
