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
package io.github.lockspring.benchmarks.store;

import io.github.lockspring.server.ZooKeeperServer;

/**
 * Asks the server how many packets it has received. The heartbeats of all sessions are
 * among them, and so is each question; only the questions can be distinguished.
 */
final class ZooKeeperPacketCount implements CommandCount {

	private final ZooKeeperServer server;

	private final long before;

	private long questions;

	ZooKeeperPacketCount(ZooKeeperServer server) {
		this.server = server;
		this.before = packets();
	}

	@Override
	public long soFar() {
		this.questions++;
		return packets() - this.before - this.questions;
	}

	private long packets() {
		Long packets = this.server.counters().get("zk_packets_received");
		if (packets == null) {
			throw new IllegalStateException("The server must answer 'mntr': see 4lw.commands.whitelist");
		}
		return packets;
	}

}
