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

import io.github.lockspring.jdbc.JdbcLockSchema;
import io.github.lockspring.jdbc.JdbcStore;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * A database server, with the table of locks.
 */
final class SqlTarget implements TortureStore {

	private final SqlServer server;

	private final ServerFaults faults;

	private final JdbcStore store;

	SqlTarget(SqlServer server, ServerFaults faults) {
		this.server = server;
		this.faults = faults;
		this.store = new JdbcStore(server.jdbcUrl(), server.user(), server.password(),
				JdbcLockSchema.DEFAULT_TABLE_NAME);
		this.store.createTable();
	}

	@Override
	public List<FaultProxy> newProxies() {
		return List.of(this.server.proxy());
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.JDBC,
				this.server.proxied(proxies.get(0)) + " " + this.server.user() + " " + this.server.password());
	}

	@Override
	public Set<TortureFault> faults() {
		return EnumSet.of(TortureFault.STORE_STOPPED, TortureFault.STORE_KILLED, TortureFault.CLIENTS_KILLED,
				TortureFault.STORE_CLOCK_BACK, TortureFault.STORE_CLOCK_FORWARD);
	}

	@Override
	public void inflict(Step step, FaultLog log) throws InterruptedException {
		switch (step.fault()) {
			case STORE_STOPPED ->
				ServerFaults.lasts(FaultKind.DELAYED, step, log, this.server::pause, this.server::resume);
			case STORE_KILLED ->
				ServerFaults.lasts(FaultKind.STOPPED, step, log, this.server::kill, this.server::restart);
			case CLIENTS_KILLED -> {
				log.begin(FaultKind.REPLY_LOST, FaultLog.ALL);
				this.server.terminateBackends();
			}
			case STORE_CLOCK_BACK -> this.faults.jumpBack(step, log);
			case STORE_CLOCK_FORWARD -> this.faults.jumpForward(step, log);
			default -> throw new IllegalArgumentException(step.toString());
		}
	}

	@Override
	public void ask() {
		this.server.execute("SELECT 1");
	}

	@Override
	public void assertNothingLeft() {
		this.store.assertNothingLeft();
	}

	@Override
	public void close() {
		this.server.close();
	}

}
