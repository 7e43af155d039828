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

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import io.github.lockspring.server.RedisCluster;
import io.github.lockspring.server.RedisCluster.SlotMigration;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks of a cluster's slot that is on its way from one server to another: some of its
 * keys have moved and others have not. Exclusion holds, and all is to be had, as at any
 * other time.
 */
class RedisSlotMigrationServerTests {

	private static RedisCluster servers;

	private static int keys;

	private RedisProcess one;

	private RedisProcess two;

	@BeforeAll
	static void startServers() {
		servers = RedisCluster.start();
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	private void connect(String client) {
		this.one = process(client);
		this.two = process(client);
	}

	private static RedisProcess process(String client) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration(servers.addresses());
		if (client.equals("lettuce")) {
			return new RedisProcess(configuration, RedisProcess.SETTINGS);
		}
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		return RedisProcess.withJedis(factory, RedisProcess.SETTINGS);
	}

	@AfterEach
	void disconnect() {
		this.one.close();
		this.two.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void readersAndWritersOfMovedKeyStayApart(String client) throws Exception {
		connect(client);
		String key = "moved-" + keys++;
		LeaseRequest reader = this.one.request(key, LeaseMode.SHARED, false, RedisProcess.LEASE_TIME);
		assertThat(this.one.tryAcquire(reader)).isNotNull();
		LeaseRequest writer = this.two.request(key);
		assertThat(this.two.contend(writer)).isNull();
		SlotMigration migration = servers.migrate(slot(key));
		migration.move(name(key));
		assertThat(this.one.backend.renew(List.of(reader), RedisProcess.TIMEOUT).held()).containsExactly(reader);
		assertThat(this.two.contend(writer)).isNull();
		assertThat(this.one.backend.inspect(key, RedisProcess.TIMEOUT)).hasSize(1);
		assertThat(this.one.release(reader)).isTrue();
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(writer);
		assertThat(this.two.backend.renew(List.of(writer), RedisProcess.TIMEOUT).held()).containsExactly(writer);
		migration.finish();
		assertThat(this.one.tryAcquire(this.one.request(key))).isNull();
		assertThat(this.two.release(writer)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void keysOnBothServersAreRenewedTogether(String client) {
		connect(client);
		List<String> neighbours = neighbours();
		List<LeaseRequest> held = neighbours.stream().map(this.one::request).toList();
		held.forEach((lease) -> assertThat(this.one.tryAcquire(lease)).isNotNull());
		SlotMigration migration = servers.migrate(slot(neighbours.get(0)));
		migration.move(name(neighbours.get(0)));
		assertThat(this.one.backend.renew(held, RedisProcess.TIMEOUT).held()).containsExactlyInAnyOrderElementsOf(held);
		for (LeaseRequest lease : held) {
			assertThat(this.two.tryAcquire(this.two.request(lease.key()))).isNull();
			assertThat(this.one.release(lease)).isTrue();
		}
		migration.finish();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void newKeyIsGrantedOnceAndEveryKindWorks(String client) {
		connect(client);
		String key = "new-" + keys++;
		SlotMigration migration = servers.migrate(slot(key));
		for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(1, 1))) {
			LeaseRequest holder = this.one.request(key, mode, true, RedisProcess.LEASE_TIME);
			assertThat(this.one.tryAcquire(holder)).isNotNull();
			LeaseRequest contender = this.two.request(key, LeaseMode.EXCLUSIVE, true, RedisProcess.LEASE_TIME);
			assertThat(this.two.contend(contender)).isNull();
			assertThat(this.one.backend.renew(List.of(holder), RedisProcess.TIMEOUT).held()).containsExactly(holder);
			this.two.release(contender);
			assertThat(this.one.release(holder)).isTrue();
		}
		migration.finish();
	}

	private static int slot(String key) {
		return ClusterSlotHashUtil.calculateSlot(key);
	}

	private static String name(String key) {
		return new String(RedisKeys.of(key), StandardCharsets.UTF_8);
	}

	/**
	 * Finds two keys of one slot.
	 */
	private static List<String> neighbours() {
		Map<Integer, String> known = new HashMap<>();
		while (true) {
			String key = "neighbour-" + keys++;
			String other = known.put(slot(key), key);
			if (other != null) {
				return List.of(other, key);
			}
		}
	}

}
