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
import java.util.stream.Stream;

import io.github.lockspring.redis.RedisStore;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisSentinels;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * A Redis server with two replicas and three sentinels, which clients find by themselves,
 * and reach through proxies.
 */
final class SentinelTarget implements TortureStore {

	private final RedisSentinels sentinels = RedisSentinels.start();

	private final List<RedisServer> servers = Stream
		.concat(this.sentinels.sentinels().stream(), this.sentinels.servers().stream())
		.toList();

	private final Map<TortureFault, Inflictor> faults = new EnumMap<>(TortureFault.class);

	SentinelTarget() {
		this.faults.put(TortureFault.STORE_FAILED_OVER, Failover.by(this::failOver));
		this.faults.putAll(RedisFaults.of((step) -> this.sentinels.master()));
	}

	@Override
	public List<FaultProxy> newProxies() {
		return RedirectedPorts.proxies(this.servers);
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.SENTINEL,
				String.join(",", this.sentinels.sentinelAddresses()) + " " + RedirectedPorts.of(this.servers, proxies));
	}

	@Override
	public Map<TortureFault, Inflictor> faults() {
		return this.faults;
	}

	private void failOver(Step step) {
		RedisServer former = this.sentinels.master();
		switch ((int) (step.duration() % 3)) {
			case 0 -> this.sentinels.failOver();
			case 1 -> this.sentinels.failOverByKill();
			default -> this.sentinels.failOverByPause();
		}
		if (former.isRunning()) {
			former.resume();
		}
		else {
			former.restart();
		}
		this.sentinels.awaitReady();
	}

	@Override
	public void ask() {
		this.sentinels.sentinels().forEach((sentinel) -> sentinel.command("PING"));
	}

	@Override
	public void assertNothingLeft() {
		RedisStore.assertOnlyValuesLeft(this.sentinels.master());
	}

	@Override
	public void close() {
		this.sentinels.close();
	}

}
