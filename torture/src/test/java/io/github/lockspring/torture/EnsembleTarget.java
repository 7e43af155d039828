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
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

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
	public Set<TortureFault> faults() {
		return EnumSet.of(TortureFault.STORE_STOPPED, TortureFault.STORE_KILLED);
	}

	/**
	 * To the leader as well as to one that follows.
	 */
	@Override
	public void inflict(Step step, FaultLog log) throws InterruptedException {
		ZooKeeperServer server = (step.duration() % 2 == 0) ? this.ensemble.leader() : this.ensemble.followers().get(0);
		Runnable begin = (step.fault() == TortureFault.STORE_STOPPED) ? server::pause : server::kill;
		ServerFaults.lasts(FaultKind.STOPPED, step, log, begin, this.ensemble::regainQuorum);
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
