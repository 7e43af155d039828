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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.env.MockEnvironment;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.actuate.LockHealthIndicator;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedlockConfiguration}.
 */
class RedlockConfigurationServerTests {

	private final List<RedisServer> servers = new ArrayList<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LockAutoConfiguration.class, LockHealthContributorAutoConfiguration.class))
		.withPropertyValues("lock.backend=redlock", "lock.operation-timeout=10s");

	@BeforeEach
	void start() {
		this.servers.add(RedisServer.start());
		this.servers.add(RedisServer.start());
		this.servers.add(RedisServer.builder().user("locks", "secret", "~* &* +@all").start());
	}

	@AfterEach
	void stop() {
		this.servers.forEach(RedisServer::close);
	}

	@Test
	void lockIsOnAllServersAndSurvivesTheEndOfOne() {
		withNodes().run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			try (LockHandle lock = locks.acquire("42", locks.defaultOptions())) {
				assertThat(lock.isHeld()).isTrue();
				await().untilAsserted(() -> assertThat(this.servers).allMatch(
						(server) -> String.valueOf(server.command("HGET", "{lock:42}", "state")).startsWith("1 x ")));
				assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::fencingToken)
					.withMessageContaining("redlock");
			}
			this.servers.get(0).kill();
			locks.acquire("42", locks.defaultOptions()).close();
			this.servers.get(1).kill();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> locks.acquire("42", locks.defaultOptions().withWaitTime(Duration.ZERO)));
		});
	}

	@Test
	void healthSaysWhatRedlockCannotDo() {
		withNodes().run((context) -> assertThat(context.getBean(LockHealthIndicator.class).health().getDetails())
			.extractingByKey("warnings")
			.asString()
			.contains("fencing"));
	}

	@Test
	void withoutNodesItDoesNotStart() {
		this.runner
			.run((context) -> assertThat(FailureAnalyses.of(context).getAction()).contains("lock.redis.redlock.nodes"));
	}

	@Test
	void serverThatIsNamedTwiceIsRejected() {
		String url = this.servers.get(0).uri().toString();
		this.runner.withPropertyValues("lock.redis.redlock.nodes=" + url + ',' + url)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("more than once"));
	}

	@Test
	void serverWithTwoNamesIsRejected() {
		int port = this.servers.get(0).port();
		this.runner
			.withPropertyValues("lock.redis.redlock.nodes=redis://127.0.0.1:" + port + ",redis://localhost:" + port
					+ ',' + this.servers.get(1).uri())
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("127.0.0.1:" + port)
				.hasMessageContaining("localhost:" + port));
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://user:hidden@host:80", "redis://:hid/den@host:6379", "redis://:hid#den@host:6379",
			"redis://:hid?den@host:6379", "redis://user:12/hidden@host:6379", "redis://hidden#1@host",
			"redis://:hid den@host", "redis://:hid^den@host", "redis://:hid%zzden@host", "redis://:hid@den@host",
			"redis://:hid,den@host", "hidden" })
	void nodeThatIsNoUrlIsRejectedWithoutItsPassword(String url) {
		MockEnvironment environment = new MockEnvironment().withProperty("lock.redis.redlock.nodes", url);
		this.runner.withPropertyValues("lock.redis.redlock.nodes=" + url).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context, environment);
			assertThat(analysis.getDescription()).contains("lock.redis.redlock.nodes[0]")
				.doesNotContain("hid")
				.doesNotContain("den@");
			assertThat(analysis.getAction()).contains("percent-encoded").doesNotContain("hid");
		});
	}

	@Test
	void nodeWhoseHostHasAnUnderscoreIsExplained() {
		this.runner.withPropertyValues("lock.redis.redlock.nodes=redis://redis_1:6379")
			.run((context) -> assertThat(FailureAnalyses.of(context).getAction()).contains("underscore"));
	}

	@Test
	void userAndPasswordAreDecoded() {
		RedisServer server = this.servers.get(2);
		server.command("ACL", "SETUSER", "a:b", "on", ">p/a#s?s@%,", "~*", "&*", "+@all");
		String url = "redis://a%3Ab:p%2Fa%23s%3Fs%40%25%2C@" + server.host() + ':' + server.port();
		this.runner
			.withPropertyValues("lock.redis.redlock.nodes=" + url + ',' + this.servers.get(0).uri() + ','
					+ this.servers.get(1).uri(), "lock.redis.redlock.node-timeout=2s")
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				try (LockHandle lock = locks.acquire("42", locks.defaultOptions())) {
					await().until(() -> server.command("EXISTS", "{lock:42}").equals(1L));
				}
			});
	}

	private ApplicationContextRunner withNodes() {
		String nodes = this.servers.stream()
			.map((server) -> "redis://locks:secret@".repeat((server == this.servers.get(2)) ? 1 : 0)
					+ ((server == this.servers.get(2)) ? server.host() + ':' + server.port() : server.uri().toString()))
			.collect(Collectors.joining(","));
		return this.runner.withPropertyValues("lock.redis.redlock.nodes=" + nodes,
				"lock.redis.redlock.node-timeout=2s");
	}

}
