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

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The key has an owner, who is compared before it is deleted. But the key can expire, and
 * become that of another, between the comparison and the deletion.
 */
public final class OwnerInJavaLock implements HomemadeLock {

	private final RedisCommands<String, String> redis;

	private final String key;

	private final Duration expiry;

	private final Pause pause;

	private final String owner = UUID.randomUUID().toString();

	public OwnerInJavaLock(RedisCommands<String, String> redis, String key, Duration expiry, Pause pause) {
		this.redis = redis;
		this.key = key;
		this.expiry = expiry;
		this.pause = pause;
	}

	@Override
	public boolean tryLock() {
		SetArgs ifAbsent = SetArgs.Builder.nx().px(this.expiry.toMillis());
		return "OK".equals(this.redis.set(this.key, this.owner, ifAbsent));
	}

	@Override
	public void unlock() throws Exception {
		if (this.owner.equals(this.redis.get(this.key))) {
			this.pause.here();
			this.redis.del(this.key);
		}
	}

}
