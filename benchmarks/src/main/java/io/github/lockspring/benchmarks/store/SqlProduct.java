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

import java.util.Arrays;
import java.util.function.Function;

import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.server.SqlServer;

/**
 * The database servers that contestants lock by, with the durability that they have by
 * default.
 */
enum SqlProduct {

	POSTGRESQL(SqlServerStore.POSTGRESQL, "max_connections=400", PostgresServer::startDurable,
			"INSERT INTO raw_lock (lock_key) VALUES (?) ON CONFLICT DO NOTHING"),

	MARIADB(SqlServerStore.MARIADB, "max-connections=400", MariaDbServer::startDurable,
			"INSERT IGNORE INTO raw_lock (lock_key) VALUES (?)");

	private final String storeName;

	private final String option;

	private final Function<String, SqlServer> start;

	private final String insertRow;

	SqlProduct(String storeName, String option, Function<String, SqlServer> start, String insertRow) {
		this.storeName = storeName;
		this.option = option;
		this.start = start;
		this.insertRow = insertRow;
	}

	static SqlProduct of(String storeName) {
		return Arrays.stream(values())
			.filter((product) -> storeName.startsWith(product.storeName))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no database '" + storeName + "'"));
	}

	/**
	 * Starts a server with room for the pools of all contestants in all processes.
	 */
	SqlServer start() {
		return this.start.apply(this.option);
	}

	/**
	 * Inserts a row for the floor unless it is there.
	 */
	String insertRow() {
		return this.insertRow;
	}

	String tables() {
		return "tables-" + this.storeName + ".sql";
	}

}
