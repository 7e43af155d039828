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

import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.MixedRun;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Users with and without threads of two processes on a real server.
 */
class RedisMixedUsersServerTests {

	private static final EngineSettings SETTINGS = EngineSettings.defaults().withOperationTimeout(RedisProcess.TIMEOUT);

	private final RedisServer server = RedisServer.shared();

	private final EngineProcess process = start();

	private final EngineProcess other = start();

	private EngineProcess start() {
		return new EngineProcess(RedisStore.on(this.server), SETTINGS);
	}

	@AfterEach
	void close() {
		this.process.close();
		this.other.close();
	}

	@Test
	void excludeEachOtherAndLeaveNothing() throws Exception {
		AcquireOptions options = AcquireOptions.exclusive(RedisProcess.LEASE_TIME, true);
		new MixedRun(List.of(this.process.engine, this.other.engine), options, true).run(300);
		Awaitility.await().until(() -> this.process.engine.size() + this.other.engine.size() == 0);
		Awaitility.await().untilAsserted(this::assertNothingLeft);
		assertThat(this.process.lostTokens).isEmpty();
		assertThat(this.other.lostTokens).isEmpty();
	}

	/**
	 * But for records of the last token.
	 */
	private void assertNothingLeft() {
		for (Object key : (List<?>) this.server.command("KEYS", "*" + MixedRun.PREFIX + "*")) {
			assertThat((String) key).endsWith("}");
			Object record = this.server.command("HGET", (String) key, "state");
			assertThat(record == null || record.toString().matches("1 \\d+")).as(key + "=" + record).isTrue();
		}
	}

}
