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

import java.sql.Connection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JdbcAddress}.
 */
class JdbcAddressTests {

	@ParameterizedTest
	@CsvSource({ "jdbc:postgresql://db:5432/app?user=me&password=secret, jdbc:postgresql://db:5432/app",
			"jdbc:mariadb://me:secret@db/app, jdbc:mariadb://db/app",
			"jdbc:h2:tcp://db/./locks;PASSWORD=secret;MODE=x, jdbc:h2:tcp://db/./locks",
			"jdbc:h2:mem:locks, jdbc:h2:mem:locks" })
	void addressHasNoSecrets(String url, String address) {
		assertThat(JdbcAddress.of(new DriverManagerDataSource(url))).isEqualTo(address);
	}

	@Test
	void dataSourceWithoutUrlIsNamed() {
		assertThat(JdbcAddress.of(new Silent())).isEqualTo("Silent");
	}

	private static final class Silent extends AbstractDataSource {

		@Override
		public Connection getConnection() {
			throw new IllegalStateException("Not asked for");
		}

		@Override
		public Connection getConnection(String username, String password) {
			throw new IllegalStateException("Not asked for");
		}

	}

}
