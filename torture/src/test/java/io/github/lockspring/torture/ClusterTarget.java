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

package io.github.lockspring.torture;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.github.lockspring.redis.RedisStore;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisCluster;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * A Redis cluster of three servers, each with a replica, which clients find by
 * themselves, and reach through proxies.
 */
final class ClusterTarget implements TortureStore {

	private final RedisCluster cluster = RedisCluster.start();

	private final Map<TortureFault, Inflictor> faults = new EnumMap<>(TortureFault.class);

	ClusterTarget() {
		this.faults.put(TortureFault.STORE_STOPPED, Failover.by(this::stop));
		this.faults.put(TortureFault.STORE_FAILED_OVER, Failover.by(this::failOver));
		this.faults.putAll(RedisFaults.of(this::master));
	}

	@Override
	public List<FaultProxy> newProxies() {
		return RedirectedPorts.proxies(this.cluster.nodes());
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.CLUSTER,
				String.join(",", this.cluster.addresses()) + " " + RedirectedPorts.of(this.cluster.nodes(), proxies));
	}

	@Override
	public Map<TortureFault, Inflictor> faults() {
		return this.faults;
	}

	private static int slot(Step step) {
		return (int) (step.duration() * 31 % RedisCluster.SLOTS);
	}

	private RedisServer master(Step step) {
		return this.cluster.master(slot(step));
	}

	/**
	 * If that takes long enough, its replica takes its place.
	 */
	private void stop(Step step) {
		RedisServer server = master(step);
		server.pause();
		try {
			Thread.sleep(step.duration());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		server.resume();
		this.cluster.awaitReady();
	}

	private void failOver(Step step) {
		RedisServer former = master(step);
		this.cluster.failOver(slot(step));
		former.restart();
		this.cluster.awaitReady();
	}

	@Override
	public void ask() {
		this.cluster.nodes().get(0).command("PING");
	}

	@Override
	public void assertNothingLeft() {
		RedisStore.assertOnlyValuesLeft(this.cluster.nodes().toArray(RedisServer[]::new));
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
