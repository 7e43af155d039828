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

package io.github.lockspring.sample.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.lockspring.sample.WrongOptionException;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Stores} that start nothing but H2.
 */
class StoresServerTests {

	@Test
	void h2StandsStillWhilePausedAndEndsWhenClosed() throws Exception {
		StoreCheck.standsStillWhilePausedAndEndsWhenClosed("h2");
	}

	@Test
	@Torture(alsoIn = "StoresServerTests#pausedH2EndsWithTheProcessThatStartedIt")
	void h2EndsWithTheProcessThatStartedIt() throws Exception {
		StoreCheck.endsWithTheProcessThatStartedIt("h2");
	}

	@Test
	void pausedH2EndsWithTheProcessThatStartedIt() throws Exception {
		StoreCheck.endsWithTheProcessThatStartedIt("h2", StoreParent.PAUSED);
	}

	@Test
	void h2CanBeClosedWhilePausedAndAgain() {
		Store store = Stores.open(StoreOption.parse("h2"), List.of());
		store.pause();
		store.pause();
		store.close();
		store.close();
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connect(store, "sample"));
	}

	@Test
	void h2TakesItsUserOnly() throws Exception {
		try (Store store = Stores.open(StoreOption.parse("h2"), List.of())) {
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connect(store, "sa"))
				.withMessageContaining("Wrong user name or password");
			try (Connection connection = connect(store, "sample")) {
				assertThat(connection.isValid(1)).isTrue();
			}
		}
	}

	private static Connection connect(Store store, String user) throws SQLException {
		Map<String, String> arguments = StoreCheck.byName(store.arguments());
		return DriverManager.getConnection(arguments.get("--spring.datasource.url"), user,
				arguments.get("--spring.datasource.password"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redis=redis://db:7 | --lock.backend=redis --spring.data.redis.url=redis://db:7
			zookeeper=db:7     | --lock.backend=zookeeper --lock.zookeeper.connect-string=db:7
			""")
	void storeThatIsNoDatabaseHasItsStockInH2(String option, String expected) {
		try (Store store = Stores.open(StoreOption.parse(option), List.of())) {
			assertThat(store.name()).isEqualTo(option.split("=")[0]);
			assertThat(store.arguments().stream().limit(2).collect(Collectors.joining(" "))).isEqualTo(expected);
			assertThat(store.arguments())
				.anyMatch((argument) -> argument.startsWith("--spring.datasource.url=jdbc:h2:"));
			assertThat(store.isStoppable()).isFalse();
			assertThatIllegalStateException().isThrownBy(store::pause);
		}
	}

	@Test
	void storeThatIsNoDatabaseLeavesTheStockWhereTheArgumentsSay() {
		try (Store store = Stores.open(StoreOption.parse("redis"), List.of("--spring.profiles.active=mariadb"))) {
			assertThat(store.arguments()).containsExactly("--lock.backend=redis",
					"--spring.data.redis.url=redis://localhost:6379");
		}
	}

	@ParameterizedTest
	@CsvSource({ "postgres, postgresql", "mariadb, mariadb" })
	void databaseHasItsProfile(String name, String profile) {
		try (Store store = Stores.open(StoreOption.parse(name), List.of())) {
			assertThat(store.name()).isEqualTo(name);
			assertThat(store.arguments()).containsExactly("--spring.profiles.active=" + profile,
					"--spring.datasource.url=jdbc:" + profile + "://localhost:" + (name.equals("mariadb") ? 3306 : 5432)
							+ "/lock_sample");
			assertThat(store.isStoppable()).isFalse();
		}
	}

	@ParameterizedTest
	@CsvSource({ "--spring.profiles.active=postgresql, postgres",
			"--spring.datasource.url=jdbc:mariadb://db/a, mariadb", "--spring.datasource.url=jdbc:h2:mem:stock, h2" })
	void databaseOfTheArgumentsIsUsed(String argument, String name) {
		try (Store store = Stores.open(StoreOption.DEFAULT, List.of("--debug", argument))) {
			assertThat(store.name()).isEqualTo(name);
			assertThat(store.arguments()).isEmpty();
			assertThat(store.isStoppable()).isFalse();
		}
	}

	@Test
	void whenTwoDatabasesAreNamedThenMessageNamesBoth() {
		assertThatExceptionOfType(WrongOptionException.class)
			.isThrownBy(() -> Stores.open(StoreOption.parse("postgres"), List.of("--spring.profiles.active=mariadb")))
			.withMessage("--store=postgres names a database, and so does --spring.profiles.active=mariadb: "
					+ "use one of them");
	}

}
