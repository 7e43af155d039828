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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.faults.MeetingsRun;
import io.github.lockspring.faults.PrimitivesRun;
import io.github.lockspring.server.RedisServer;

/**
 * Processes that use primitives in Redis while one is killed, one is paused and the
 * server is killed and restarted with its data.
 */
class RedisPrimitivesTests {

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
	@Tag("torture")
	void meetingsAreConsistent() throws Exception {
		try (RedisServer server = RedisServer.builder().appendOnly().option("appendfsync", "always").start();
				MeetingsRun run = new MeetingsRun(Visitor.class, server.host(), Integer.toString(server.port()))) {
			run.run(RedisStore.on(server), () -> {
				server.kill();
				server.restart();
			});
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
