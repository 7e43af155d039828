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

import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ZooKeeperClientBuilder}.
 */
class ZooKeeperClientBuilderTests {

	private final ZooKeeperLockProperties properties = new ZooKeeperLockProperties();

	@Test
	void connectingMayTakeHalfOfTheSession() {
		this.properties.setSessionTimeout(Duration.ofSeconds(6));
		assertThat(build().getConnectionTimeoutMs()).isEqualTo(3_000);
	}

	@Test
	void connectingMayTakeAsLongAsItIsSaid() {
		this.properties.setConnectionTimeout(Duration.ofSeconds(2));
		assertThat(build().getConnectionTimeoutMs()).isEqualTo(2_000);
	}

	@Test
	void callsOfCuratorAreRepeatedAsItIsSaid() {
		this.properties.getRetry().setBaseSleep(Duration.ofMillis(7));
		this.properties.getRetry().setMaxSleep(Duration.ofMillis(70));
		this.properties.getRetry().setMaxRetries(2);
		assertThat(build().getRetryPolicy()).isInstanceOfSatisfying(BoundedExponentialBackoffRetry.class, (policy) -> {
			assertThat(policy.getBaseSleepTimeMs()).isEqualTo(7);
			assertThat(policy.getMaxSleepTimeMs()).isEqualTo(70);
			assertThat(policy.getN()).isEqualTo(2);
		});
	}

	@Test
	void serversAreThoseThatAreNamed() {
		assertThat(build().getCurrentConnectionString()).isEqualTo("a:2181, b:2181/locks");
	}

	private CuratorZookeeperClient build() {
		this.properties.setConnectString("a:2181, b:2181/locks");
		try (CuratorFramework client = new ZooKeeperClientBuilder(this.properties).build()) {
			return client.getZookeeperClient();
		}
	}

}
