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

package io.github.lockspring.zookeeper;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leases that a process retains, with real watches.
 */
class ZooKeeperRetainedLeaseServerTests {

	private final ZooKeeperServer server = ZooKeeperServer.shared();

	private final Process one = new Process(this.server.connectString());

	private final Process two = new Process(this.server.connectString());

	@BeforeEach
	void connect() throws Exception {
		this.one.use("warm-up");
		this.two.use("warm-up");
	}

	@AfterEach
	void close() {
		this.one.close();
		this.two.close();
	}

	@Test
	void nextAcquisitionHasLargerTokenOfTheSameNode() {
		long token = this.one.retain();
		for (int i = 0; i < 10; i++) {
			assertThat(this.one.retain()).isEqualTo(++token);
		}
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void isRecalledForAnotherProcess(LockType type) {
		for (int i = 0; i < 10; i++) {
			long token = this.one.retain();
			try (LockHandle waited = this.two.template.acquire("key",
					this.two.template.defaultOptions().withType(type))) {
				assertThat(waited.fencingToken()).isGreaterThan(token);
			}
			this.one.retain();
			try (LockHandle tried = this.two.tryOnce(type)) {
				assertThat(tried).isNotNull();
			}
		}
		await().until(() -> this.one.backend.isEmpty() && this.two.backend.isEmpty());
	}

	@Test
	void isDeclinedWhileItIsInUse() {
		LockHandle held = this.one.template.acquire("key",
				this.one.template.defaultOptions().withRetain(Duration.ofHours(1)));
		assertThat(this.two.tryOnce(LockType.REENTRANT)).isNull();
		assertThat(this.two.tryOnce(LockType.READ)).isNull();
		assertThat(held.isHeld()).isTrue();
		held.close();
		try (LockHandle tried = this.two.tryOnce(LockType.REENTRANT)) {
			assertThat(tried).isNotNull();
		}
		await().until(() -> this.one.backend.isEmpty() && this.two.backend.isEmpty());
	}

	@Test
	void isReleasedWhenItsProcessEnds() {
		this.one.retain();
		this.one.close();
		try (LockHandle tried = this.two.tryOnce(LockType.FAIR)) {
			assertThat(tried).isNotNull();
		}
	}

	/**
	 * A process.
	 */
	private static final class Process {

		private final CuratorFramework client;

		private final ZooKeeperLockBackend backend;

		private final LockTemplate template;

		Process(String connectString) {
			this.client = Clients.create(connectString);
			this.backend = new ZooKeeperLockBackend(this.client,
					new ZooKeeperLockSettings("retained", Clients.SETTINGS.operationTimeout()));
			this.template = LockTemplate.builder(this.backend)
				.operationTimeout(Duration.ofSeconds(20))
				.waitTime(Duration.ofMinutes(1))
				.build();
		}

		void use(String key) {
			this.template.acquire(key).close();
		}

		long retain() {
			try (LockHandle lock = this.template.acquire("key",
					this.template.defaultOptions().withRetain(Duration.ofHours(1)))) {
				return lock.fencingToken();
			}
		}

		@Nullable LockHandle tryOnce(LockType type) {
			return this.template.tryAcquire("key",
					this.template.defaultOptions().withType(type).withWaitTime(Duration.ZERO));
		}

		void close() {
			this.template.close();
			this.client.close();
		}

	}

}
