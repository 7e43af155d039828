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

package io.github.lockspring.server;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisSentinels}.
 */
@Torture(alsoIn = "SentinelLockBackendServerTests")
class RedisSentinelsTortureTests {

	@Test
	void replicasFollowTheMasterUntilOneIsMadeTheMaster() {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			assertThat(sentinels.sentinelAddresses()).hasSize(3).doesNotHaveDuplicates();
			RedisServer former = sentinels.master();
			assertReplicated(sentinels, former, "value");
			RedisServer successor = sentinels.failOver();
			assertThat(successor).isNotSameAs(former).isSameAs(sentinels.master());
			assertThat(successor.command("GET", "key")).isEqualTo("value");
			assertThat(successor.command("SET", "key", "other")).isEqualTo("OK");
		}
	}

	@Test
	void killedMasterHasASuccessor() {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisServer former = sentinels.master();
			RedisServer successor = sentinels.failOverByKill();
			assertThat(successor).isNotSameAs(former).isSameAs(sentinels.master());
			assertThat(former.isRunning()).isFalse();
			assertThat(successor.command("SET", "key", "value")).isEqualTo("OK");
		}
	}

	@Test
	void pausedMasterStillTakesWritesAfterItsSuccessorHasTakenOver() {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisServer former = sentinels.master();
			RedisServer successor = sentinels.failOverByPause();
			assertThat(successor).isNotSameAs(former).isSameAs(sentinels.master());
			former.resume();
			assertThat(former.command("SET", "key", "lost")).isEqualTo("OK");
			assertThat(successor.command("GET", "key")).isNull();
		}
	}

	private void assertReplicated(RedisSentinels sentinels, RedisServer master, String value) {
		List<RedisServer> replicas = sentinels.replicas();
		assertThat(replicas).hasSize(2).doesNotContain(master);
		assertThat(master.command("SET", "key", value)).isEqualTo("OK");
		for (RedisServer replica : replicas) {
			Await.until("the value is replicated", () -> value.equals(replica.command("GET", "key")));
		}
	}

}
