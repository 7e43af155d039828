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

package io.github.lockspring.sample.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;

import io.github.lockspring.sample.load.StockClient;
import io.github.lockspring.sample.stock.Strategy;
import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.server.Torture;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the {@link Demonstration}, with real instances in their own processes.
 */
class DemonstrationServerTests {

	private static final boolean LONG = Integer.getInteger("lock.test.scale", 1) > 1;

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	@Torture(alsoIn = "DemonstrationServerTests#locksInRedisKeepTheStockInPostgresExactAsOnlySuchStrategiesDo")
	@Test
	void onlyStrategiesThatReachAcrossProcessesStayExact() throws Exception {
		assertOnlyThoseStayExact(run("--instances=2", "--threads=20", "--requests=10", "--stock=200"));
	}

	private void assertOnlyThoseStayExact(List<Round> rounds) {
		assertThat(rounds).extracting(Round::strategy).containsExactly(Strategy.values());
		assertThat(rounds).allSatisfy((round) -> assertThat(round.load().errors()).isEmpty());
		assertThat(rounds).filteredOn((round) -> !round.strategy().isExact())
			.hasSize(2)
			.allSatisfy((round) -> assertThat(round.lostUpdates()).isPositive());
		assertThat(rounds).filteredOn((round) -> round.strategy().isExact()).allSatisfy(this::isSoldOutExactly);
		assertThat(this.out.toString()).contains("no lock", "oversells", "guarded UPDATE", "exact");
	}

	@Torture(alsoIn = "PageServerTests#processThatIsKilledIsReplacedAndTheStockIsExact")
	@Test
	void whenInstanceIsKilledThenTheOtherFinishesAndStockIsExact() throws Exception {
		List<Round> rounds = run("--instances=2", "--threads=20", "--requests=25", "--stock=500", "--kill-one",
				"--strategies=distributed-lock");
		assertThat(rounds).hasSize(1).allSatisfy(this::isSoldOutExactly);
		assertThat(this.out.toString()).contains("an instance was killed");
	}

	@Test
	void locksInRedisKeepTheStockInPostgresExactAsOnlySuchStrategiesDo() throws Exception {
		try (RedisServer redis = RedisServer.start(); PostgresServer postgres = PostgresServer.start()) {
			List<String> arguments = locksAndStock(redis, postgres);
			arguments.addAll(List.of("--instances=2", "--threads=20", "--requests=10", "--stock=200"));
			assertOnlyThoseStayExact(run(arguments.toArray(String[]::new)));
			assertThat(redis.info("commandstats").get("cmdstat_evalsha")).as("calls of the locks").isNotNull();
		}
	}

	@Torture(alsoIn = "DemonstrationServerTests#locksInRedisKeepTheStockInPostgresExactAsOnlySuchStrategiesDo")
	@Test
	void locksInRedisKeepTheStockInPostgresExact() throws Exception {
		try (RedisServer redis = RedisServer.start(); PostgresServer postgres = PostgresServer.start()) {
			List<Round> rounds = runWithLock(locksAndStock(redis, postgres));
			assertThat(rounds).hasSize(1).allSatisfy(this::isSoldOutExactly);
			assertThat(redis.info("commandstats").get("cmdstat_evalsha")).as("calls of the locks").isNotNull();
		}
	}

	private static List<String> locksAndStock(RedisServer redis, PostgresServer postgres) {
		List<String> arguments = new ArrayList<>(database("postgresql", postgres));
		arguments.addAll(List.of("--lock.backend=redis", "--spring.data.redis.host=" + redis.host(),
				"--spring.data.redis.port=" + redis.port()));
		return arguments;
	}

	@Torture(alsoIn = "DemonstrationServerTests#locksInRedisKeepTheStockInPostgresExactAsOnlySuchStrategiesDo")
	@Test
	void locksInZooKeeperKeepTheStockExact() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start()) {
			List<Round> rounds = runWithLock(
					List.of("--lock.backend=zookeeper", "--lock.zookeeper.connect-string=" + server.connectString(),
							"--lock.zookeeper.session-timeout=5s"));
			assertThat(rounds).hasSize(1).allSatisfy(this::isSoldOutExactly);
			assertThat(changesBelow(server, "/lock")).as("nodes of the locks").isPositive();
		}
	}

	@Torture(alsoIn = "DemonstrationServerTests#locksInRedisKeepTheStockInPostgresExactAsOnlySuchStrategiesDo")
	@Test
	void locksInPostgresKeepTheStockExact() throws Exception {
		try (PostgresServer server = PostgresServer.start()) {
			isExact("postgresql", server);
		}
	}

	@Torture(alsoIn = "DemonstrationServerTests#locksInRedisKeepTheStockInPostgresExactAsOnlySuchStrategiesDo")
	@Test
	void locksInMariaDbKeepTheStockExact() throws Exception {
		try (MariaDbServer server = MariaDbServer.start()) {
			isExact("mariadb", server);
		}
	}

	private void isExact(String profile, SqlServer server) throws Exception {
		List<Round> rounds = runWithLock(database(profile, server));
		assertThat(rounds).hasSize(1).allSatisfy(this::isSoldOutExactly);
		assertThat(lastToken(server)).as("the token of the lock on the stock").isPositive();
	}

	private static List<String> database(String profile, SqlServer server) {
		return List.of("--spring.profiles.active=" + profile, "--spring.datasource.url=" + server.jdbcUrl(),
				"--spring.datasource.username=" + server.user(), "--spring.datasource.password=" + server.password());
	}

	private static long lastToken(SqlServer server) throws SQLException {
		try (Connection connection = server.dataSource().getConnection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT MAX(token) FROM distributed_lock")) {
			return rows.next() ? rows.getLong(1) : 0;
		}
	}

	/**
	 * How many times children of a node came or went.
	 */
	private static int changesBelow(ZooKeeperServer server, String path) throws Exception {
		try (CuratorFramework client = CuratorFrameworkFactory.newClient(server.connectString(),
				new RetryOneTime(100))) {
			client.start();
			return client.checkExists().forPath(path).getCversion();
		}
	}

	/**
	 * Of three instances one is killed with {@code -Ptorture}, else there are two.
	 */
	private List<Round> runWithLock(List<String> args) throws Exception {
		List<String> all = new ArrayList<>(List.of("--threads=20", "--strategies=distributed-lock"));
		all.addAll(LONG ? List.of("--instances=3", "--requests=250", "--stock=5000", "--kill-one")
				: List.of("--instances=2", "--requests=10", "--stock=200"));
		all.addAll(args);
		return run(all.toArray(String[]::new));
	}

	private List<Round> run(String... args) throws Exception {
		return new Demonstration(DemonstrationOptions.parse(args), new PrintStream(this.out)).run();
	}

	private void isSoldOutExactly(Round round) {
		assertThat(round.load().errors()).isEmpty();
		assertThat(round.after()).isEqualTo(new StockClient.Stock(0, round.stock()));
		assertThat(round.load().sold()).isEqualTo(round.stock());
		assertThat(round.isExact()).isTrue();
	}

}
