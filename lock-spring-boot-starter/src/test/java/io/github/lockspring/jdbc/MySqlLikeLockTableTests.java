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

import java.util.List;

import io.github.lockspring.server.SqlServer;

/**
 * Tests for {@link JdbcLockBackend} on MySQL and MariaDB.
 */
abstract class MySqlLikeLockTableTests extends SqlLockTableTests {

	MySqlLikeLockTableTests(SqlServer server, String url) {
		super(server, url);
	}

	@Override
	String setTimeZone(String offset) {
		return "SET time_zone = '" + offset + "'";
	}

	@Override
	String sessionSetting() {
		return "SELECT @@innodb_lock_wait_timeout";
	}

	@Override
	List<String[]> wrongColumns() {
		return List.of(new String[] { "lock_key", "VARCHAR(700) NOT NULL", "VARBINARY(1024)" },
				new String[] { "lock_key", "VARBINARY(64) NOT NULL", "VARBINARY(1024)" },
				new String[] { "owner", "VARCHAR(10)", "VARCHAR(64)" },
				new String[] { "token", "INT DEFAULT 0 NOT NULL", "BIGINT" },
				new String[] { "expires_at", "DATETIME(6)", "BIGINT" },
				new String[] { "held_since", "DATETIME", "DATETIME(6)" },
				new String[] { "entries", "TEXT", "MEDIUMTEXT" });
	}

	@Override
	List<String> driverOptions() {
		return List.of("useAffectedRows=true", "useAffectedRows=false", "useServerPrepStmts=true",
				"sessionVariables=sql_mode=''");
	}

}
