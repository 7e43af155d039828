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

package io.github.lockspring.concurrent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.LockEngine;

/**
 * Locks of several keys that are acquired together, in an order that is the same for all
 * callers, so that they cannot wait for each other.
 *
 * @param locks the locks, sorted by backend and key, each key once
 * @param groups the locks in the same order, those together that one call to the store
 * may acquire
 */
record LockGroups(List<DefaultLeaseLock> locks, List<List<DefaultLeaseLock>> groups) {

	/**
	 * Sort and group locks. If a key occurs several times, its first exclusive lock is
	 * preferred, or else its first lock.
	 */
	static LockGroups of(List<DefaultLeaseLock> locks) {
		Map<Member, DefaultLeaseLock> members = new LinkedHashMap<>();
		locks.forEach((lock) -> members.merge(new Member(lock.engine(), lock.storeKey()), lock,
				(one, other) -> (other.isExclusive() && !one.isExclusive()) ? other : one));
		LockUtils.requireNumberOfKeys(members.size(), () -> locks.get(0).storeKey());
		List<DefaultLeaseLock> sorted = members.values()
			.stream()
			.sorted(Comparator.comparing((DefaultLeaseLock lock) -> lock.engine().description())
				.thenComparing(DefaultLeaseLock::storeKey))
			.toList();
		return new LockGroups(sorted, groups(sorted));
	}

	private static List<List<DefaultLeaseLock>> groups(List<DefaultLeaseLock> locks) {
		List<List<DefaultLeaseLock>> groups = new ArrayList<>();
		List<DefaultLeaseLock> group = new ArrayList<>();
		for (DefaultLeaseLock lock : locks) {
			if (!group.isEmpty() && !isLike(group.get(0), lock)) {
				groups.add(List.copyOf(group));
				group.clear();
			}
			group.add(lock);
		}
		groups.add(List.copyOf(group));
		return List.copyOf(groups);
	}

	private static boolean isLike(DefaultLeaseLock one, DefaultLeaseLock other) {
		return one.locks() == other.locks() && one.acquireOptions() == other.acquireOptions();
	}

	/**
	 * Identity of a lock among the others.
	 *
	 * @param engine the engine of the backend
	 * @param storeKey the key used in the store
	 */
	private record Member(LockEngine engine, String storeKey) {
	}

}
