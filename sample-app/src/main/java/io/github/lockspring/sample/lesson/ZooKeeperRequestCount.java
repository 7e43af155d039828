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

package io.github.lockspring.sample.lesson;

import io.github.lockspring.server.ZooKeeperServer;

/**
 * Counts the packets that ZooKeeper receives, by its own count.
 */
final class ZooKeeperRequestCount implements RequestCount {

	private static final String PACKETS = "zk_packets_received";

	private final ZooKeeperServer server;

	private long questions;

	ZooKeeperRequestCount(ZooKeeperServer server) {
		this.server = server;
	}

	@Override
	public String address() {
		return this.server.connectString();
	}

	/**
	 * Without our own questions.
	 */
	@Override
	public long soFar() {
		this.questions++;
		return this.server.counters().getOrDefault(PACKETS, 0L) - this.questions;
	}

	@Override
	public void close() {
	}

}
