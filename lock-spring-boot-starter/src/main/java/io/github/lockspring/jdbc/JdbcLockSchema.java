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

package io.github.lockspring.jdbc;

import javax.sql.DataSource;

/**
 * The table that {@link JdbcLockBackend} works on: its definition, its creation, and the
 * check that it is as it should be.
 */
public final class JdbcLockSchema {

	/**
	 * The name of the table if none is chosen.
	 */
	public static final String DEFAULT_TABLE_NAME = "distributed_lock";

	/**
	 * Names the table. Does not talk to the database yet.
	 * @param dataSource the database
	 * @param tableName the table, with or without its schema
	 * @throws IllegalArgumentException if the table name is none
	 */
	public JdbcLockSchema(DataSource dataSource, String tableName) {
	}

	/**
	 * Creates the table unless it is there. Safe when several nodes start at once.
	 * @throws UnsupportedDatabaseException if there is no dialect for the database
	 * @throws JdbcLockSchemaException if the database refused
	 * @throws io.github.lockspring.spi.BackendUnavailableException if the database could
	 * not be reached
	 */
	public void initialize() {
	}

	/**
	 * Checks that the table is there, has the expected columns, and may be changed by the
	 * user of the data source.
	 * @throws UnsupportedDatabaseException if there is no dialect for the database
	 * @throws JdbcLockSchemaException if something is missing; the message tells what,
	 * and the definition of the table
	 * @throws io.github.lockspring.spi.BackendUnavailableException if the database could
	 * not be reached
	 */
	public void validate() {
	}

}
