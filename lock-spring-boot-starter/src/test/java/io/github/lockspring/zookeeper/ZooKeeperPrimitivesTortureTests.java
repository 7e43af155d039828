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

import org.junit.jupiter.api.Test;

import io.github.lockspring.faults.MeetingsRun;
import io.github.lockspring.faults.PrimitivesRun;
import io.github.lockspring.server.Torture;
import io.github.lockspring.server.ZooKeeperServer;

/**
 * Processes that use primitives in ZooKeeper while one is killed, one is paused and the
 * server is killed and restarted.
 */
@Torture(alsoIn = { "RedisPrimitivesServerTests", "ZooKeeperLockBackendServerTests" })
class ZooKeeperPrimitivesTortureTests {

	private static final Duration SESSION = Duration.ofSeconds(4);

	@Test
	void historyIsConsistent() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start();
				PrimitivesRun run = new PrimitivesRun(Worker.class, server.connectString())) {
			run.run(new ZooKeeperStore(server.connectString(), SESSION), () -> {
				server.kill();
				server.restart();
			});
		}
	}

	@Test
	void meetingsAreConsistent() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start();
				MeetingsRun run = new MeetingsRun(Visitor.class, server.connectString())) {
			run.run(new ZooKeeperStore(server.connectString(), SESSION), () -> {
				server.kill();
				server.restart();
			});
		}
	}

	static final class Worker {

		private Worker() {
		}

		public static void main(String[] arguments) throws Exception {
			PrimitivesRun.work(new ZooKeeperStore(arguments[0], SESSION));
		}

	}

	static final class Visitor {

		private Visitor() {
		}

		public static void main(String[] arguments) throws Exception {
			MeetingsRun.work(new ZooKeeperStore(arguments[0], SESSION));
		}

	}

}
