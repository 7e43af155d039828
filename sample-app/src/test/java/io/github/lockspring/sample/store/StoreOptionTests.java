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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.DefaultApplicationArguments;

import io.github.lockspring.sample.WrongOptionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link StoreOption}.
 */
class StoreOptionTests {

	@ParameterizedTest
	@CsvSource({ "redis, redis://localhost:6379", "zookeeper, localhost:2181",
			"postgres, jdbc:postgresql://localhost:5432/lock_sample",
			"mariadb, jdbc:mariadb://localhost:3306/lock_sample" })
	void nameAloneIsTheUsualAddress(String value, String address) {
		StoreOption option = StoreOption.parse(value);
		assertThat(option.type().id()).isEqualTo(value);
		assertThat(option.address()).isEqualTo(address);
	}

	@ParameterizedTest
	@CsvSource({ "h2=embedded, H2", "redis=embedded, REDIS", "zookeeper=embedded, ZOOKEEPER",
			"postgres=embedded, POSTGRES", "mariadb=embedded, MARIADB", "h2, H2" })
	void embeddedStoreHasNoAddressYet(String value, StoreType type) {
		assertThat(StoreOption.parse(value)).isEqualTo(new StoreOption(type, null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "h2=jdbc:h2:tcp://db/~/shop;USER=sa", "redis=rediss://user:secret@db:6380/1?timeout=1s",
			"zookeeper=a:2181,b:2181/locks", "postgres=jdbc:postgresql://db/shop?user=a&password=b=c",
			"mariadb=jdbc:mariadb://db/shop" })
	void addressIsEverythingBehindTheFirstEqualsSign(String value) {
		StoreOption option = StoreOption.parse(value);
		assertThat(option.type().id() + "=" + option.address()).isEqualTo(value);
	}

	@Test
	void whenStoreIsUnknownThenMessageNamesTheChoices() {
		assertThatExceptionOfType(WrongOptionException.class).isThrownBy(() -> StoreOption.parse("oracle"))
			.withMessage("--store must be one of h2, redis, zookeeper, postgres, mariadb, not 'oracle'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis=", "redis=localhost:6379", "redis=http://localhost", "zookeeper=redis://localhost",
			"zookeeper=", "postgres=jdbc:mariadb://localhost/shop", "mariadb=localhost", "h2=jdbc:postgresql://db" })
	void whenAddressIsOfAnotherKindThenMessageShowsOne(String value) {
		String name = value.split("=")[0];
		assertThatExceptionOfType(WrongOptionException.class).isThrownBy(() -> StoreOption.parse(value))
			.withMessageStartingWith("--store=" + name + " takes an address such as --store=" + name + "=")
			.withMessageContaining("--store=" + name + "=embedded")
			.withMessageEndingWith("not '" + value.substring(name.length() + 1) + "'");
	}

	@Test
	void withoutOptionStoreIsH2() {
		assertThat(option()).isEqualTo(new StoreOption(StoreType.H2, null));
	}

	@Test
	void lastOptionWins() {
		assertThat(option("--store=zookeeper", "--store=redis=embedded"))
			.isEqualTo(new StoreOption(StoreType.REDIS, null));
	}

	@Test
	void whenOptionHasNoValueThenMessageNamesTheChoices() {
		assertThatExceptionOfType(WrongOptionException.class).isThrownBy(() -> option("--store="))
			.withMessageStartingWith("--store must be one of h2, redis");
	}

	private static StoreOption option(String... arguments) {
		return StoreOption.of(new DefaultApplicationArguments(arguments));
	}

}
