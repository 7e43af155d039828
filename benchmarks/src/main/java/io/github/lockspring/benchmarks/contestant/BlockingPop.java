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
package io.github.lockspring.benchmarks.contestant;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * The fastest way from one process to another that Redis itself has: who takes the only
 * element of a list holds the key. The server wakes those that wait in the order in which
 * they came, each on a connection of its own. A reference only: it has no leases, so that
 * a key is gone for good with the process that holds it.
 */
public final class BlockingPop implements Contestant {

	/**
	 * How the names of the lists begin, which stay when everything is over.
	 */
	public static final String PREFIX = "bench-pop:";

	private static final String CREATE = """
			if redis.call('SETNX', KEYS[1], '1') == 1 then
				redis.call('RPUSH', KEYS[2], 'token')
			end
			return 1
			""";

	private final Set<String> created = ConcurrentHashMap.newKeySet();

	private final Queue<RedisCommands<String, String>> idle = new ConcurrentLinkedQueue<>();

	private final RedisClient client;

	private final RedisCommands<String, String> shared;

	public BlockingPop(String uri) {
		this.client = RedisClient.create(uri);
		this.shared = this.client.connect().sync();
	}

	@Override
	public Hold acquire(String key) {
		String list = list(key);
		RedisCommands<String, String> connection = this.idle.poll();
		if (connection == null) {
			connection = this.client.connect().sync();
		}
		while (connection.blpop(30, list) == null) {
			// it is a long time until it is our turn
		}
		this.idle.add(connection);
		return () -> this.shared.rpush(list, "token");
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		String list = list(key);
		return (this.shared.lpop(list) != null) ? () -> this.shared.rpush(list, "token") : null;
	}

	private String list(String key) {
		String list = PREFIX + key;
		if (this.created.add(key)) {
			this.shared.eval(CREATE, ScriptOutputType.INTEGER, list + ":created", list);
		}
		return list;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
