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

import org.junit.jupiter.api.BeforeAll;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.github.lockspring.server.RedisCluster;
import io.github.lockspring.server.Torture;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * {@link LockBackendContractTests} for {@link RedisLockBackend} on a cluster of three
 * primaries with a replica each.
 */
@Torture(alsoIn = "RedisLockBackendServerTests")
class ClusterLockBackendServerTests extends LockBackendContractTests {

	private RedisCluster servers;

	private RedisConnectionFactory factory;

	/**
	 * The client library of the application.
	 */
	RedisStore.Client client() {
		return RedisStore.Client.LETTUCE;
	}

	@BeforeAll
	void connect() {
		this.servers = RedisCluster.start();
		this.servers.awaitReady();
		this.factory = client().connect(new RedisClusterConfiguration(this.servers.addresses()));
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
		String state = new String(RedisKeys.of(lease.key()), StandardCharsets.UTF_8);
		LeaseExpiry.expire(lease, this.servers.master(this.servers.slot(state))::command);
	}

}
