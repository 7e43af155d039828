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
import java.util.Set;

import io.github.lockspring.jdbc.JdbcLockSchema;
import io.github.lockspring.jdbc.JdbcStore;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.H2Server;
import io.github.lockspring.server.RowLock;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * A database server, with the table of locks.
 */
final class SqlTarget implements TortureStore {

	private final SqlServer server;

	private final String options;

	private final JdbcStore store;

	private final Map<TortureFault, Inflictor> faults = new EnumMap<>(TortureFault.class);

	/**
	 * Create the table.
	 * @param server the server
	 * @param options the end of the URL of workers
	 * @param faults faults of any server
	 */
	SqlTarget(SqlServer server, String options, ServerFaults faults) {
		this.server = server;
		this.options = options;
		this.store = new JdbcStore(server.jdbcUrl(), server.user(), server.password(),
				JdbcLockSchema.DEFAULT_TABLE_NAME);
		this.store.createTable();
		this.faults.putAll(ServerFaults.ofProcess(server::pause, server::resume, server::kill, server::restart));
		this.faults.put(TortureFault.CLIENTS_KILLED, this::killClients);
		this.faults.put(TortureFault.ROWS_LOCKED, this::lockRows);
		this.faults.putAll(faults.ofClock(() -> this.store.micros() / 1000));
	}

	@Override
	public List<FaultProxy> newProxies() {
		return List.of(this.server.proxy());
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.JDBC, this.server.proxied(proxies.get(0)) + this.options + " "
				+ this.server.user() + " " + this.server.password());
	}

	/**
	 * The driver of H2 cannot abort a call, and limits only the time between two bytes.
	 */
	@Override
	public Set<TortureFault> networkFaults() {
		Set<TortureFault> faults = TortureStore.super.networkFaults();
		if (this.server instanceof H2Server) {
			faults.remove(TortureFault.SLOW);
		}
		return faults;
	}

	@Override
	public Map<TortureFault, Inflictor> faults() {
		return this.faults;
	}

	private boolean killClients(Step step, FaultLog log) {
		log.begin(FaultKind.REPLY_LOST, FaultLog.ALL);
		this.server.terminateBackends();
		return true;
	}

	private boolean lockRows(Step step, FaultLog log) throws InterruptedException {
		long fault = log.begin(FaultKind.DELAYED, FaultLog.ALL);
		try (RowLock lock = this.server.lockRows(this.store.table())) {
			Thread.sleep(step.duration());
			return true;
		}
		finally {
			log.end(fault);
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
