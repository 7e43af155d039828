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

package io.github.lockspring.benchmarks.store;

/**
 * The stores by their names. A new one is added here.
 */
public final class Stores {

	private Stores() {
	}

	/**
	 * Starts a store.
	 * @param name its name
	 * @return the store, which stops when it is closed
	 */
	public static Store start(String name) {
		return switch (name) {
			case MemoryStore.NAME -> new MemoryStore();
			case H2Store.NAME -> H2Store.inThisProcess();
			case H2Store.SERVER_NAME -> H2Store.withServer();
			case RedisStore.NAME -> RedisStore.start();
			case ZooKeeperStore.NAME -> ZooKeeperStore.start();
			case ZooKeeperStore.DISTANT_NAME -> ZooKeeperStore.startDistant();
			case SqlServerStore.POSTGRESQL, SqlServerStore.POSTGRESQL_NOTIFY_OFF, SqlServerStore.MARIADB,
					SqlServerStore.MARIADB_PREPARED ->
				SqlServerStore.start(name);
			case SqlServerStore.POSTGRESQL_DISTANT, SqlServerStore.MARIADB_DISTANT -> SqlServerStore.startDistant(name);
			default -> throw new IllegalArgumentException("There is no store '" + name + "'");
		};
	}

	/**
	 * Joins a store that another process has started.
	 * @param name its name
	 * @param address what the other process said
	 * @return the store, which continues to run when it is closed
	 */
	public static Store join(String name, String address) {
		return switch (name) {
			case H2Store.SERVER_NAME -> H2Store.at(address);
			case RedisStore.NAME -> RedisStore.at(address);
			case ZooKeeperStore.NAME, ZooKeeperStore.DISTANT_NAME -> ZooKeeperStore.at(name, address);
			case SqlServerStore.POSTGRESQL, SqlServerStore.POSTGRESQL_NOTIFY_OFF, SqlServerStore.POSTGRESQL_DISTANT,
					SqlServerStore.MARIADB, SqlServerStore.MARIADB_DISTANT, SqlServerStore.MARIADB_PREPARED ->
				SqlServerStore.at(name, address);
			default -> throw new IllegalArgumentException("No process can join '" + name + "'");
		};
	}

}
