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

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.server.RedisSentinels;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * {@link LockBackendContractTests} for {@link RedisLockBackend} on a primary with
 * replicas and sentinels.
 */
@Torture(alsoIn = "RedisLockBackendServerTests")
class SentinelLockBackendServerTests extends LockBackendContractTests {

	private RedisSentinels servers;

	private RedisConnectionFactory factory;

	/**
	 * The client library of the application.
	 */
	RedisStore.Client client() {
		return RedisStore.Client.LETTUCE;
	}

	@BeforeAll
	void connect() {
		this.servers = RedisSentinels.start();
		this.servers.awaitReady();
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(RedisSentinels.MASTER_NAME);
		for (RedisServer sentinel : this.servers.sentinels()) {
			configuration.sentinel(sentinel.host(), sentinel.port());
		}
		this.factory = client().connect(configuration);
	}

	/**
	 * The servers have just started, which sentinels report like a failover.
	 */
	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void noKeyOfAUserIsOneThatTheServersUse() throws InterruptedException {
		this.servers.master().command("FLUSHALL");
		try (LockTemplate locks = LockTemplate.builder(backend()).operationTimeout(Duration.ofSeconds(30)).build()) {
			new InternalKeys(locks, this.servers.master()).assertNoUserReachesThem();
		}
	}

	@Override
	protected void disconnect() throws Exception {
		((DisposableBean) this.factory).destroy();
		this.servers.close();
	}

	@Override
	protected LockBackend backend() {
		return new RedisLockBackend(this.factory, RedisProcess.SETTINGS);
	}

	@Override
	protected void expire(LeaseRequest lease) {
		LeaseExpiry.expire(lease, this.servers.master()::command);
	}

}
