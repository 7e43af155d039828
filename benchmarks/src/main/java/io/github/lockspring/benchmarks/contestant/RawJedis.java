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

import java.net.URI;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.params.SetParams;

/**
 * What {@link RawRedis} does, on blocking sockets of a bare Jedis: the calling thread
 * itself writes the command and reads the answer.
 */
public final class RawJedis implements Contestant {

	private static final SetParams TERMS = SetParams.setParams().nx().px(RawRedis.LEASE_MILLIS);

	private final JedisPool pool;

	private final String release;

	public RawJedis(String uri) {
		this.pool = new JedisPool(URI.create(uri));
		try (Jedis connection = this.pool.getResource()) {
			this.release = connection.scriptLoad(RawRedis.RELEASE);
		}
	}

	@Override
	public Hold acquire(String key) {
		String name = RawRedis.PREFIX + key;
		String owner = Thread.currentThread().getName();
		try (Jedis connection = this.pool.getResource()) {
			connection.set(name, owner, TERMS);
		}
		return () -> {
			try (Jedis connection = this.pool.getResource()) {
				connection.evalsha(this.release, 1, name, owner);
			}
		};
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		return acquire(key);
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
