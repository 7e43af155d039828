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
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.providers.ClusterConnectionProvider;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Primaries of a cluster, each of which has the keys of some slots. They are refreshed in
 * the background after every failure.
 */
final class JedisSlots implements AutoCloseable {

	private static final Duration MAX_PAUSE = Duration.ofMillis(500);

	private final List<HostAndPort> nodes;

	private final JedisClientConfig config;

	private final ReconnectingConnection<HostAndPort[]> slots;

	private volatile Set<HostAndPort> primaries = Set.of();

	private volatile @Nullable Runnable failedOver;

	JedisSlots(String address, List<HostAndPort> nodes, JedisClientConfig config) {
		this.nodes = nodes;
		this.config = config;
		this.slots = new ReconnectingConnection<>(address, this::discover, (known) -> true, (former) -> {
		}, MAX_PAUSE, null);
	}

	/**
	 * Discover the primaries.
	 * @param failedOver called after a failover to another server
	 */
	void start(Runnable failedOver) {
		this.failedOver = failedOver;
		this.slots.renew();
	}

	/**
	 * Query the nodes, one after another, until one responds.
	 */
	private HostAndPort[] discover() {
		Set<HostAndPort> candidates = new HashSet<>(this.primaries);
		candidates.addAll(this.nodes);
		try (ClusterConnectionProvider cluster = new ClusterConnectionProvider(candidates, this.config)) {
			HostAndPort[] slots = new HostAndPort[Protocol.CLUSTER_HASHSLOTS];
			Arrays.setAll(slots, cluster::getNode);
			return adopt(slots);
		}
	}

	private HostAndPort[] adopt(HostAndPort[] slots) {
		Set<HostAndPort> primaries = Arrays.stream(slots).filter(Objects::nonNull).collect(Collectors.toSet());
		if (primaries.isEmpty()) {
			throw new JedisConnectionException("The cluster has no slots");
		}
		boolean left = !primaries.containsAll(this.primaries);
		this.primaries = primaries;
		Runnable failedOver = this.failedOver;
		if (left && failedOver != null) {
			failedOver.run();
		}
		return slots;
	}

	/**
	 * Return the server that has a key.
	 * @throws BackendUnavailableException if it is not known in time
	 */
	HostAndPort of(byte[] key, Duration timeout) {
		HostAndPort address = this.slots.get(timeout)[ClusterSlotHashUtil.calculateSlot(key)];
		if (address == null) {
			refresh();
			throw new BackendUnavailableException("No server of the cluster serves the slot of the key", null);
		}
		return address;
	}

	/**
	 * Return the server that has a key, if it is known.
	 */
	@Nullable HostAndPort known(byte[] key) {
		HostAndPort[] known = this.slots.current();
		return (known != null) ? known[ClusterSlotHashUtil.calculateSlot(key)] : null;
	}

	Set<HostAndPort> primaries(Duration timeout) {
		this.slots.get(timeout);
		return this.primaries;
	}

	/**
	 * Return whether a server is a primary, as far as is known.
	 */
	boolean contains(HostAndPort address) {
		return this.primaries.contains(address);
	}

	/**
	 * Query the primaries again, because the role of a server may have changed.
	 */
	void refresh() {
		HostAndPort[] known = this.slots.current();
		if (known != null) {
			this.slots.replace(known);
		}
		else {
			this.slots.renew();
		}
	}

	@Override
	public void close() {
		this.slots.close();
	}

}
