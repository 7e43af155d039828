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

package io.github.lockspring.simulator.cluster;

import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.lockspring.redis.RedisLockBackend;
import io.github.lockspring.redlock.ModelRedlock;
import io.github.lockspring.spi.LockBackend;

/**
 * Redlock on three servers of Redis, of which faults affect one at a time.
 */
public final class SimulatedRedlock implements SimulatedStore {

	private static final int SERVERS = 3;

	private final Map<Server, SimulatedRedis> nodes = new LinkedHashMap<>();

	/**
	 * Create servers without data.
	 * @param server the first of them
	 */
	public SimulatedRedlock(Server server) {
		this.nodes.put(server, new SimulatedRedis(server));
		for (int i = 2; i <= SERVERS; i++) {
			Server other = new Server(server.node().scheduler(), server.node().name() + '-' + i);
			this.nodes.put(other, new SimulatedRedis(other));
		}
	}

	@Override
	public List<Server> otherServers() {
		return this.nodes.keySet().stream().skip(1).toList();
	}

	@Override
	public Set<ClusterWork> works() {
		return EnumSet.of(ClusterWork.LOCKS);
	}

	@Override
	public LockBackend backend(Link link) {
		throw new UnsupportedOperationException("Redlock has several servers");
	}

	@Override
	public LockBackend backend(List<Link> links) {
		Map<String, Supplier<RedisLockBackend>> backends = new LinkedHashMap<>();
		links.forEach((link) -> backends.put(link.server().node().name(), () -> at(link.server()).backend(link)));
		return ModelRedlock.backend(backends);
	}

	@Override
	public SimulatedRedis at(Server server) {
		SimulatedRedis node = this.nodes.get(server);
		if (node == null) {
			throw new IllegalArgumentException("Not one of the servers");
		}
		return node;
	}

	@Override
	public void remember() {
		this.nodes.values().forEach(SimulatedRedis::remember);
	}

	@Override
	public void failOver() {
		this.nodes.values().forEach(SimulatedRedis::failOver);
	}

	@Override
	public void forget() {
		this.nodes.values().forEach(SimulatedRedis::forget);
	}

	@Override
	public Duration reservation(Duration leaseTime) {
		return Duration.ZERO;
	}

}
