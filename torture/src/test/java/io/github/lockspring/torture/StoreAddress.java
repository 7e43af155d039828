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
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.faults.Store;
import io.github.lockspring.jdbc.JdbcLockSchema;
import io.github.lockspring.jdbc.JdbcStore;
import io.github.lockspring.redis.RedisStore;
import io.github.lockspring.redis.RedisStore.Client;
import io.github.lockspring.server.RedisSentinels;
import io.github.lockspring.simulator.cluster.ClusterWork;
import io.github.lockspring.zookeeper.ZooKeeperStore;

/**
 * Where a worker finds its store, and with which client.
 *
 * @param client the client
 * @param address its address of the store
 */
record StoreAddress(ClientType client, String address) {

	private static final int KEPT_CONNECTIONS = 4;

	/**
	 * Return the store at this address.
	 * @param sessionTimeout the session timeout, of stores that have sessions
	 */
	Store store(Duration sessionTimeout) {
		return switch (this.client) {
			case LETTUCE -> new RedisStore(standalone(this.address), Client.LETTUCE);
			case JEDIS -> new RedisStore(standalone(this.address), Client.JEDIS);
			case SENTINEL -> redirected(sentinel());
			case CLUSTER -> redirected(new RedisClusterConfiguration(nodes()));
			case REDLOCK -> new RedlockStore(nodes().stream().map(StoreAddress::standalone).toList());
			case JDBC -> jdbc();
			case ZOOKEEPER -> new ZooKeeperStore(this.address, sessionTimeout);
		};
	}

	/**
	 * Return what can be done with the store at this address.
	 */
	Set<ClusterWork> works() {
		return (this.client == ClientType.REDLOCK) ? EnumSet.of(ClusterWork.LOCKS) : ClusterWork.all();
	}

	private List<String> nodes() {
		return Arrays.asList(this.address.split(" ")[0].split(","));
	}

	private RedisStore redirected(RedisConfiguration configuration) {
		return new RedisStore(configuration, Client.LETTUCE, RedirectedPorts.parse(this.address.split(" ")[1]).ports());
	}

	private static RedisStandaloneConfiguration standalone(String address) {
		String[] parts = address.split(":");
		return new RedisStandaloneConfiguration(parts[0], Integer.parseInt(parts[1]));
	}

	private RedisSentinelConfiguration sentinel() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(RedisSentinels.MASTER_NAME);
		nodes().stream()
			.map((node) -> node.split(":"))
			.forEach((node) -> configuration.sentinel(node[0], Integer.parseInt(node[1])));
		return configuration;
	}

	/**
	 * Workers begin also while the database is away. A pool without an isolation would
	 * never have a connection again if it could not ask the first one for its isolation.
	 */
	private JdbcStore jdbc() {
		String[] parts = this.address.split(" ", -1);
		return new JdbcStore(parts[0], parts[1], parts[2], JdbcLockSchema.DEFAULT_TABLE_NAME, KEPT_CONNECTIONS,
				(pool) -> {
					pool.setInitializationFailTimeout(-1);
					pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
				});
	}

	/**
	 * Clients, each with its form of addresses.
	 */
	enum ClientType {

		LETTUCE, JEDIS, SENTINEL, CLUSTER, REDLOCK, JDBC, ZOOKEEPER

	}

}
