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

package io.github.lockspring.support;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Cache of keys that were used recently, each with a flag. Only a hint: entries are
 * evicted, since the size is fixed, and may be outdated.
 * <p>
 * Thread-safe.
 */
public final class RecentKeys {

	private static final int SIZE = 16_384;

	private static final long FLAG = 1L << 63;

	private final AtomicLongArray entries = new AtomicLongArray(SIZE);

	/**
	 * Add a key, or replace its flag.
	 * @param key the key
	 * @param flag the flag
	 */
	public void add(String key, boolean flag) {
		long hash = hash(key);
		long entry = flag ? (hash | FLAG) : hash;
		if (this.entries.get(index(hash)) != entry) {
			this.entries.set(index(hash), entry);
		}
	}

	/**
	 * Return whether a key is known, with or without flag.
	 * @param key the key
	 * @return whether it is known
	 */
	public boolean contains(String key) {
		long hash = hash(key);
		return (this.entries.get(index(hash)) & ~FLAG) == hash;
	}

	/**
	 * Return whether a key is known with its flag.
	 * @param key the key
	 * @return whether it was added with a flag last
	 */
	public boolean isFlagged(String key) {
		long hash = hash(key);
		return this.entries.get(index(hash)) == (hash | FLAG);
	}

	/**
	 * Remove a key that was added without flag.
	 * @param key the key
	 * @return whether it was known, and no other thread has removed it
	 */
	public boolean remove(String key) {
		long hash = hash(key);
		return this.entries.compareAndSet(index(hash), hash, 0);
	}

	private static long hash(String key) {
		long hash = 1;
		for (int i = 0; i < key.length(); i++) {
			hash = 0x100000001b3L * hash + key.charAt(i);
		}
		return (hash ^ (hash >>> 32)) & ~FLAG;
	}

	private static int index(long hash) {
		return (int) (hash & (SIZE - 1));
	}

}
