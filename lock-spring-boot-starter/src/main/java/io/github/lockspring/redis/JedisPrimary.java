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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;

import io.github.lockspring.support.Deadline;

/**
 * Single server that has all keys: a fixed one, or the primary reported by the sentinels.
 */
final class JedisPrimary implements JedisNodes {

	private final JedisClientFactory client;

	private final @Nullable SentinelWatch watch;

	private final JedisLinks links;

	private final Runnable failedOver;

	/**
	 * Servers to which connections were opened.
	 */
	private final Set<HostAndPort> servers = ConcurrentHashMap.newKeySet();

	/**
	 * Create a view on one server.
	 * @param client makes the connections
	 * @param threads connects in the background
	 * @param lead notified of the time of a failover
	 * @param failedOver called after a failover to another server
	 */
	JedisPrimary(JedisClientFactory client, Executor threads, TokenLead lead, Runnable failedOver) {
		this.client = client;
		RedisSentinelConfiguration sentinels = client.sentinel();
		this.failedOver = failedOver;
		this.watch = (sentinels != null) ? new SentinelWatch(List.copyOf(sentinels.getSentinels()),
				(node) -> JedisSentinel.connect(node, client, sentinels), lead, this::failOver) : null;
		this.links = new JedisLinks(client.address(), this::open, threads, () -> {
		});
	}

	@Override
	public void start() {
		if (this.watch != null) {
			this.watch.start();
		}
	}

	/**
	 * Disconnect from the former primary, which may not have detected the failover yet.
	 */
	private void failOver() {
		this.links.replace();
		this.client.cut((link) -> this.servers.contains(link.address()) && !contains(link.address()));
		this.failedOver.run();
	}

	private JedisLink open(int epoch) {
		HostAndPort address = address(this.client.timeout());
		this.servers.add(address);
		return ReconnectingConnection.prepare(this.client.open(address, epoch), this::requirePrimary, JedisLink::cut);
	}

	/**
	 * Reject a server that is still a replica. The sentinels may report a replica before
	 * it is promoted.
	 */
	private JedisLink requirePrimary(JedisLink link) {
		if (this.watch != null && !link.isPrimary(Deadline.after(this.client.timeout()))) {
			throw new JedisConnectionException("The server is not a primary yet");
		}
		return link;
	}

	private HostAndPort address(Duration timeout) {
		if (this.watch != null) {
			return JedisClientFactory.address(this.watch.primary(timeout));
		}
		RedisStandaloneConfiguration server = this.client.standalone();
		return new HostAndPort(server.getHostName(), server.getPort());
	}

	@Override
	public JedisLinks of(byte[] key, Duration timeout) {
		if (this.watch != null) {
			this.watch.primary(timeout);
		}
		return this.links;
	}

	@Override
	public JedisLinks at(HostAndPort address) {
		return this.links;
	}

	@Override
	public List<JedisLinks> all(Duration timeout) {
		return List.of(of(new byte[0], timeout));
	}

	@Override
	public JedisLink open() {
		return open(0);
	}

	@Override
	public boolean contains(HostAndPort address) {
		return this.watch == null || this.watch.isPrimary(address.getHost(), address.getPort());
	}

	@Override
	public void doubt() {
		this.links.replace();
	}

	@Override
	public void close() {
		if (this.watch != null) {
			this.watch.close();
		}
		this.links.close();
	}

}
