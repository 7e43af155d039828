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

package io.github.lockspring.jdbc;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Cache of keys that this process released recently, so that there is a row, most likely
 * free, which a special statement acquires faster than the general one. Only a hint:
 * entries are evicted, since the size is fixed, and the row may be held again, or
 * deleted.
 */
final class RecentKeys {

	private static final int SIZE = 16_384;

	private final AtomicLongArray keys = new AtomicLongArray(SIZE);

	void add(String key) {
		long hash = hash(key);
		this.keys.set(index(hash), hash);
	}

	/**
	 * Remove a key, which is about to be acquired.
	 * @return whether it was known
	 */
	boolean remove(String key) {
		long hash = hash(key);
		return this.keys.compareAndSet(index(hash), hash, 0);
	}

	private static long hash(String key) {
		long hash = 1;
		for (int i = 0; i < key.length(); i++) {
			hash = 0x100000001b3L * hash + key.charAt(i);
		}
		return hash ^ (hash >>> 32);
	}

	private static int index(long hash) {
		return (int) (hash & (SIZE - 1));
	}

}
