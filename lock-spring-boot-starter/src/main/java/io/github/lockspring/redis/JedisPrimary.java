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
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * One server that has all keys: always the same, or the one that the sentinels name
 * whenever a connection is made.
 */
final class JedisPrimary implements JedisNodes {

	private final JedisClientCopy client;

	private final Supplier<HostAndPort> locator;

	private final JedisLinks links;

	/**
	 * Where the calls go to, if it is known.
	 */
	private volatile @Nullable HostAndPort address;

	private volatile @Nullable JedisLink messages;

	private JedisPrimary(JedisClientCopy client, Supplier<HostAndPort> locator, Executor threads) {
		this.client = client;
		this.locator = locator;
		this.links = new JedisLinks(this::open, threads, () -> {
		});
	}

	static JedisPrimary of(JedisClientCopy client, Executor threads) {
		RedisSentinelConfiguration sentinel = client.sentinel();
		if (sentinel != null) {
			return new JedisPrimary(client, new JedisSentinels(client, sentinel), threads);
		}
		RedisStandaloneConfiguration server = client.standalone();
		HostAndPort address = new HostAndPort(server.getHostName(), server.getPort());
		return new JedisPrimary(client, () -> address, threads);
	}

	private JedisLink open(int epoch) {
		JedisLink link = this.client.open(this.locator.get(), epoch);
		this.address = link.address();
		JedisLink messages = this.messages;
		if (messages != null && !contains(messages.address())) {
			messages.cut();
		}
		return link;
	}

	@Override
	public JedisLinks of(byte[] key, Duration timeout) {
		return this.links;
	}

	@Override
	public JedisLinks at(HostAndPort address) {
		return this.links;
	}

	@Override
	public List<JedisLinks> all(Duration timeout) {
		return List.of(this.links);
	}

	@Override
	public JedisLink open() {
		JedisLink link = this.client.open(this.locator.get(), 0);
		this.messages = link;
		return link;
	}

	@Override
	public boolean contains(HostAndPort address) {
		HostAndPort known = this.address;
		return known == null || known.equals(address);
	}

	@Override
	public void doubt() {
		this.address = null;
		this.links.replace();
	}

	@Override
	public void close() {
		this.links.close();
	}

}
