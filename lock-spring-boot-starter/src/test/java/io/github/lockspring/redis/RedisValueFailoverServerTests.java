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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import io.github.lockspring.server.RedisCluster;
import io.github.lockspring.server.RedisSentinels;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;
import io.github.lockspring.spi.Value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@link RedisValueBackend} when a replica takes over.
 */
class RedisValueFailoverServerTests {

	@Test
	@Torture(alsoIn = {
			"RedisValueFailoverServerTests#watchersOfJedisAreNotifiedAndVersionsGrowWhenSentinelsNameAnotherPrimary" })
	void watchersAreNotifiedAndVersionsGrowWhenSentinelsNameAnotherPrimary() {
		followSentinels(RedisStore.Client.LETTUCE);
	}

	@Test
	void watchersOfJedisAreNotifiedAndVersionsGrowWhenSentinelsNameAnotherPrimary() {
		followSentinels(RedisStore.Client.JEDIS);
	}

	/**
	 * The former primary continues for some ten seconds as if nothing had happened.
	 */
	private static void followSentinels(RedisStore.Client client) {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisServer former = sentinels.master();
			RedisConfiguration configuration = new RedisSentinelConfiguration(RedisSentinels.MASTER_NAME,
					Set.copyOf(sentinels.sentinelAddresses()));
			try (RedisProcess process = process(client, configuration); RedisProcess stale = RedisProcess.on(former)) {
				eventually().until(() -> process.add("key", 1).after(), Objects::nonNull);
				process.watch("key");
				RedisServer successor = sentinels.failOver();
				assertFollows(process, successor);
				long version = process.add("key", 1).after().version();
				stale.add("key", 1);
				assertThat(stale.add("key", 1).after().version()).isLessThan(version);
			}
		}
	}

	@Test
	void watchersAreNotifiedAndVersionsGrowWhenAReplicaOfAClusterTakesOver() {
		followReplicaOfACluster(RedisStore.Client.LETTUCE);
	}

	@Test
	@Torture(alsoIn = "RedisValueFailoverServerTests#watchersAreNotifiedAndVersionsGrowWhenAReplicaOfAClusterTakesOver")
	void watchersOfJedisAreNotifiedAndVersionsGrowWhenAReplicaOfAClusterTakesOver() {
		followReplicaOfACluster(RedisStore.Client.JEDIS);
	}

	private static void followReplicaOfACluster(RedisStore.Client client) {
		try (RedisCluster cluster = RedisCluster.start()) {
			int slot = cluster.slot("{key}:value");
			RedisConfiguration configuration = new RedisClusterConfiguration(cluster.addresses());
			try (RedisProcess process = process(client, configuration)) {
				Value former = eventually().until(() -> process.add("key", 1).after(), Objects::nonNull);
				process.watch("key");
				assertFollows(process, cluster.failOver(slot));
				assertThat(process.add("key", 1).after().version()).isGreaterThan(former.version());
			}
		}
	}

	/**
	 * Asserts that there is a hint, that a read renews the watch, and that changes are
	 * notified then.
	 */
	private static void assertFollows(RedisProcess process, RedisServer successor) {
		eventually().until(() -> process.read("other") == Value.ABSENT && process.changes.contains("key"));
		eventually().until(() -> isNotifiedOfChange(process));
		String record = (String) successor.command("HGET", "{key}:value", "value");
		assertThat(record).startsWith("1 " + process.read("key").number() + ' ');
	}

	private static boolean isNotifiedOfChange(RedisProcess process) throws InterruptedException {
		process.watch("key");
		process.changes.clear();
		process.add("key", 1);
		return "key".equals(process.changes.poll(1, TimeUnit.SECONDS));
	}

	private static ConditionFactory eventually() {
		return await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(100)).ignoreExceptions();
	}

	private static RedisProcess process(RedisStore.Client client, RedisConfiguration configuration) {
		return new RedisProcess(client.connect(configuration), RedisProcess.SETTINGS);
	}

}
