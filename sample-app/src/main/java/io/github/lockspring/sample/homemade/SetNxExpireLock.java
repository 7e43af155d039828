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

import io.lettuce.core.api.sync.RedisCommands;

/**
 * The key expires, so that a holder that dies does not block the others. But the expiry
 * is a second command, and a process can die before it.
 */
public final class SetNxExpireLock implements HomemadeLock {

	private final RedisCommands<String, String> redis;

	private final String key;

	private final Duration expiry;

	private final Pause pause;

	public SetNxExpireLock(RedisCommands<String, String> redis, String key, Duration expiry, Pause pause) {
		this.redis = redis;
		this.key = key;
		this.expiry = expiry;
		this.pause = pause;
	}

	@Override
	public boolean tryLock() throws Exception {
		if (!this.redis.setnx(this.key, "locked")) {
			return false;
		}
		this.pause.here();
		this.redis.pexpire(this.key, this.expiry.toMillis());
		return true;
	}

	@Override
	public void unlock() {
		this.redis.del(this.key);
	}

}
