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

package io.github.lockspring.zookeeper;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Cache of nodes of keys that existed recently, so that they are not created again with
 * every request, and whether there was a queue below them, which is then listed in the
 * same pipelined call as it is entered. Only a hint: entries are evicted, since the size
 * is fixed, and may be outdated.
 */
final class RecentParents {

	private static final int SIZE = 16_384;

	private static final long BUSY = 1L << 63;

	private final AtomicLongArray paths = new AtomicLongArray(SIZE);

	boolean isKnown(String path) {
		long hash = hash(path);
		return (this.paths.get(index(hash)) & ~BUSY) == hash;
	}

	/**
	 * Whether others wanted the key when this process last did.
	 */
	boolean isBusy(String path) {
		long hash = hash(path);
		return this.paths.get(index(hash)) == (hash | BUSY);
	}

	void add(String path, boolean busy) {
		long hash = hash(path);
		long entry = busy ? (hash | BUSY) : hash;
		if (this.paths.get(index(hash)) != entry) {
			this.paths.set(index(hash), entry);
		}
	}

	private static long hash(String path) {
		long hash = 1;
		for (int i = 0; i < path.length(); i++) {
			hash = 0x100000001b3L * hash + path.charAt(i);
		}
		return (hash ^ (hash >>> 32)) & ~BUSY;
	}

	private static int index(long hash) {
		return (int) (hash & (SIZE - 1));
	}

}
