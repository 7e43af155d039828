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

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * The least that a lock in Redis can cost: {@code SET NX PX} to take a key and a script
 * that deletes it if it is still ours to release it, on one connection of a bare Lettuce.
 * No thread is excluded, whatever the commands return.
 */
public final class RawRedis implements Contestant {

	static final String RELEASE = """
			if redis.call('GET', KEYS[1]) == ARGV[1] then
				return redis.call('DEL', KEYS[1])
			end
			return 0
			""";

	static final String PREFIX = "bench-raw:";

	static final int LEASE_MILLIS = 30_000;

	private static final SetArgs TERMS = SetArgs.Builder.nx().px(LEASE_MILLIS);

	private final RedisClient client;

	private final RedisCommands<String, String> commands;

	private final String release;

	public RawRedis(String uri) {
		this.client = RedisClient.create(uri);
		this.commands = this.client.connect().sync();
		this.release = this.commands.scriptLoad(RELEASE);
	}

	@Override
	public Hold acquire(String key) {
		String name = PREFIX + key;
		String owner = Thread.currentThread().getName();
		this.commands.set(name, owner, TERMS);
		return () -> this.commands.evalsha(this.release, ScriptOutputType.INTEGER, new String[] { name }, owner);
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		return acquire(key);
	}

	@Override
	public void close() {
		this.client.close();
	}

}
