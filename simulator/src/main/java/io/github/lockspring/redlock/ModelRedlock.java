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

package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.github.lockspring.redis.RedisLockBackend;

/**
 * {@link RedlockBackend} whose nodes are models.
 */
public final class ModelRedlock {

	private static final Duration START_TIMEOUT = Duration.ofMillis(500);

	private ModelRedlock() {
	}

	/**
	 * Create a backend with the default timeout of a call to a node.
	 * @param nodes the locks of each node, by its name
	 * @return the backend, to be started
	 */
	public static RedlockBackend backend(Map<String, Supplier<RedisLockBackend>> nodes) {
		return new RedlockBackend(() -> create(nodes), RedlockBackend.DEFAULT_NODE_TIMEOUT, START_TIMEOUT);
	}

	private static List<RedlockNode> create(Map<String, Supplier<RedisLockBackend>> nodes) {
		List<RedlockNode> created = new ArrayList<>();
		nodes.forEach((name, source) -> {
			RedisLockBackend backend = source.get();
			created.add(new RedlockNode(name, backend, backend::info));
		});
		return created;
	}

}
