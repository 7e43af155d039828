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

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Real applications beside other libraries for locks.
 */
class OtherLibrariesServerTests {

	private static ClassPathApplications applications;

	@BeforeAll
	static void start() {
		applications = new ClassPathApplications(
				Stream.concat(ClassPathApplications.classPathWithout("spring-(boot-)?jdbc-"),
						ClassPathApplications.otherLibraries("(?!spring-).*")));
	}

	@AfterAll
	static void close() throws IOException {
		applications.close();
	}

	@Test
	void applicationBesideOtherLibrariesWorks() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			run(server, "lock.redis.connection-factory=lockConnectionFactory");
		}
	}

	@Test
	void messageAboutAnUnsupportedConnectionFactoryHasTheLinesToAdd() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			assertThatException().isThrownBy(() -> run(server))
				.havingRootCause()
				.withMessageContaining("org.redisson.spring.data.connection.RedissonConnectionFactory")
				.satisfies((ex) -> assertThat(ex.getClass().getMethod("getAction").invoke(ex).toString())
					.contains("@Bean(defaultCandidate = false)", "lock.redis.connection-factory"));
		}
	}

	private static void run(RedisServer server, String... properties) throws Exception {
		applications.run(ManyLibrariesApplication.class,
				Stream.concat(Arrays.stream(properties), Stream.of("lock.backend=redis",
						"spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port())));
	}

}
