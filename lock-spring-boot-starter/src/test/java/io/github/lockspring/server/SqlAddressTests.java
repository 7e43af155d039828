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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link SqlAddress}.
 */
class SqlAddressTests {

	private static final String PREFIX = "lock.test.example.";

	@AfterEach
	void clearProperties() {
		System.clearProperty(PREFIX + "url");
		System.clearProperty(PREFIX + "user");
		System.clearProperty(PREFIX + "password");
	}

	@Test
	void hostAndPortAreThoseOfTheUrl() {
		SqlAddress address = new SqlAddress("jdbc:postgresql://db.example.org:5433/test?ssl=true", "user", "");
		assertThat(address.host()).isEqualTo("db.example.org");
		assertThat(address.port(5432)).isEqualTo(5433);
		assertThat(address.urlAt("127.0.0.1", 7)).isEqualTo("jdbc:postgresql://127.0.0.1:7/test?ssl=true");
	}

	@Test
	void portIsTheUsualOneIfTheUrlHasNone() {
		SqlAddress address = new SqlAddress("jdbc:h2:tcp://localhost/./test;A=1", "user", "");
		assertThat(address.port(9092)).isEqualTo(9092);
		assertThat(address.urlAt("127.0.0.1", 7)).isEqualTo("jdbc:h2:tcp://127.0.0.1:7/./test;A=1");
	}

	@Test
	void urlWithoutHostIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> new SqlAddress("jdbc:h2:mem:test", "user", "").host())
			.withMessageContaining("jdbc:h2:mem:test");
	}

	@Test
	void propertiesMakeAnAddressIfThereIsAUrl() {
		System.setProperty(PREFIX + "user", "alice");
		assertThat(SqlAddress.ofProperties(PREFIX)).isNull();
		System.setProperty(PREFIX + "url", "jdbc:example://host/test");
		System.setProperty(PREFIX + "password", "sesame");
		assertThat(SqlAddress.ofProperties(PREFIX))
			.isEqualTo(new SqlAddress("jdbc:example://host/test", "alice", "sesame"));
	}

}
