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
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * Leases indexed by their owner, and by their end. Guarded by the monitor of the
 * {@link LocalStore}.
 */
final class LocalLeases {

	private static final Comparator<LocalLease> BY_END = Comparator.comparing(LocalLease::end)
		.thenComparing(LocalLease::owner);

	private final Map<String, LocalLease> byOwner = new HashMap<>();

	private final SortedSet<LocalLease> byEnd = new TreeSet<>(BY_END);

	@Nullable LocalLease get(String owner) {
		return this.byOwner.get(owner);
	}

	/**
	 * Return a lease that is over, or {@code null}.
	 */
	@Nullable LocalLease overdue(Instant now) {
		return (this.byEnd.isEmpty() || this.byEnd.first().end().isAfter(now)) ? null : this.byEnd.first();
	}

	void put(LocalLease lease) {
		remove(lease.owner());
		this.byOwner.put(lease.owner(), lease);
		this.byEnd.add(lease);
	}

	@Nullable LocalLease remove(String owner) {
		LocalLease lease = this.byOwner.remove(owner);
		if (lease != null) {
			this.byEnd.remove(lease);
		}
		return lease;
	}

	void clear() {
		this.byEnd.clear();
		this.byOwner.clear();
	}

	int size() {
		return this.byOwner.size() + this.byEnd.size();
	}

}
