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
import java.util.List;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JdbcAddress}.
 */
class JdbcAddressTests {

	@ParameterizedTest
	@CsvSource({ "jdbc:postgresql://db:5432/app?user=me&password=secret, jdbc:postgresql://db:5432/app",
			"jdbc:mysql://me:sec ret@db/app, jdbc:mysql://db/app",
			"jdbc:mariadb://me:secret@db/app, jdbc:mariadb://db/app",
			"jdbc:h2:tcp://db/./locks;PASSWORD=secret;MODE=x, jdbc:h2:tcp://db/./locks",
			"jdbc:h2:mem:locks, jdbc:h2:mem:locks", "jdbc:h2:~/data/lock;USER=me, jdbc:h2:~/data/lock",
			"'jdbc:mysql:replication://db-1:3306,db-2/app', 'jdbc:mysql:replication://db-1:3306,db-2/app'",
			"jdbc:postgresql://[fe80::1]:5432/app, jdbc:postgresql://[fe80::1]:5432/app",
			"jdbc:tc:postgresql:15:///app?user=me, jdbc:tc:postgresql:15:///app",
			"jdbc:postgresql:app, jdbc:postgresql:" })
	void addressHasNoSecrets(String url, String address) {
		assertThat(JdbcAddress.of(new DriverManagerDataSource(url))).isEqualTo(address);
	}

	@ParameterizedTest
	@ValueSource(strings = { "me:sec/ret@db/app", "me:sec?ret@db/app", "me:sec;ret@db/app", "me:sec#ret@db/app",
			"me:sec@ret@db/app", "me:4/secret@db", "me:4?secret@db", "db/app?user=me&password=sec@ret",
			"address=(host=db)(password=secret)/app", "(host=db,password=secret)/app" })
	void addressThatCannotBeParsedIsNotShown(String server) {
		assertThat(JdbcAddress.withoutSecrets("jdbc:mysql://" + server)).isEqualTo("jdbc:mysql:");
		assertThat(JdbcAddress.withoutSecrets("jdbc:h2:tcp://" + server)).doesNotContain("sec", "ret", "4");
		assertThat(JdbcAddress.withoutSecrets("secret@" + server)).isEmpty();
	}

	@ParameterizedTest
	@MethodSource
	void addressOfWrappedDataSourceIsKnown(UnaryOperator<DataSource> wrapper) {
		assertThat(JdbcAddress.of(wrapper.apply(new DriverManagerDataSource("jdbc:h2:mem:locks"))))
			.isEqualTo("jdbc:h2:mem:locks");
	}

	static List<UnaryOperator<DataSource>> addressOfWrappedDataSourceIsKnown() {
		return List.of(DelegatingDataSource::new, LazyConnectionDataSourceProxy::new,
				(target) -> new DelegatingDataSource(new TransactionAwareDataSourceProxy(target)),
				(target) -> (DataSource) new ProxyFactory(target).getProxy(), (target) -> {
					HikariDataSource pool = new HikariDataSource();
					pool.setDataSource(target);
					return pool;
				});
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
