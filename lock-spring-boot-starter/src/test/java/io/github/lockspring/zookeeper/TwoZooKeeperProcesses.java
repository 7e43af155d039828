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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Tests with two processes and a key of their own.
 */
abstract class TwoZooKeeperProcesses {

	final String key = "key-" + System.nanoTime();

	ZooKeeperProcess one;

	ZooKeeperProcess two;

	/**
	 * Return where the server of the tests is.
	 * @return host and port
	 */
	abstract String connectString();

	@BeforeEach
	final void startProcesses() {
		this.one = ZooKeeperProcess.on(connectString());
		this.two = ZooKeeperProcess.on(connectString());
	}

	@AfterEach
	final void stopProcesses() {
		this.one.close();
		this.two.close();
	}

}
