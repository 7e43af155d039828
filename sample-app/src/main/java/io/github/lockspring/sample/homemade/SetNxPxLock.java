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

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * Key and expiry in one command. But the key does not say whose it is: a holder that is
 * slower than the expiry deletes the key of its successor.
 */
public final class SetNxPxLock implements HomemadeLock {

	private final RedisCommands<String, String> redis;

	private final String key;

	private final Duration expiry;

	public SetNxPxLock(RedisCommands<String, String> redis, String key, Duration expiry) {
		this.redis = redis;
		this.key = key;
		this.expiry = expiry;
	}

	@Override
	public boolean tryLock() {
		SetArgs ifAbsent = SetArgs.Builder.nx().px(this.expiry.toMillis());
		return "OK".equals(this.redis.set(this.key, "locked", ifAbsent));
	}

	@Override
	public void unlock() {
		this.redis.del(this.key);
	}

}
