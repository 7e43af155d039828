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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUtils;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leases that a process retains, with real messages.
 */
class RedisRetainedLeaseServerTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final RedisServer server = RedisServer.start();

	@AfterEach
	void stopServer() {
		this.server.close();
	}

	private RedisConnectionFactory connect(RedisStore.Client client) {
		return client.connect(RedisProcess.configuration(this.server));
	}

	private static LockTemplate template(RedisConnectionFactory factory) {
		return LockTemplate
			.builder(new RedisLockBackend(factory, RedisLockSettings.defaults().withOperationTimeout(TIMEOUT)))
			.operationTimeout(TIMEOUT)
			.waitTime(Duration.ofMinutes(1))
			.build();
	}

	private static LockOptions retained(LockTemplate template) {
		return template.defaultOptions().withRetain(Duration.ofHours(1));
	}

	private static long retain(LockTemplate template) {
		try (LockHandle lock = template.acquire("key", retained(template))) {
			return lock.fencingToken();
		}
	}

	private static @Nullable LockHandle tryOnce(LockTemplate template, LockType type) {
		return template.tryAcquire("key", template.defaultOptions().withType(type).withWaitTime(Duration.ZERO));
	}

	@ParameterizedTest
	@EnumSource(RedisStore.Client.class)
	void isAcquiredAgainWithoutCommand(RedisStore.Client client) throws Exception {
		RedisConnectionFactory factory = connect(client);
		try (LockTemplate one = template(factory)) {
			long token = retain(one);
			this.server.command("CONFIG", "RESETSTAT");
			for (int i = 0; i < 100; i++) {
				long next = retain(one);
				assertThat(next).isGreaterThan(token);
				token = next;
			}
			assertThat((String) this.server.command("INFO", "commandstats")).doesNotContain("evalsha");
		}
		finally {
			((DisposableBean) factory).destroy();
		}
		assertThat((List<?>) this.server.command("KEYS", "*")).hasSize(1);
		assertThat((String) this.server.command("HGET", "{lock:key}", "state")).startsWith("1 1");
	}

	@ParameterizedTest
	@EnumSource(RedisStore.Client.class)
	void isRecalledForAnotherProcess(RedisStore.Client client) throws Exception {
		RedisConnectionFactory factory = connect(client);
		try (LockTemplate one = template(factory); LockTemplate two = template(factory)) {
			for (LockType type : LockType.values()) {
				long token = retain(one);
				try (LockHandle waited = two.acquire("key", two.defaultOptions().withType(type))) {
					assertThat(waited.fencingToken()).isGreaterThan(token);
				}
				retain(one);
				try (LockHandle tried = tryOnce(two, type)) {
					assertThat(tried).as("%s, tried once", type).isNotNull();
				}
			}
			assertThat(retain(two)).isPositive();
			assertThat(retain(one)).isPositive();
		}
		finally {
			((DisposableBean) factory).destroy();
		}
	}

	@Test
	void isDeclinedWhileItIsInUse() throws Exception {
		RedisConnectionFactory factory = connect(RedisStore.Client.LETTUCE);
		try (LockTemplate one = template(factory); LockTemplate two = template(factory)) {
			LockHandle held = one.acquire("key", retained(one));
			assertThat(tryOnce(two, LockType.REENTRANT)).isNull();
			assertThat((String) this.server.command("HGET", "{lock:key}", "state")).startsWith("1 x ");
			held.close();
			// the request that was denied leaves the queue in the background
			await().until(() -> ((String) this.server.command("HGET", "{lock:key}", "state")).startsWith("1 1"));
		}
		finally {
			((DisposableBean) factory).destroy();
		}
	}

	@ParameterizedTest
	@EnumSource(RedisStore.Client.class)
	void isRecalledAfterTheSubscriptionWasLost(RedisStore.Client client) throws Exception {
		RedisConnectionFactory factory = connect(client);
		try (LockTemplate one = template(factory); LockTemplate two = template(factory)) {
			retain(one);
			this.server.killClients("pubsub");
			two.acquire("key").close();
			await().until(() -> {
				retain(one);
				return ((String) this.server.command("HGET", "{lock:key}", "state")).startsWith("1 r ");
			});
			assertThat(tryOnce(two, LockType.REENTRANT)).isNotNull();
		}
		finally {
			((DisposableBean) factory).destroy();
		}
	}

	@Test
	void isNotRetainedWithoutPermissionToListen() throws Exception {
		this.server.command("ACL", "SETUSER", "locks", "reset", "on", ">secret", "~*", "+@all", "resetchannels");
		RedisStandaloneConfiguration configuration = RedisProcess.configuration(this.server);
		configuration.setUsername("locks");
		configuration.setPassword("secret");
		RedisConnectionFactory factory = RedisStore.Client.LETTUCE.connect(configuration);
		try (LockTemplate one = template(factory); LockTemplate two = template(factory)) {
			retain(one);
			assertThat((String) this.server.command("HGET", "{lock:key}", "state")).startsWith("1 1");
			assertThat(tryOnce(two, LockType.REENTRANT)).isNotNull();
		}
		finally {
			((DisposableBean) factory).destroy();
		}
	}

	@Test
	void isLostAfterAFlushAndAcquiredAnew() throws Exception {
		RedisConnectionFactory factory = connect(RedisStore.Client.LETTUCE);
		try (LockTemplate one = template(factory)) {
			LockOptions options = retained(one).withLeaseTime(Duration.ofMillis(300));
			one.acquire("key", options).close();
			this.server.command("FLUSHALL");
			await().until(() -> LockUtils.engine(one).size() == 0);
			try (LockHandle lock = one.acquire("key", options)) {
				assertThat(lock.isHeld()).isTrue();
			}
		}
		finally {
			((DisposableBean) factory).destroy();
		}
	}

}
