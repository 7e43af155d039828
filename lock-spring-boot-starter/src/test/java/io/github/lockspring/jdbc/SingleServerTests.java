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

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link SingleServer}.
 */
class SingleServerTests {

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:mysql:loadbalance://a,b/db", "jdbc:mysql+srv:loadbalance://a/db",
			"jdbc:mariadb:loadbalance://a,b/db", "jdbc:mariadb:LOADBALANCE://a,b/db",
			"jdbc:aws-wrapper:mysql:loadbalance://a,b/db",
			"jdbc:mysql:replication://address=(type=source)(host=a),address=(type=source)(host=b)/db",
			"jdbc:mariadb:replication://address=(host=a)(type=primary),address=(host=b)(type=primary)/db",
			"jdbc:postgresql://a,b:5433/db?x=y&loadBalanceHosts=true",
			"jdbc:postgresql://a,b/db?loadBalanceHosts=true&targetServerType=any",
			"jdbc:yugabytedb:postgresql://a,b/db?loadBalanceHosts=true",
			"jdbc:postgresql://abc.dsql.us-east-1.on.aws/postgres", "jdbc:aws-dsql:postgresql://abc/postgres" })
	void urlThatLeadsToSeveralPrimariesIsRejected(String url) {
		assertThatExceptionOfType(UnsupportedDatabaseException.class)
			.isThrownBy(() -> SingleServer.requireOneServer(url))
			.satisfies((rejection) -> assertThat(rejection).hasMessageNotContaining("jdbc:"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:mysql:replication://a,b/db", "jdbc:mysql+srv:replication://a/db",
			"jdbc:mysql:replication://address=(type=source)(host=a),address=(type=replica)(host=b)/db",
			"jdbc:mariadb:replication://a,b/db", "jdbc:mariadb:load-balance-read://a,b/db",
			"jdbc:postgresql://a,b/db?loadBalanceHosts=true&targetServerType=primary",
			"jdbc:postgresql://a,b/db?targetServerType=preferPrimary&loadBalanceHosts=true" })
	void urlWithOnePrimaryIsWarnedAbout(String url) {
		assertThatNoException().isThrownBy(() -> SingleServer.requireOneServer(url));
		assertThat(SingleServer.warning(url)).isPresent();
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:mysql://a,b/db", "jdbc:mysql:loadbalance://a:1/db",
			"jdbc:mysql://a/loadbalance?x=loadbalance:", "jdbc:mariadb:sequential://a,b/db", "jdbc:postgresql://a,b/db",
			"jdbc:postgresql://a/db?loadBalanceHosts=true", "jdbc:postgresql://a,b/db?loadBalanceHosts=false",
			"jdbc:aws-wrapper:postgresql://a.on.aws/db", "jdbc:h2:mem:loadbalance",
			"jdbc:postgresql://a/replication?x=.dsql.on.aws" })
	void otherUrlIsAccepted(String url) {
		assertThatNoException().isThrownBy(() -> SingleServer.requireOneServer(url));
		assertThat(SingleServer.warning(url)).isEmpty();
	}

}
