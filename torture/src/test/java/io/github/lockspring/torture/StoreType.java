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

import java.util.function.Function;

import io.github.lockspring.server.H2Server;
import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.torture.StoreAddress.ClientType;

/**
 * Stores, with their clients.
 */
enum StoreType {

	LETTUCE((faults) -> new RedisTarget(ClientType.LETTUCE, faults)),

	JEDIS((faults) -> new RedisTarget(ClientType.JEDIS, faults)),

	SENTINEL((faults) -> new SentinelTarget()),

	CLUSTER((faults) -> new ClusterTarget()),

	REDLOCK(RedlockTarget::new),

	POSTGRESQL((faults) -> new SqlTarget(PostgresServer.start(), "", faults)),

	MARIADB((faults) -> new SqlTarget(MariaDbServer.start(), "", faults)),

	/**
	 * The driver of H2 cannot abort a call, so that the URL limits the time for each of
	 * the answers that a call waits for, as the documentation demands.
	 */
	H2((faults) -> new SqlTarget(H2Server.start(), ";NETWORK_TIMEOUT=500", faults)),

	ZOOKEEPER((faults) -> new ZooKeeperTarget()),

	ENSEMBLE((faults) -> new EnsembleTarget());

	private final Function<ServerFaults, TortureStore> start;

	StoreType(Function<ServerFaults, TortureStore> start) {
		this.start = start;
	}

	/**
	 * Start the servers.
	 * @param faults faults of any server
	 */
	TortureStore start(ServerFaults faults) {
		return this.start.apply(faults);
	}

}
