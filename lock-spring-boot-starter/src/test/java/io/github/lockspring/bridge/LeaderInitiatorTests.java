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

package io.github.lockspring.bridge;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the leader election of Spring Integration with a {@link LeaseLockRegistry}.
 */
class LeaderInitiatorTests {

	private static final String KEY = "lock:registry:leader";

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final LocalStore store = new LocalStore();

	private final RecordingBackend backend = new RecordingBackend(this.store);

	private final LockTemplate locks = LockTemplate.builder(this.backend).build();

	private final LockTemplate elsewhere = LockTemplate.builder(new LocalLockBackend(this.store)).build();

	private final LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
			new LeaseLockRegistry(this.locks, "registry"), new Candidate());

	@BeforeEach
	void start() {
		this.initiator.setHeartBeatMillis(10);
		this.initiator.setBusyWaitMillis(10);
		this.initiator.start();
		awaitEvents("granted");
	}

	@AfterEach
	void close() throws Exception {
		this.initiator.destroy();
		this.locks.close();
		this.elsewhere.close();
	}

	private void awaitEvents(String... expected) {
		Awaitility.await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
	}

	private void awaitLastEvent(String expected) {
		Awaitility.await().untilAsserted(() -> assertThat(this.events).last().isEqualTo(expected));
	}

	@Test
	void leaderThatHasLostItsLockIsElectedAnew() {
		assertThat(this.store.expire(KEY)).isTrue();
		awaitEvents("granted", "revoked", "granted");
		assertThat(this.store.holders(KEY)).hasSize(1);
	}

	@Test
	void leaderThatWasSucceededIsElectedAgainAndStops() {
		assertThat(this.store.expire(KEY)).isTrue();
		LockHandle successor = this.elsewhere.acquire("registry:leader");
		awaitLastEvent("revoked");
		successor.close();
		awaitLastEvent("granted");
		this.initiator.stop();
		awaitLastEvent("revoked");
		Awaitility.await().until(() -> this.store.holders(KEY).isEmpty());
	}

	@Test
	void leaderWithoutAStoreIsRevokedAndElectedWhenTheStoreIsBack() {
		this.backend.setDown(true);
		assertThat(this.store.expire(KEY)).isTrue();
		awaitEvents("granted", "revoked");
		this.backend.setDown(false);
		awaitEvents("granted", "revoked", "granted");
		assertThat(this.store.holders(KEY)).hasSize(1);
	}

	/**
	 * Candidate that records its elections.
	 */
	private final class Candidate extends DefaultCandidate {

		Candidate() {
			super("one", "leader");
		}

		@Override
		public void onGranted(Context context) {
			LeaderInitiatorTests.this.events.add("granted");
		}

		@Override
		public void onRevoked(Context context) {
			LeaderInitiatorTests.this.events.add("revoked");
		}

	}

}
