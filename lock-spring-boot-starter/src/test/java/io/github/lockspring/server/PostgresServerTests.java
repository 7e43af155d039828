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

package io.github.lockspring.server;

import java.io.UncheckedIOException;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests for {@link PostgresServer}.
 */
class PostgresServerTests extends SqlServerContractTests<PostgresServer> {

	@Override
	PostgresServer start() {
		return PostgresServer.startDurable();
	}

	@Override
	PostgresServer foreign(SqlAddress address) {
		return PostgresServer.foreign(address);
	}

	@Override
	String impatient(String url) {
		return url + "?socketTimeout=1&loginTimeout=1";
	}

	@Test
	void duplicateKeysAreLogged() {
		assertThatExceptionOfType(UncheckedIOException.class)
			.isThrownBy(() -> server().execute("INSERT INTO t VALUES (1, 7)"));
		assertThat(server().log()).contains("duplicate key value");
	}

	@Test
	void durabilityIsThatOfTheFlavour() {
		assertThat(setting(server(), "fsync")).isEqualTo("on");
		assertThat(setting(server(), "synchronous_commit")).isEqualTo("on");
		try (PostgresServer fast = PostgresServer.start("max_connections=7")) {
			assertThat(setting(fast, "fsync")).isEqualTo("off");
			assertThat(setting(fast, "max_connections")).isEqualTo("7");
		}
	}

	@Test
	void nobodyRunsTheServerWhereNamespacesAreForbidden() {
		assumeTrue(Platform.isRoot(), "Needs root");
		try (PostgresServer server = PostgresServer.start(PostgresPrograms.asNobody(), List.of())) {
			server.kill();
			server.restart();
			assertThat(setting(server, "fsync")).isEqualTo("on");
		}
	}

	private String setting(PostgresServer server, String name) {
		return server.asAdmin((connection) -> {
			try (Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("SHOW " + name)) {
				rows.next();
				return rows.getString(1);
			}
		});
	}

}
