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
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.concurrent.DistributedDoubleBarrier;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Values;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.MeetingsRun;
import io.github.lockspring.faults.PrimitivesRun;
import io.github.lockspring.faults.StoreClient;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that use primitives in Redis while one is killed, one is paused and the
 * server is killed and restarted with its data.
 */
class RedisPrimitivesServerTests {

	private static final EngineSettings SETTINGS = EngineSettings.defaults()
		.withOperationTimeout(Duration.ofSeconds(20));

	@Test
	void historyIsConsistent() throws Exception {
		try (RedisServer server = RedisServer.builder().appendOnly().option("appendfsync", "always").start();
				PrimitivesRun run = new PrimitivesRun(Worker.class, server.host(), Integer.toString(server.port()))) {
			run.run(RedisStore.on(server), () -> {
				server.kill();
				server.restart();
			});
		}
	}

	@Test
	@Torture(alsoIn = "RedisPrimitivesServerTests#historyIsConsistent")
	void meetingsAreConsistent() throws Exception {
		try (RedisServer server = RedisServer.builder().appendOnly().option("appendfsync", "always").start();
				MeetingsRun run = new MeetingsRun(Visitor.class, server.host(), Integer.toString(server.port()))) {
			run.run(RedisStore.on(server), () -> {
				server.kill();
				server.restart();
			});
		}
	}

	@Test
	void participantOfADoubleBarrierThatWasKilledHasNotEntered() throws Exception {
		try (RedisServer server = RedisServer.builder().start();
				ChildJvms children = new ChildJvms();
				StoreClient connection = RedisStore.on(server).connect(SETTINGS);
				LockTemplate locks = LockTemplate.builder(connection.backend())
					.operationTimeout(SETTINGS.operationTimeout())
					.build()) {
			Process killed = children.start(Participant.class, server.host(), Integer.toString(server.port()));
			Values values = LockUtils.engine(locks).values();
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> values.read("lock:meeting\uffffdouble-barrier").exists());
			killed.destroyForcibly().waitFor();
			DistributedDoubleBarrier other = new LockClient(locks).doubleBarrier("meeting", 2);
			assertThat(other.enter(10, TimeUnit.MILLISECONDS)).isFalse();
		}
	}

	static final class Participant {

		private Participant() {
		}

		public static void main(String[] arguments) throws Exception {
			RedisStore store = new RedisStore(
					new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1])));
			try (StoreClient connection = store.connect(SETTINGS);
					LockTemplate locks = LockTemplate.builder(connection.backend())
						.operationTimeout(SETTINGS.operationTimeout())
						.build()) {
				new LockClient(locks).doubleBarrier("meeting", 2).enter();
			}
		}

	}

	static final class Worker {

		private Worker() {
		}

		public static void main(String[] arguments) throws Exception {
			PrimitivesRun
				.work(new RedisStore(new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1]))));
		}

	}

	static final class Visitor {

		private Visitor() {
		}

		public static void main(String[] arguments) throws Exception {
			MeetingsRun
				.work(new RedisStore(new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1]))));
		}

	}

}
