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

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ZooKeeperFrames}.
 */
class ZooKeeperFramesTests {

	private final ZooKeeperTraffic traffic = new ZooKeeperTraffic();

	private final ZooKeeperFrames frames = new ZooKeeperFrames(this.traffic);

	@Test
	void repliesBeforeTheDroppedOnePassThoughTheyComeTogether() {
		CompletableFuture<String> reply = this.traffic.dropReply((request) -> request.opCode() == OpCode.create);
		this.frames.sent(together(frame(0, 0), frame(1, OpCode.exists), frame(2, OpCode.create)));
		byte[] before = together(frame(0, 0), frame(1, 0), frame(-1, 0));
		assertThat(this.frames.received(together(before, frame(2, 0), frame(3, 0)))).isEqualTo(before.length);
		assertThat(reply).isCompleted();
	}

	@Test
	void framesInPiecesAreFound() {
		CompletableFuture<String> reply = this.traffic.dropReply((request) -> request.opCode() == OpCode.create);
		for (byte piece : together(frame(0, 0), frame(1, OpCode.create))) {
			this.frames.sent(new byte[] { piece });
		}
		assertThat(this.traffic.requests(OpCode.create)).isOne();
		byte[] replies = together(frame(0, 0), frame(1, 0));
		for (int i = 0; i < replies.length; i++) {
			int passed = this.frames.received(new byte[] { replies[i] });
			assertThat(passed).isEqualTo((i < replies.length - 1) ? 1 : 0);
		}
		assertThat(reply).isCompleted();
	}

	private static byte[] frame(int xid, int opCode) {
		return ByteBuffer.allocate(12).putInt(8).putInt(xid).putInt(opCode).array();
	}

	private static byte[] together(byte[]... frames) {
		ByteBuffer all = ByteBuffer.allocate(1000);
		for (byte[] frame : frames) {
			all.put(frame);
		}
		byte[] bytes = new byte[all.flip().remaining()];
		all.get(bytes);
		return bytes;
	}

}
