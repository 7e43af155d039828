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

package io.github.lockspring.sample.homemade;

import java.time.Duration;
import java.util.UUID;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * Owner and deletion in one script: the lock of the manual of Redis. But it expires while
 * its holder still works, if the work takes longer than was thought.
 */
public final class LuaReleaseLock implements HomemadeLock {

	private static final String RELEASE = """
			if redis.call('get', KEYS[1]) == ARGV[1] then
				return redis.call('del', KEYS[1])
			end
			return 0
			""";

	private final RedisCommands<String, String> redis;

	private final String key;

	private final Duration expiry;

	private final String owner = UUID.randomUUID().toString();

	public LuaReleaseLock(RedisCommands<String, String> redis, String key, Duration expiry) {
		this.redis = redis;
		this.key = key;
		this.expiry = expiry;
	}

	@Override
	public boolean tryLock() {
		SetArgs ifAbsent = SetArgs.Builder.nx().px(this.expiry.toMillis());
		return "OK".equals(this.redis.set(this.key, this.owner, ifAbsent));
	}

	@Override
	public void unlock() {
		this.redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] { this.key }, this.owner);
	}

}
