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

package io.github.lockspring.spi.state;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseMode.Permits;

/**
 * Operations on lists of entries, which are not modified.
 */
final class KeyEntries {

	private KeyEntries() {
	}

	/**
	 * Return the entry of an owner, beginning with the last, which was added most
	 * recently.
	 */
	static @Nullable KeyEntry find(List<KeyEntry> entries, String owner) {
		int index = indexOf(entries, owner);
		return (index >= 0) ? entries.get(index) : null;
	}

	private static int indexOf(List<KeyEntry> entries, String owner) {
		int index = entries.size() - 1;
		while (index >= 0 && !entries.get(index).isOwnedBy(owner)) {
			index--;
		}
		return index;
	}

	static List<KeyEntry> live(List<KeyEntry> entries, Instant now) {
		for (KeyEntry entry : entries) {
			if (!entry.isLive(now)) {
				return entries.stream().filter((other) -> other.isLive(now)).toList();
			}
		}
		return entries;
	}

	static @Nullable Permits latest(List<KeyEntry> entries, @Nullable Permits former) {
		Permits latest = former;
		for (KeyEntry entry : entries) {
			if (entry.mode() instanceof Permits permits && (latest == null || permits.version() > latest.version())) {
				latest = permits;
			}
		}
		return latest;
	}

	static <T> List<T> with(List<T> list, T last) {
		if (list.isEmpty()) {
			return List.of(last);
		}
		List<T> longer = new ArrayList<>(list.size() + 1);
		longer.addAll(list);
		longer.add(last);
		return Collections.unmodifiableList(longer);
	}

	static List<KeyEntry> without(List<KeyEntry> entries, String owner) {
		int index = indexOf(entries, owner);
		if (index < 0) {
			return entries;
		}
		if (entries.size() == 1) {
			return List.of();
		}
		List<KeyEntry> others = new ArrayList<>(entries);
		others.remove(index);
		return Collections.unmodifiableList(others);
	}

	static List<KeyEntry> replaced(List<KeyEntry> entries, String owner, UnaryOperator<KeyEntry> change) {
		return entries.stream().map((entry) -> entry.isOwnedBy(owner) ? change.apply(entry) : entry).toList();
	}

}
