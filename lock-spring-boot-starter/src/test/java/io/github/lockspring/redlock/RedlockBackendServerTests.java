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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.redis.LeaseExpiry;
import io.github.lockspring.redis.RedisLockSettings;
import io.github.lockspring.redis.RedisProcess;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * {@link LockBackendContractTests} for {@link RedlockBackend} on three servers.
 */
class RedlockBackendServerTests extends LockBackendContractTests {

	private List<RedisServer> servers;

	private final Map<String, RedisConnectionFactory> factories = new LinkedHashMap<>();

	@BeforeAll
	void connect() {
		this.servers = Stream.generate(RedisServer::start).limit(3).toList();
		this.servers.forEach((server) -> this.factories.put("node-" + server.port(), factory(server)));
	}

	private static LettuceConnectionFactory factory(RedisServer server) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(RedisProcess.configuration(server));
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	@Override
	protected void disconnect() {
		this.factories.values().forEach((factory) -> ((LettuceConnectionFactory) factory).destroy());
		this.servers.forEach(RedisServer::close);
	}

	@Override
	protected LockBackend backend() {
		return new RedlockBackend(this.factories, RedisProcess.SETTINGS, Duration.ofSeconds(10));
	}

	@Override
	protected void expire(LeaseRequest lease) {
		this.servers.forEach((server) -> LeaseExpiry.expire(lease, server::command));
	}

	@Override
	protected LockBackend unreachableBackend() {
		Map<String, RedisConnectionFactory> nowhere = new LinkedHashMap<>(this.factories);
		nowhere.replaceAll((name, factory) -> {
			LettuceConnectionFactory away = new LettuceConnectionFactory("localhost", 1);
			away.afterPropertiesSet();
			away.start();
			return (nowhere.keySet().iterator().next().equals(name)) ? factory : away;
		});
		return new RedlockBackend(nowhere, RedisLockSettings.defaults());
	}

	@Override
	protected boolean letsOneOfManyWin() {
		return false;
	}

}
