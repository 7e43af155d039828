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

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Real applications, each on a class path of its own: without one optional dependency, or
 * with those alone that its store needs.
 */
class OptionalDependencyServerTests {

	/**
	 * What an application on one store does not need: all but the starter's own
	 * dependencies.
	 */
	private static final String ALL_OPTIONAL = "spring-(tx|jdbc|data-.*|oxm|context-support|aspects|test|integration-core|messaging)-|"
			+ "spring-boot-(jdbc|data-.*|netty|persistence|sql|transaction|health|actuator.*|starter-test|test.*)-|"
			+ "lettuce-|jedis-|redis-authx-|netty-|reactor-|rxjava-|mutiny-|reactive-streams-|kotlin|atomicfu-|"
			+ "shedlock-core-|curator-|zookeeper|micrometer-(core|registry-)|spring-boot-micrometer-|prometheus-|HikariCP|h2-|postgresql-|mariadb-|mysql-|aspectj(tools|weaver)-|"
			+ "HdrHistogram|mockito|byte-buddy|assertj|junit|commons-pool2|guava|jackson";

	@ParameterizedTest
	@ValueSource(strings = { "spring-tx-", "(micrometer-(core|registry-)|spring-boot-micrometer-|prometheus-)" })
	void applicationWithLocalLocksWorksWithout(String jars) throws Exception {
		runWithLocalLocks(jars);
	}

	@ParameterizedTest
	@Torture(alsoIn = { "OptionalDependencyServerTests#applicationWithLocalLocksWorksWithout",
			"OptionalDependencyServerTests#applicationWithNothingButTheStarterWorks", "WithoutReactorTests" })
	@ValueSource(strings = { "(kotlin|atomicfu-)", "(reactor-core|reactive-streams)-", "aspectj(weaver|tools)-",
			"spring-(boot-)?jdbc-", "spring-boot-(health|actuator.*)-",
			"(spring-integration-core|spring-messaging|shedlock-core)-", "spring-(boot-)?data-",
			"(lettuce-core|jedis)-", "(curator-framework|zookeeper)-" })
	void applicationWithLocalLocksAlsoWorksWithout(String jars) throws Exception {
		runWithLocalLocks(jars);
	}

	private static void runWithLocalLocks(String jars) throws Exception {
		run(jars, "lock.backend=local",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
						+ "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration");
	}

	@Test
	void applicationWithNothingButTheStarterWorks() throws Exception {
		run(ALL_OPTIONAL, "lock.backend=local");
	}

	@Test
	void applicationWithNothingButCuratorWorks() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start()) {
			run(without("curator-|zookeeper|guava|netty-"), "lock.zookeeper.connect-string=" + server.connectString());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis-|redis-authx-|commons-pool2",
			"lettuce-|netty-|reactor-|reactive-streams-|redis-authx-" })
	void applicationWithOneClientOfRedisWorks(String client) throws Exception {
		try (RedisServer server = RedisServer.start()) {
			run(without("spring-(tx|data-.*|oxm|context-support)-|spring-boot-(data-.*|netty|transaction|persistence)-|"
					+ client), "spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port());
		}
	}

	@Test
	void applicationWithNothingButADatabaseWorks() throws Exception {
		run(without("spring-(tx|jdbc)-|spring-boot-(jdbc|sql|persistence|transaction)-|HikariCP|h2-"),
				"spring.datasource.url=jdbc:h2:mem:optional;DB_CLOSE_DELAY=-1");
	}

	@Test
	void dependencyThatIsLeftOutIsNotThere() throws Exception {
		try (ClassPathApplications applications = new ClassPathApplications(
				ClassPathApplications.classPathWithout("spring-tx-"))) {
			assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(
					() -> applications.load("org.springframework.transaction.support.TransactionSynchronization"));
		}
	}

	private static String without(String needed) {
		return "(?!" + needed + ")(" + ALL_OPTIONAL + ")";
	}

	private static void run(String leftOut, String... properties) throws Exception {
		try (ClassPathApplications applications = new ClassPathApplications(
				ClassPathApplications.classPathWithout(leftOut))) {
			applications.run(MinimalApplication.class, Arrays.stream(properties));
		}
	}

}
