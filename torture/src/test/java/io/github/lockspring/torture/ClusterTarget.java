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

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.lockspring.redis.RedisStore;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisCluster;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * A Redis cluster of three servers, each with a replica, which clients find by
 * themselves.
 */
final class ClusterTarget implements TortureStore {

	private final RedisCluster cluster = RedisCluster.start();

	@Override
	public List<FaultProxy> newProxies() {
		return List.of();
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.CLUSTER, String.join(",", this.cluster.addresses()));
	}

	@Override
	public Set<TortureFault> faults() {
		return EnumSet.of(TortureFault.STORE_STOPPED, TortureFault.STORE_FAILED_OVER, TortureFault.CLIENTS_KILLED,
				TortureFault.SCRIPTS_FLUSHED);
	}

	@Override
	public void inflict(Step step, FaultLog log) throws InterruptedException {
		int slot = (int) (step.duration() * 31 % RedisCluster.SLOTS);
		RedisServer server = this.cluster.master(slot);
		switch (step.fault()) {
			case STORE_STOPPED -> Failover.inflict(log, () -> stop(step, server));
			case STORE_FAILED_OVER -> Failover.inflict(log, () -> failOver(slot, server));
			case CLIENTS_KILLED -> Failover.killClients(log, server);
			case SCRIPTS_FLUSHED -> server.flushScripts();
			default -> throw new IllegalArgumentException(step.toString());
		}
	}

	/**
	 * If that takes long enough, its replica takes its place.
	 */
	private void stop(Step step, RedisServer server) {
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

	private void failOver(int slot, RedisServer server) {
		this.cluster.failOver(slot);
		server.restart();
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
