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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import io.github.lockspring.server.RedisCluster;
import io.github.lockspring.server.RedisCluster.SlotMigration;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendUnavailableException;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * {@link RedisLockBackend} that waits for replicas in a cluster.
 */
class RedisClusterReplicaServerTests {

	private final RedisLockSettings settings = RedisProcess.SETTINGS.withReplicas(1, Duration.ofSeconds(4));

	private RedisCluster servers;

	private RedisClusterConfiguration configuration;

	@BeforeEach
	void start() {
		this.servers = RedisCluster.start();
		this.servers.awaitReady();
		this.configuration = new RedisClusterConfiguration(this.servers.addresses());
		this.servers.nodes().forEach((node) -> node.command("CONFIG", "SET", "cluster-node-timeout", "60000"));
	}

	@AfterEach
	void stop() {
		this.servers.close();
	}

	@Test
	void replicaOfTheServerThatHasWrittenIsAskedThroughLettuce() {
		try (RedisProcess process = new RedisProcess(this.configuration, this.settings)) {
			replicaIsAsked(process);
		}
	}

	@Test
	void replicaOfTheServerThatHasWrittenIsAskedThroughJedis() {
		try (RedisProcess process = RedisProcess.withJedis(new JedisConnectionFactory(this.configuration),
				this.settings)) {
			replicaIsAsked(process);
		}
	}

	@Test
	void replicaOfTheServerThatTheSlotMovesToIsAskedThroughLettuce() {
		try (RedisProcess process = new RedisProcess(this.configuration, this.settings)) {
			replicaIsAskedAfterRedirection(process);
		}
	}

	@Test
	void replicaOfTheServerThatTheSlotMovesToIsAskedThroughJedis() {
		try (RedisProcess process = RedisProcess.withJedis(new JedisConnectionFactory(this.configuration),
				this.settings)) {
			replicaIsAskedAfterRedirection(process);
		}
	}

	private void replicaIsAsked(RedisProcess process) {
		await().ignoreExceptions().until(() -> process.tryAcquire(process.request("key")) != null);
		RedisServer replica = this.servers.replica(this.servers.slot("{later}")).orElseThrow();
		replica.pause();
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> process.tryAcquire(process.request("later")))
			.withMessageContaining("0 of 1 replicas");
		replica.resume();
	}

	private void replicaIsAskedAfterRedirection(RedisProcess process) {
		await().ignoreExceptions().until(() -> process.tryAcquire(process.request("key")) != null);
		SlotMigration migration = this.servers.migrate(this.servers.slot("{moved}"));
		List<RedisServer> nodes = this.servers.nodes();
		RedisServer replica = nodes.get(nodes.indexOf(migration.target()) + nodes.size() / 2);
		replica.pause();
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> process.tryAcquire(process.request("moved")))
			.withMessageContaining("0 of 1 replicas");
		migration.finish();
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> process.tryAcquire(process.request("moved")))
			.withMessageContaining("0 of 1 replicas");
		replica.resume();
	}

}
