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

package io.github.lockspring.autoconfigure;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CredentialFailures}.
 */
class CredentialFailuresTests {

	@ParameterizedTest
	@CsvSource({ "28P01,0", "28000,1045", "28000,28000" })
	void wrongPasswordOfADatabaseIsOneThoughAPoolWrapsIt(String state, int code) {
		SQLException failure = new SQLTransientConnectionException("no connection available",
				new SQLException("rejected", state, code));
		assertThat(CredentialFailures.isIn(new IllegalStateException(failure))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "08001", "42501", "3D000" })
	void otherFailureOfADatabaseIsNone(String state) {
		assertThat(CredentialFailures.isIn(new SQLException("rejected", state))).isFalse();
		assertThat(CredentialFailures.isIn(new SQLException("rejected"))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "WRONGPASS invalid username-password pair or user is disabled.",
			"NOAUTH Authentication required.", "ERR invalid password",
			"ERR AUTH <password> called without any password configured for the default user." })
	void answerOfRedisIsOne(String answer) {
		assertThat(CredentialFailures.isIn(new IllegalStateException(new RuntimeException(answer)))).isTrue();
	}

	@Test
	void rejectionOfZooKeeperIsOne() {
		assertThat(CredentialFailures.isIn(new KeeperException.AuthFailedException())).isTrue();
		assertThat(CredentialFailures.isIn(new KeeperException.NoAuthException())).isTrue();
	}

	@Test
	void otherFailuresAreNone() {
		assertThat(CredentialFailures.isIn(new IllegalStateException("rejected"))).isFalse();
		assertThat(CredentialFailures.isIn(null)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "redis,spring.data.redis.password", "redlock,lock.redis.redlock.nodes",
			"jdbc,spring.datasource.password", "zookeeper,lock.zookeeper.auth", "other,the password" })
	void actionNamesTheProperty(String backend, String property) {
		assertThat(CredentialFailures.action(backend)).contains(property, "lock.fail-fast");
	}

}
