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

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.github.lockspring.faults.SigtermTests;
import io.github.lockspring.server.Torture;
import io.github.lockspring.server.ZooKeeperServer;

/**
 * A process with locks in ZooKeeper is terminated.
 */
@Torture(alsoIn = "RedisSigtermServerTests")
class ZooKeeperSigtermTortureTests extends SigtermTests {

	private static ZooKeeperServer server;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Override
	protected String[] properties() {
		return new String[] { "lock.backend=zookeeper", "sigterm.zookeeper=" + server.connectString() };
	}

	@Override
	protected void assertNothingHeld() throws Exception {
		new ZooKeeperStore(server.connectString(), Duration.ofSeconds(10)).assertNothingLeft();
	}

}
