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

package io.github.lockspring.sample.lesson;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.jdbc.JdbcLockSchema;
import io.github.lockspring.sample.homemade.CleanedRowLock;
import io.github.lockspring.sample.homemade.UniqueRowLock;
import io.github.lockspring.sample.store.Store;
import io.github.lockspring.sample.store.StoreOption;
import io.github.lockspring.sample.store.Stores;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.ZooKeeperServer;

/**
 * The stores of the experiments, each of which is started when it is needed. Ends with
 * this process whatever happens to it.
 */
final class Lab implements AutoCloseable {

	private @Nullable RedisServer redis;

	private @Nullable ZooKeeperServer zooKeeper;

	private @Nullable Store h2;

	/**
	 * Return where a store is: as {@link Clients} expect it.
	 */
	String address(LessonStore store) {
		return switch (store) {
			case REDIS -> redis().uri().toString();
			case H2 -> url(h2());
			case ZOOKEEPER -> zooKeeper().connectString();
		};
	}

	synchronized RedisServer redis() {
		RedisServer server = this.redis;
		if (server == null) {
			server = RedisServer.start();
			this.redis = server;
		}
		return server;
	}

	synchronized ZooKeeperServer zooKeeper() {
		ZooKeeperServer server = this.zooKeeper;
		if (server == null) {
			server = ZooKeeperServer.start();
			this.zooKeeper = server;
		}
		return server;
	}

	private synchronized Store h2() {
		Store store = this.h2;
		if (store == null) {
			store = Stores.open(StoreOption.parse("h2"), List.of());
			this.h2 = store;
			createTables(url(store));
		}
		return store;
	}

	private static void createTables(String url) {
		try (Clients clients = new Clients(LessonStore.H2, url)) {
			DataSource database = clients.database();
			new JdbcLockSchema(database, JdbcLockSchema.DEFAULT_TABLE_NAME).initialize();
			try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
				statement.execute(UniqueRowLock.TABLE);
				statement.execute(CleanedRowLock.TABLE);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	private static String url(Store store) {
		Map<String, String> arguments = store.arguments()
			.stream()
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> parts[1]));
		return "%s;USER=%s;PASSWORD=%s".formatted(arguments.get("--spring.datasource.url"),
				arguments.get("--spring.datasource.username"), arguments.get("--spring.datasource.password"));
	}

	/**
	 * Return a proxy before ZooKeeper, which can lose replies.
	 */
	FaultProxy proxy() {
		ZooKeeperServer server = zooKeeper();
		return FaultProxy.zooKeeper(server.host(), server.port());
	}

	/**
	 * Return what counts the requests to a store from now on.
	 */
	RequestCount count(LessonStore store) {
		String address = address(store);
		return switch (store) {
			case REDIS -> new RedisRequestCount(redis());
			case H2 -> new H2RequestCount(address);
			case ZOOKEEPER -> new ZooKeeperRequestCount(zooKeeper());
		};
	}

	@Override
	public synchronized void close() {
		RedisServer redis = this.redis;
		ZooKeeperServer zooKeeper = this.zooKeeper;
		Store h2 = this.h2;
		if (redis != null) {
			redis.close();
		}
		if (zooKeeper != null) {
			zooKeeper.close();
		}
		if (h2 != null) {
			h2.close();
		}
	}

}
