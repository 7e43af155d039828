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
import java.util.List;
import java.util.Map;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperEnsemble;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;
import io.github.lockspring.zookeeper.ZooKeeperStore;

/**
 * Three ZooKeeper servers. Of a leader that fails nothing is lost.
 */
final class EnsembleTarget implements TortureStore {

	private final ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start();

	private final Map<TortureFault, Inflictor> faults = Map.of(TortureFault.STORE_STOPPED, this::pause,
			TortureFault.STORE_KILLED, stopped(this.ensemble::loseQuorum), TortureFault.STORE_FAILED_OVER,
			this::failOver);

	@Override
	public List<FaultProxy> newProxies() {
		return this.ensemble.servers()
			.stream()
			.map((server) -> FaultProxy.zooKeeper(server.host(), server.port()))
			.toList();
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.ZOOKEEPER, ZooKeeperTarget.connectString(proxies));
	}

	@Override
	public Map<TortureFault, Inflictor> faults() {
		return this.faults;
	}

	/**
	 * Let the leader or one that follows stand still.
	 */
	private boolean pause(Step step, FaultLog log) throws InterruptedException {
		ZooKeeperServer server = (step.duration() % 2 == 0) ? this.ensemble.leader() : this.ensemble.followers().get(0);
		return stopped(server::pause).inflict(step, log);
	}

	/**
	 * Another server becomes the leader, and serves for some time.
	 */
	private boolean failOver(Step step, FaultLog log) throws InterruptedException {
		return stopped((step.duration() % 2 == 0) ? this.ensemble::failOverByKill : this.ensemble::failOverByPause)
			.inflict(step, log);
	}

	private Inflictor stopped(Runnable begin) {
		return ServerFaults.lasting(FaultKind.STOPPED, begin, this.ensemble::regainQuorum);
	}

	@Override
	public void ask() {
		this.ensemble.servers()
			.stream()
			.filter(ZooKeeperServer::isRunning)
			.forEach((server) -> server.fourLetterWord("ruok"));
	}

	@Override
	public Duration longestLease(Duration leaseTime) {
		return leaseTime.plus(ZooKeeperTarget.TICKS);
	}

	@Override
	public void assertNothingLeft() throws Exception {
		new ZooKeeperStore(this.ensemble.connectString(), ZooKeeperTarget.TICKS).assertOnlyValuesLeft();
	}

	@Override
	public void close() {
		this.ensemble.close();
	}

}
