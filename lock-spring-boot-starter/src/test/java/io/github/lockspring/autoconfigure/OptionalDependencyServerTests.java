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

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.support.JavaCode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Real applications, each on a class path of its own: without one optional dependency,
 * with those alone that its store needs, or beside other libraries for locks.
 */
class OptionalDependencyServerTests {

	private static final List<String> CLASS_PATH = List
		.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
			.split(File.pathSeparator));

	/**
	 * What an application on one store does not need: all but the starter's own
	 * dependencies.
	 */
	private static final String ALL_OPTIONAL = "spring-(tx|jdbc|data-.*|oxm|context-support|aspects|test|integration-core|messaging)-|"
			+ "spring-boot-(jdbc|data-.*|netty|persistence|sql|transaction|health|actuator.*|starter-test|test.*)-|"
			+ "lettuce-|jedis-|redis-authx-|netty-|reactor-|rxjava-|mutiny-|reactive-streams-|kotlin|atomicfu-|"
			+ "shedlock-core-|curator-|zookeeper|micrometer-(core|registry-)|spring-boot-micrometer-|prometheus-|HikariCP|h2-|postgresql-|mariadb-|mysql-|aspectj(tools|weaver)-|"
			+ "HdrHistogram|mockito|byte-buddy|assertj|junit|commons-pool2|guava|jackson";

	/**
	 * What Maven has copied.
	 */
	private static final File OTHER_LIBRARIES = new File("target/other-libraries");

	/**
	 * A web application with JPA, which has a test of its own with all of it.
	 */
	private static final String WEB_WITH_JPA = "spring-(orm|web|webmvc|data-jpa)-|"
			+ "spring-boot-(jpa|hibernate|data-jpa|jackson|web-server|tomcat|http-converter|webmvc|servlet)-|"
			+ "spring-boot-starter-(data-jpa|jdbc|webmvc|jackson|tomcat.*)-|hibernate-|"
			+ "jakarta\\.(persistence|transaction|inject)-|jboss-logging|jaxb-|angus-|txw2|istack|antlr4|tomcat-|"
			+ "jackson-";

	/**
	 * Drivers are looked for once in a JVM, by the class loader of that moment.
	 */
	@BeforeAll
	static void findDrivers() {
		DriverManager.drivers().count();
	}

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

	private static Stream<String> otherLibraries(String name) {
		File[] others = OTHER_LIBRARIES.listFiles((folder, each) -> each.matches(name));
		assertThat(others).as("what 'mvn generate-test-resources' copies to " + OTHER_LIBRARIES).isNotEmpty();
		return Arrays.stream(others).map(File::getPath);
	}

	@Test
	void dependencyThatIsLeftOutIsNotThere() {
		assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> {
			try (URLClassLoader loader = classLoader(classPathWithout("spring-tx-").toList())) {
				loader.loadClass("org.springframework.transaction.support.TransactionSynchronization");
			}
		});
	}

	private static String without(String needed) {
		return "(?!" + needed + ")(" + ALL_OPTIONAL + ")";
	}

	private static void run(String leftOut, String... properties) throws Exception {
		run(classPathWithout(leftOut).toList(), MinimalApplication.class.getName(), properties);
	}

	private static void run(List<String> classPath, String application, String... properties) throws Exception {
		try (URLClassLoader loader = classLoader(classPath)) {
			run(loader, application, properties);
		}
	}

	private static void run(ClassLoader loader, String application, String... properties) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(loader);
		try {
			Object arguments = Stream.concat(Arrays.stream(properties), Stream.of("spring.main.banner-mode=off"))
				.toArray(String[]::new);
			loader.loadClass(application).getMethod("run", String[].class).invoke(null, arguments);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static Stream<String> classPathWithout(String leftOut) {
		List<String> entries = CLASS_PATH.stream()
			.filter((entry) -> !Path.of(entry)
				.getFileName()
				.toString()
				.matches("(" + leftOut + '|' + WEB_WITH_JPA + ").*\\.jar"))
			.toList();
		assertThat(entries).as("class path without " + leftOut).hasSizeLessThan(CLASS_PATH.size());
		return entries.stream();
	}

	private static URLClassLoader classLoader(List<String> classPath) {
		return new URLClassLoader(classPath.stream().map(OptionalDependencyServerTests::url).toArray(URL[]::new),
				ClassLoader.getPlatformClassLoader());
	}

	private static URL url(String entry) {
		try {
			return Path.of(entry).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Applications of one class loader: to load the classes takes longer than to start
	 * one.
	 */
	@Nested
	class BesideOtherLibraries {

		private static URLClassLoader loader;

		@BeforeAll
		static void load() {
			loader = classLoader(
					Stream.concat(classPathWithout("spring-(boot-)?jdbc-"), otherLibraries("(?!spring-).*")).toList());
		}

		@AfterAll
		static void close() throws IOException {
			loader.close();
		}

		@Test
		void applicationBesideOtherLibrariesWorks() throws Exception {
			try (RedisServer server = RedisServer.start()) {
				runBesideOtherLibraries(server, "lock.redis.connection-factory=lockConnectionFactory");
			}
		}

		@Test
		void messageAboutAnUnsupportedConnectionFactoryHasTheLinesToAdd() throws Exception {
			try (RedisServer server = RedisServer.start()) {
				assertThatException().isThrownBy(() -> runBesideOtherLibraries(server))
					.havingRootCause()
					.withMessageContaining("org.redisson.spring.data.connection.RedissonConnectionFactory")
					.satisfies((ex) -> assertThat(ex.getClass().getMethod("getAction").invoke(ex).toString())
						.contains("@Bean(defaultCandidate = false)", "lock.redis.connection-factory"));
			}
		}

		private void runBesideOtherLibraries(RedisServer server, String... properties) throws Exception {
			run(loader, ManyLibrariesApplication.class.getName(),
					Stream
						.concat(Arrays.stream(properties), Stream.of("lock.backend=redis",
								"spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port()))
						.toArray(String[]::new));
		}

	}

	/**
	 * Applications of one class loader, too.
	 */
	@Nested
	class WithSpringSecurity {

		@TempDir
		private static Path classes;

		private static List<String> classPath;

		private static URLClassLoader loader;

		@BeforeAll
		static void load() {
			classPath = Stream.concat(CLASS_PATH.stream(), otherLibraries("spring-.*")).toList();
			loader = classLoader(Stream.concat(classPath.stream(), Stream.of(classes.toString())).toList());
		}

		@AfterAll
		static void close() throws IOException {
			loader.close();
		}

		@Test
		void defaultsOfSpringSecurityRejectAForcedRelease() throws Exception {
			run(loader, SecuredApplication.class.getName(), "expected=401");
		}

		@Test
		void filterChainOfThePagePermitsAForcedRelease() throws Exception {
			String chain = JavaCode.blocksOf(Path.of("..", "docs", "operations", "endpoint.md"))
				.stream()
				.filter((block) -> block.contains("SecurityFilterChain"))
				.findFirst()
				.orElseThrow();
			new JavaCode("secured", """
					import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
					import org.springframework.context.annotation.*;
					import org.springframework.core.annotation.Order;
					import org.springframework.security.config.Customizer;
					import org.springframework.security.config.annotation.web.builders.HttpSecurity;
					import org.springframework.security.web.SecurityFilterChain;
					""").compile(Map.of("ActuatorSecurity", chain), classes,
					String.join(File.pathSeparator, classPath));
			run(loader, SecuredApplication.class.getName(), "expected=200", "chain=secured.ActuatorSecurity");
		}

	}

}
