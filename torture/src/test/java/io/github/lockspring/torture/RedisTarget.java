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
import java.util.Objects;

import io.github.lockspring.redis.RedisStore;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * One Redis server, with an append-only file.
 */
final class RedisTarget implements TortureStore {

	private final ClientType client;

	private final RedisServer server = RedisServer.builder().appendOnly().start();

	private final Map<TortureFault, Inflictor> faults = new EnumMap<>(TortureFault.class);

	RedisTarget(ClientType client, ServerFaults faults) {
		this.client = client;
		this.faults.putAll(ServerFaults.ofProcess(this.server::pause, this.server::resume, this.server::kill,
				this.server::restart));
		this.faults.put(TortureFault.STORE_EMPTIED, this::empty);
		this.faults.putAll(RedisFaults.of((step) -> this.server));
		this.faults.putAll(faults.ofClock(this::time));
	}

	RedisServer server() {
		return this.server;
	}

	@Override
	public List<FaultProxy> newProxies() {
		return List.of(new FaultProxy(this.server.host(), this.server.port()));
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(this.client, proxies.get(0).host() + ":" + proxies.get(0).port());
	}

	@Override
	public Map<TortureFault, Inflictor> faults() {
		return this.faults;
	}

	private long time() {
		List<?> time = (List<?>) Objects.requireNonNull(this.server.command("TIME"));
		return 1000 * Long.parseLong((String) time.get(0)) + Long.parseLong((String) time.get(1)) / 1000;
	}

	private boolean empty(Step step, FaultLog log) throws InterruptedException {
		log.begin(FaultKind.RESTARTED_WITHOUT_DATA, FaultLog.ALL);
		return ServerFaults.lasting(FaultKind.STOPPED, this.server::kill, () -> {
			log.begin(FaultKind.RESTARTED_WITHOUT_DATA, FaultLog.ALL);
			this.server.restartEmpty();
		}).inflict(step, log);
	}

	@Override
	public void ask() {
		this.server.command("PING");
	}

	@Override
	public void assertNothingLeft() {
		RedisStore.assertOnlyValuesLeft(this.server);
	}

	@Override
	public void close() {
		this.server.close();
	}

}
