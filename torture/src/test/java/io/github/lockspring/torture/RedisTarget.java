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
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * One Redis server, with an append-only file.
 */
final class RedisTarget implements TortureStore {

	private final ClientType client;

	private final ServerFaults faults;

	private final RedisServer server = RedisServer.builder().appendOnly().start();

	RedisTarget(ClientType client, ServerFaults faults) {
		this.client = client;
		this.faults = faults;
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
	public Set<TortureFault> faults() {
		return EnumSet.of(TortureFault.STORE_STOPPED, TortureFault.STORE_KILLED, TortureFault.STORE_EMPTIED,
				TortureFault.CLIENTS_KILLED, TortureFault.SCRIPTS_FLUSHED, TortureFault.OUT_OF_MEMORY,
				TortureFault.STORE_CLOCK_BACK, TortureFault.STORE_CLOCK_FORWARD);
	}

	@Override
	public void inflict(Step step, FaultLog log) throws InterruptedException {
		switch (step.fault()) {
			case STORE_STOPPED ->
				ServerFaults.lasts(FaultKind.DELAYED, step, log, this.server::pause, this.server::resume);
			case STORE_KILLED ->
				ServerFaults.lasts(FaultKind.STOPPED, step, log, this.server::kill, this.server::restart);
			case STORE_EMPTIED -> empty(step, log);
			case CLIENTS_KILLED -> killClients(step, log);
			case SCRIPTS_FLUSHED -> this.server.flushScripts();
			case OUT_OF_MEMORY ->
				ServerFaults.lasts(FaultKind.STOPPED, step, log, () -> limitMemory("1"), () -> limitMemory("0"));
			case STORE_CLOCK_BACK -> this.faults.jumpBack(step, log);
			case STORE_CLOCK_FORWARD -> this.faults.jumpForward(step, log);
			default -> throw new IllegalArgumentException(step.toString());
		}
	}

	private void empty(Step step, FaultLog log) throws InterruptedException {
		log.begin(FaultKind.RESTARTED_WITHOUT_DATA, FaultLog.ALL);
		ServerFaults.lasts(FaultKind.STOPPED, step, log, this.server::kill, () -> {
			log.begin(FaultKind.RESTARTED_WITHOUT_DATA, FaultLog.ALL);
			this.server.restartEmpty();
		});
	}

	private void killClients(Step step, FaultLog log) {
		boolean subscriptions = step.duration() % 2 == 0;
		log.begin(subscriptions ? FaultKind.NOTIFICATION_LOST : FaultKind.REPLY_LOST, FaultLog.ALL);
		this.server.killClients(subscriptions ? "pubsub" : "normal");
	}

	private void limitMemory(String bytes) {
		this.server.command("CONFIG", "SET", "maxmemory", bytes);
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
