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

package io.github.lockspring.redis;

import java.time.Duration;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

class RedisLockBackendTests extends LockBackendContractTests {

	private static final LettuceConnectionFactory factory = new LettuceConnectionFactory(
			new RedisStandaloneConfiguration("localhost", 7399));
	static {
		factory.afterPropertiesSet();
		factory.start();
	}

	@Override
	protected LockBackend backend() {
		return new RedisLockBackend(factory, RedisLockSettings.defaults());
	}

	@Override
	protected void expire(LeaseRequest lease) {
		String script = "local v = redis.call('GET', KEYS[1]) "
				+ "if v then v = string.gsub(v, '^(1 x ' .. ARGV[2] .. ') %d+', '%1 1') "
				+ "v = string.gsub(v, '^(1 [sp] %S+) %d+', '%1 1') redis.call('SET', KEYS[1], v, 'PX', 60000) end "
				+ "local d = redis.call('HGET', KEYS[2], ARGV[1]) "
				+ "if d then redis.call('HSET', KEYS[2], ARGV[1], (string.gsub(d, '^(h %d+) %d+', '%1 1'))) end return 1";
		for (String key : lease.keys()) {
			byte[][] names = RedisKeys.of(key);
			String owner = lease.owner().toString();
			factory.getConnection()
				.scriptingCommands()
				.eval(script.getBytes(), org.springframework.data.redis.connection.ReturnType.INTEGER, 2, names[0],
						names[1], owner.getBytes(), owner.replace("-", "%-").getBytes());
		}
	}

}
