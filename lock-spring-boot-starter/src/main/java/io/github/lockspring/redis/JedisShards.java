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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.providers.ClusterConnectionProvider;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Primaries of a cluster, each of which has the keys of some slots. The slots are
 * refreshed in the background after every failure.
 */
final class JedisShards implements JedisNodes {

	private final JedisClientFactory client;

	private final Executor threads;

	private final Runnable failedOver;

	private final Map<HostAndPort, JedisLinks> links = new ConcurrentHashMap<>();

	private final ReconnectingConnection<HostAndPort[]> slots;

	private volatile Set<HostAndPort> primaries = Set.of();

	private volatile boolean closed;

	/**
	 * Create a view on a cluster.
	 * @param client makes the connections
	 * @param threads connects in the background
	 * @param failedOver called after a failover to another server
	 */
	JedisShards(JedisClientFactory client, Executor threads, Runnable failedOver) {
		this.client = client;
		this.threads = threads;
		this.failedOver = failedOver;
		this.slots = new ReconnectingConnection<>(client.address(), this::discover, (known) -> true, (former) -> {
		}, null);
	}

	/**
	 * Query the nodes, one after another, until one responds.
	 */
	private HostAndPort[] discover() {
		Set<HostAndPort> candidates = new HashSet<>(this.primaries);
		candidates.addAll(this.client.clusterNodes());
		try (ClusterConnectionProvider cluster = this.client.cluster(candidates)) {
			HostAndPort[] slots = new HostAndPort[Protocol.CLUSTER_HASHSLOTS];
			Arrays.setAll(slots, cluster::getNode);
			return adopt(slots);
		}
	}

	private HostAndPort[] adopt(HostAndPort[] slots) {
		Set<HostAndPort> primaries = new HashSet<>();
		for (HostAndPort address : slots) {
			if (address != null) {
				primaries.add(address);
			}
		}
		if (primaries.isEmpty()) {
			throw new JedisConnectionException("The cluster has no slots");
		}
		boolean left = !primaries.containsAll(this.primaries);
		this.primaries = primaries;
		for (HostAndPort address : this.links.keySet()) {
			if (!primaries.contains(address)) {
				this.links.remove(address).close();
			}
		}
		if (left) {
			this.failedOver.run();
		}
		return slots;
	}

	@Override
	public JedisLinks of(byte[] key, Duration timeout) {
		HostAndPort address = this.slots.get(timeout)[ClusterSlotHashUtil.calculateSlot(key)];
		if (address == null) {
			doubt();
			throw new BackendUnavailableException("No server of the cluster serves the slot of the key", null);
		}
		return at(address);
	}

	@Override
	public JedisLinks at(HostAndPort address) {
		if (this.closed) {
			throw new BackendUnavailableException("The client is closed", null);
		}
		return this.links.computeIfAbsent(address, (added) -> new JedisLinks(added.toString(),
				(epoch) -> this.client.open(added, epoch), this.threads, this::doubt));
	}

	@Override
	public List<JedisLinks> all(Duration timeout) {
		this.slots.get(timeout);
		return this.primaries.stream().map(this::at).toList();
	}

	@Override
	public JedisLink open() {
		this.slots.get(this.client.timeout());
		List<HostAndPort> candidates = new ArrayList<>(this.primaries);
		Collections.shuffle(candidates);
		return this.client.open(candidates.get(0), 0);
	}

	@Override
	public boolean contains(HostAndPort address) {
		return this.primaries.contains(address);
	}

	@Override
	public void doubt() {
		this.slots.replace();
	}

	@Override
	public void close() {
		this.closed = true;
		this.slots.close();
		this.links.values().forEach(JedisLinks::close);
	}

}
