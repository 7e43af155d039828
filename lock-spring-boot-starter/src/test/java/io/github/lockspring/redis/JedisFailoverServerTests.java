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
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import io.github.lockspring.server.RedisCluster;
import io.github.lockspring.server.RedisSentinels;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The Jedis client when another server takes over.
 */
class JedisFailoverServerTests {

	private static final Duration MAX_WAIT = Duration.ofMinutes(2);

	@Test
	void newPrimaryIsFoundThroughTheSentinels() {
		try (RedisSentinels servers = RedisSentinels.start()) {
			servers.awaitReady();
			RedisSentinelConfiguration configuration = new RedisSentinelConfiguration()
				.master(RedisSentinels.MASTER_NAME);
			servers.sentinels().forEach((sentinel) -> configuration.sentinel(sentinel.host(), sentinel.port()));
			try (RedisProcess process = RedisProcess.withJedis(new JedisConnectionFactory(configuration),
					RedisProcess.SETTINGS)) {
				process.tryAcquire(process.request("before"));
				RedisServer former = servers.master();
				servers.failOver();
				// The one that becomes a replica closes its connections
				await().atMost(MAX_WAIT)
					.ignoreExceptions()
					.until(() -> "slave".equals(former.info("replication").get("role")));
				assertWorksOn(servers.master(), process, "ordered");
				servers.failOverByPause();
				assertWorksOn(servers.master(), process, "paused");
			}
		}
	}

	private static void assertWorksOn(RedisServer server, RedisProcess process, String key) {
		LeaseRequest holder = process.request(key);
		await().atMost(MAX_WAIT).ignoreExceptions().until(() -> process.tryAcquire(holder) != null);
		assertThat((String) server.command("HGET", "{" + key + "}", "state")).contains(holder.owner().toString());
		process.release(holder);
		await().atMost(MAX_WAIT).until(() -> messagesArrive(process, key));
	}

	private static boolean messagesArrive(RedisProcess process, String key) throws InterruptedException {
		LeaseRequest holder = process.request(key);
		LeaseRequest contender = process.request(key);
		assertThat(process.tryAcquire(holder)).isNotNull();
		assertThat(process.contend(contender)).isNull();
		process.release(holder);
		boolean arrived = contender.equals(process.granted.poll(1, TimeUnit.SECONDS));
		process.release(contender);
		return arrived;
	}

	@Test
	void replicaOfAClusterIsFound() {
		try (RedisCluster servers = RedisCluster.start(); RedisProcess process = process(servers)) {
			LeaseRequest before = process.request("key");
			assertThat(process.tryAcquire(before)).isNotNull();
			process.release(before);
			assertWorksOn(servers.failOver(servers.slot("{key}")), process, "key");
		}
	}

	@ParameterizedTest
	@EnumSource
	void failoverInAClusterIsReported(RedisStore.Client client) {
		try (RedisCluster servers = RedisCluster.start()) {
			servers.awaitReady();
			try (RedisProcess process = new RedisProcess(
					client.connect(new RedisClusterConfiguration(servers.addresses())), RedisProcess.SETTINGS)) {
				assertThat(process.tryAcquire(process.request("key"))).isNotNull();
				assertThat(process.failovers).hasValue(0);
				RedisServer successor = servers.failOver(servers.slot("{key}"));
				await().atMost(MAX_WAIT).ignoreExceptions().until(() -> {
					process.backend.inspect("key", RedisProcess.TIMEOUT);
					return process.failovers.get() > 0;
				});
				successor.command("DEL", "{key}");
				Grant grant = process.tryAcquire(process.request("key"));
				assertThat(grant).isNotNull();
				long clock = Long.parseLong((String) ((List<?>) successor.command("TIME")).get(0));
				assertThat(grant.token()).isGreaterThan(clock * 1_000_000 + 1_000_000);
			}
		}
	}

	private static RedisProcess process(RedisCluster servers) {
		servers.awaitReady();
		return RedisProcess.withJedis(new JedisConnectionFactory(new RedisClusterConfiguration(servers.addresses())),
				RedisProcess.SETTINGS);
	}

	@Test
	void slotThatMovesIsFollowed() {
		try (RedisCluster servers = RedisCluster.start(); RedisProcess process = process(servers)) {
			assertThat(process.tryAcquire(process.request("warm up"))).isNotNull();
			int slot = servers.slot("{key}");
			RedisServer source = servers.master(slot);
			RedisServer target = servers.master((slot + RedisCluster.SLOTS / 2) % RedisCluster.SLOTS);
			assertThat(target).isNotSameAs(source);
			target.command("CLUSTER", "SETSLOT", "" + slot, "IMPORTING", (String) source.command("CLUSTER", "MYID"));
			source.command("CLUSTER", "SETSLOT", "" + slot, "MIGRATING", (String) target.command("CLUSTER", "MYID"));
			LeaseRequest asked = process.request("key");
			assertThat(process.tryAcquire(asked)).isNotNull();
			assertThat(process.release(asked)).isTrue();
			String id = (String) target.command("CLUSTER", "MYID");
			target.command("CLUSTER", "SETSLOT", "" + slot, "NODE", id);
			source.command("CLUSTER", "SETSLOT", "" + slot, "NODE", id);
			LeaseRequest moved = process.request("key");
			assertThat(process.tryAcquire(moved)).isNotNull();
			assertThat((String) target.command("HGET", "{key}", "state")).contains(moved.owner().toString());
			assertThat(process.backend.renew(List.of(moved, process.request("other")), RedisProcess.TIMEOUT).held())
				.containsExactly(moved);
		}
	}

	@Test
	void pausedNodeDoesNotDelayTheRenewalsOfOthers() {
		try (RedisCluster servers = RedisCluster.start(); RedisProcess process = process(servers)) {
			List<LeaseRequest> leases = IntStream.range(0, 300).mapToObj((i) -> process.request("key-" + i)).toList();
			leases.forEach((lease) -> assertThat(process.tryAcquire(lease)).isNotNull());
			assertThat(process.backend.renew(leases, RedisProcess.TIMEOUT).held()).hasSize(300);
			servers.nodes().forEach((node) -> node.command("CONFIG", "SET", "cluster-node-timeout", "60000"));
			RedisServer still = servers.master(servers.slot("{key-0}"));
			still.pause();
			for (int i = 0; i < 3; i++) {
				assertThat(process.backend.renew(leases, Duration.ofSeconds(3)).held()).hasSizeGreaterThan(100);
			}
			still.resume();
		}
	}

}
