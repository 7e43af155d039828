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

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutor;
import org.postgresql.jdbc.PgConnection;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockspring.jdbc.PromptSocketFactory;
import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link UnpooledHikariDataSource}.
 */
class UnpooledHikariDataSourceServerTests {

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	private final HikariDataSource pool = new HikariDataSource();

	UnpooledHikariDataSourceServerTests() {
		this.pool.setMaximumPoolSize(1);
		this.pool.setJdbcUrl(this.url);
		this.pool.setUsername("sa");
		this.pool.setPassword("");
	}

	@AfterEach
	void close() {
		this.pool.close();
	}

	@ParameterizedTest
	@MethodSource
	void connectionIsThereAlthoughThePoolHasNoneLeft(UnaryOperator<DataSource> wrapper) throws SQLException {
		DataSource unpooled = UnpooledHikariDataSource.of(wrapper.apply(this.pool));
		try (Connection last = this.pool.getConnection(); Connection connection = unpooled.getConnection()) {
			assertThat(last.isValid(1)).isTrue();
			assertThat(connection.isValid(1)).isTrue();
			assertThat(this.pool.getHikariPoolMXBean().getTotalConnections()).isOne();
		}
	}

	static List<UnaryOperator<DataSource>> connectionIsThereAlthoughThePoolHasNoneLeft() {
		return List.of((pool) -> pool, DelegatingDataSource::new, LazyConnectionDataSourceProxy::new,
				(pool) -> new DelegatingDataSource(new TransactionAwareDataSourceProxy(pool)),
				(pool) -> (DataSource) new ProxyFactory(pool).getProxy(), (pool) -> {
					ProxyFactory factory = new ProxyFactory(pool);
					factory.setProxyTargetClass(true);
					return (DataSource) factory.getProxy();
				});
	}

	@Test
	void connectionIsAsThePoolMakesIt() {
		new JdbcTemplate(new DriverManagerDataSource(this.url, "sa", "")).execute("CREATE SCHEMA shop");
		this.pool.setSchema("SHOP");
		this.pool.setConnectionInitSql("SET @greeting = 'hello'");
		this.pool.addDataSourceProperty("LOCK_TIMEOUT", "1234");
		JdbcTemplate jdbc = new JdbcTemplate(UnpooledHikariDataSource.of(this.pool));
		assertThat(jdbc.queryForObject("SELECT SCHEMA() || ' ' || @greeting || ' ' || LOCK_TIMEOUT()", String.class))
			.isEqualTo("SHOP hello 1234");
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:mariadb:, '', true", "jdbc:mysql:, '', true", "jdbc:mariadb:, useServerPrepStmts=false, false",
			"jdbc:mysql:, useServerPrepStmts=false, false" })
	void statementsAreParsedOncePerConnectionUnlessTheUrlSaysOtherwise(String driver, String parameter, boolean once)
			throws SQLException {
		MariaDbServer server = MariaDbServer.shared();
		String url = server.jdbcUrl().replace("jdbc:mariadb:", driver);
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl(url + (url.contains("?") ? '&' : '?') + parameter);
			pool.setUsername(server.user());
			pool.setPassword(server.password());
			try (Connection connection = UnpooledHikariDataSource.of(pool).getConnection();
					PreparedStatement statement = connection.prepareStatement("SELECT ?")) {
				for (int i = 0; i < 3; i++) {
					statement.setInt(1, i);
					statement.executeQuery().close();
				}
				assertThat(count(connection, "Com_stmt_prepare")).isEqualTo(once ? 1 : 0);
				assertThat(count(connection, "Com_stmt_execute")).isEqualTo(once ? 3 : 0);
			}
		}
	}

	private static int count(Connection connection, String variable) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SHOW SESSION STATUS LIKE '" + variable + "'")) {
			rows.next();
			return rows.getInt(2);
		}
	}

	@Test
	void notificationsAreNotDelayedByTheDriver() throws SQLException {
		try (HikariDataSource pool = postgres("")) {
			try (Connection connection = UnpooledHikariDataSource.of(pool).getConnection()) {
				QueryExecutor executor = connection.unwrap(PgConnection.class).getQueryExecutor();
				PGStream stream = (PGStream) ReflectionTestUtils.getField(executor, "pgStream");
				assertThat(stream.getSocketFactory()).isInstanceOf(PromptSocketFactory.class);
			}
		}
	}

	@Test
	void socketsAreCreatedByTheFactoryOfTheUrl() {
		try (HikariDataSource pool = postgres("socketFactory=shop.Sockets")) {
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> UnpooledHikariDataSource.of(pool).getConnection())
				.withMessageContaining("shop.Sockets");
		}
	}

	private static HikariDataSource postgres(String parameter) {
		PostgresServer server = PostgresServer.shared();
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(server.jdbcUrl() + (server.jdbcUrl().contains("?") ? '&' : '?') + parameter);
		pool.setUsername(server.user());
		pool.setPassword(server.password());
		return pool;
	}

	@Test
	void dataSourceOfThePoolIsUsed() {
		JdbcDataSource target = new JdbcDataSource();
		target.setUrl(this.url);
		this.pool.setJdbcUrl(null);
		this.pool.setDataSource(target);
		assertThat(schemas()).isPositive();
	}

	@Test
	void dataSourceClassOfThePoolIsUsed() {
		this.pool.setJdbcUrl(null);
		this.pool.setDataSourceClassName(JdbcDataSource.class.getName());
		this.pool.addDataSourceProperty("url", this.url);
		assertThat(schemas()).isPositive();
	}

	private int schemas() {
		return new JdbcTemplate(UnpooledHikariDataSource.of(this.pool))
			.queryForObject("SELECT COUNT(*) FROM information_schema.schemata", Integer.class);
	}

	@Test
	void passwordThatIsChangedIsUsed() throws SQLException {
		DataSource unpooled = UnpooledHikariDataSource.of(this.pool);
		unpooled.getConnection().close();
		new JdbcTemplate(new DriverManagerDataSource(this.url, "sa", "")).execute("ALTER USER sa SET PASSWORD 'new'");
		assertThatExceptionOfType(SQLException.class).isThrownBy(unpooled::getConnection);
		this.pool.setPassword("new");
		unpooled.getConnection().close();
	}

	@Test
	void otherDataSourceHasNoTwin() {
		assertThat(UnpooledHikariDataSource.of(new DriverManagerDataSource(this.url))).isNull();
	}

	@Test
	void poolThatGivesConnectionsInItsOwnWayHasNoTwin() {
		assertThat(UnpooledHikariDataSource.of(new TenantPool())).isNull();
	}

	/**
	 * Chooses connections by who asks.
	 */
	private static final class TenantPool extends HikariDataSource {

		@Override
		public Connection getConnection() throws SQLException {
			return super.getConnection();
		}

	}

}
