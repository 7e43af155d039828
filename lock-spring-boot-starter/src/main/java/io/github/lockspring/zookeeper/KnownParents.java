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

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Remembers some of the nodes that were there lately, so that they are not created again
 * with every request. It forgets: there is room for a fixed number of them.
 */
final class KnownParents {

	private static final int SIZE = 1024;

	private final AtomicReferenceArray<String> paths = new AtomicReferenceArray<>(SIZE);

	boolean isKnown(String path) {
		return path.equals(this.paths.get(index(path)));
	}

	void add(String path) {
		if (!isKnown(path)) {
			this.paths.set(index(path), path);
		}
	}

	private static int index(String path) {
		int hash = path.hashCode();
		return (hash ^ (hash >>> 16)) & (SIZE - 1);
	}

}
