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

import io.lettuce.core.api.sync.RedisCommands;

/**
 * The first lock: the key exists, or it does not. If its holder dies, it exists forever.
 */
public final class SetNxLock implements HomemadeLock {

	private final RedisCommands<String, String> redis;

	private final String key;

	public SetNxLock(RedisCommands<String, String> redis, String key) {
		this.redis = redis;
		this.key = key;
	}

	@Override
	public boolean tryLock() {
		return this.redis.setnx(this.key, "locked");
	}

	@Override
	public void unlock() {
		this.redis.del(this.key);
	}

}
