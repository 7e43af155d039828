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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * Reentrant, and renewed by a thread for each lock. But that thread stands still together
 * with its process, and the holder does not learn that the key is gone.
 */
public final class ReentrantHashLock implements HomemadeLock {

	private static final String ACQUIRE = """
			if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
				redis.call('hincrby', KEYS[1], ARGV[1], 1)
				return redis.call('pexpire', KEYS[1], ARGV[2])
			end""";

	private static final String RENEW = """
			return redis.call('hexists', KEYS[1], ARGV[1]) == 1 and redis.call('pexpire', KEYS[1], ARGV[2])""";

	private static final String RELEASE = """
			if redis.call('hexists', KEYS[1], ARGV[1]) == 1 and redis.call('hincrby', KEYS[1], ARGV[1], -1) == 0 then
				return redis.call('del', KEYS[1])
			end""";

	private final RedisCommands<String, String> redis;

	private final String[] keys;

	private final long expiry;

	private final String client = UUID.randomUUID().toString();

	private final ScheduledExecutorService renewal = Executors.newSingleThreadScheduledExecutor();

	private volatile String owner = "";

	public ReentrantHashLock(RedisCommands<String, String> redis, String key, Duration expiry) {
		this.redis = redis;
		this.keys = new String[] { key };
		this.expiry = expiry.toMillis();
		this.renewal.scheduleWithFixedDelay(() -> call(RENEW), this.expiry / 3, this.expiry / 3, TimeUnit.MILLISECONDS);
	}

	@Override
	public boolean tryLock() {
		this.owner = this.client + ':' + Thread.currentThread().getId();
		return call(ACQUIRE) != null;
	}

	@Override
	public void unlock() {
		call(RELEASE);
	}

	private @Nullable Long call(String script) {
		return this.redis.eval(script, ScriptOutputType.INTEGER, this.keys, this.owner, String.valueOf(this.expiry));
	}

	@Override
	public void close() {
		this.renewal.shutdownNow();
	}

}
