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
import io.github.lockspring.server.RedisSentinels;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * A Redis server with two replicas and three sentinels, which clients find by themselves.
 */
final class SentinelTarget implements TortureStore {

	private final RedisSentinels sentinels = RedisSentinels.start();

	@Override
	public List<FaultProxy> newProxies() {
		return List.of();
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.SENTINEL, String.join(",", this.sentinels.sentinelAddresses()));
	}

	@Override
	public Set<TortureFault> faults() {
		return EnumSet.of(TortureFault.STORE_FAILED_OVER, TortureFault.CLIENTS_KILLED, TortureFault.SCRIPTS_FLUSHED);
	}

	@Override
	public void inflict(Step step, FaultLog log) throws InterruptedException {
		switch (step.fault()) {
			case STORE_FAILED_OVER -> Failover.inflict(log, () -> failOver(step));
			case CLIENTS_KILLED -> Failover.killClients(log, this.sentinels.master());
			case SCRIPTS_FLUSHED -> this.sentinels.master().flushScripts();
			default -> throw new IllegalArgumentException(step.toString());
		}
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
