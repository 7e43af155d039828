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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisCluster}.
 */
@Torture(alsoIn = "ClusterLockBackendServerTests")
class RedisClusterTortureTests {

	@Test
	void everySlotHasMasterAndReplicaAndTheReplicaTakesOver() {
		try (RedisCluster cluster = RedisCluster.start()) {
			assertThat(cluster.addresses()).hasSize(6).doesNotHaveDuplicates();
			assertThat(cluster.slot("{key}")).isEqualTo(cluster.slot("key")).isEqualTo(12539);
			assertThat(cluster.master(0)).isNotSameAs(cluster.master(RedisCluster.SLOTS - 1));
			RedisServer master = cluster.master(12539);
			RedisServer replica = cluster.replica(12539).orElseThrow();
			assertThat(master.command("SET", "key", "value")).isEqualTo("OK");
			assertThatExceptionOfType(RedisErrorException.class)
				.isThrownBy(() -> cluster.master(0).command("GET", "key"))
				.withMessage("MOVED 12539 127.0.0.1:" + master.port());
			assertThat(master.command("WAIT", "1", "5000")).isEqualTo(1L);
			assertThat(cluster.failOver(12539)).isSameAs(replica);
			assertThat(replica.command("GET", "key")).isEqualTo("value");
			master.restart();
			cluster.awaitReady();
			assertThat(cluster.replica(12539)).containsSame(master);
			assertThat(cluster.master(12539)).isSameAs(replica);
		}
	}

}
