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

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;
import io.github.lockspring.zookeeper.ZooKeeperStore;

/**
 * One ZooKeeper server.
 */
final class ZooKeeperTarget implements TortureStore {

	/**
	 * Sessions end at a tick of the server, which is half a second, and a client is told
	 * at the next one.
	 */
	static final Duration TICKS = Duration.ofSeconds(1);

	/**
	 * How many more requests for a key have a number of their own.
	 */
	private static final int NUMBERS_LEFT = 10;

	private final ZooKeeperServer server = ZooKeeperServer.start();

	private final Map<TortureFault, Inflictor> faults = new EnumMap<>(
			ServerFaults.ofProcess(this.server::pause, this.server::resume, this.server::kill, this.server::restart));

	ZooKeeperTarget() {
		this.faults.put(TortureFault.NUMBERS_USED_UP, this::useUpNumbers);
	}

	@Override
	public List<FaultProxy> newProxies() {
		return List.of(FaultProxy.zooKeeper(this.server.host(), this.server.port()));
	}

	/**
	 * There are two addresses: a client pauses for a second before it tries the only one
	 * again.
	 */
	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.ZOOKEEPER, connectString(proxies) + ",localhost:" + proxies.get(0).port());
	}

	static String connectString(List<FaultProxy> proxies) {
		return proxies.stream().map((proxy) -> proxy.host() + ":" + proxy.port()).collect(Collectors.joining(","));
	}

	@Override
	public Map<TortureFault, Inflictor> faults() {
		return this.faults;
	}

	/**
	 * The numbers of all queues are used up soon after the server has started again.
	 */
	private boolean useUpNumbers(Step step, FaultLog log) throws InterruptedException {
		return ServerFaults
			.lasting(FaultKind.STOPPED, this.server::stop, () -> this.server.restartAtLastNumbers(NUMBERS_LEFT))
			.inflict(step, log);
	}

	@Override
	public void ask() {
		this.server.fourLetterWord("ruok");
	}

	@Override
	public Duration longestLease(Duration leaseTime) {
		return leaseTime.plus(TICKS);
	}

	@Override
	public void assertNothingLeft() throws Exception {
		new ZooKeeperStore(this.server.connectString(), TICKS).assertOnlyValuesLeft();
	}

	@Override
	public void close() {
		this.server.close();
	}

}
