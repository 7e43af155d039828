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

import org.apache.zookeeper.ZooDefs.OpCode;
import org.jspecify.annotations.Nullable;

/**
 * Follows the requests and replies of one connection to a ZooKeeper server, and finds the
 * reply that is to be dropped: the one with the number of the request. Replies and events
 * before it pass.
 */
final class ZooKeeperFrames {

	private static final int EVENT = -1;

	private static final int UNKNOWN = 9_999;

	private final ZooKeeperFrameReader up = new ZooKeeperFrameReader();

	private final ZooKeeperFrameReader down = new ZooKeeperFrameReader();

	private final ZooKeeperTraffic traffic;

	private boolean connecting = true;

	private @Nullable DroppedReply<ZooKeeperRequest> dropped;

	private int droppedXid;

	ZooKeeperFrames(ZooKeeperTraffic traffic) {
		this.traffic = traffic;
	}

	/**
	 * Note bytes of the client.
	 * @param bytes the bytes, which are changed if the server is not to know a request
	 */
	void sent(byte[] bytes) {
		for (ZooKeeperFrame frame : this.up.read(bytes)) {
			ZooKeeperRequest request = request(frame);
			note(request);
			if (this.traffic.isUnknown(request.opCode())) {
				makeUnknown(ByteBuffer.wrap(bytes), frame.start() + 2 * Integer.BYTES, request.opCode());
			}
		}
	}

	private static void makeUnknown(ByteBuffer bytes, int position, int opCode) {
		if (bytes.getInt(position) != opCode) {
			throw new IllegalStateException("Too late, a part of the request was delivered");
		}
		bytes.putInt(position, UNKNOWN);
	}

	/**
	 * The first frame has neither number nor op code; where replies have the number is
	 * the version of the protocol, which is 0.
	 */
	private ZooKeeperRequest request(ZooKeeperFrame frame) {
		int opCode = this.connecting ? OpCode.createSession : frame.opCode();
		this.connecting = false;
		return new ZooKeeperRequest(frame.xid(), opCode, frame.text());
	}

	private void note(ZooKeeperRequest request) {
		this.traffic.count(request);
		takeUnlessTaken(request);
	}

	private void takeUnlessTaken(ZooKeeperRequest request) {
		if (this.dropped == null) {
			this.dropped = this.traffic.take(request);
			this.droppedXid = request.xid();
		}
	}

	/**
	 * Note bytes of the server.
	 * @param bytes the bytes
	 * @return how many of them to deliver: all, or those before the reply that is dropped
	 */
	int received(byte[] bytes) {
		for (ZooKeeperFrame frame : this.down.read(bytes)) {
			if (frame.xid() == EVENT) {
				takeUnlessTaken(new ZooKeeperRequest(EVENT, OpCode.notification, frame.text()));
			}
			if (this.dropped != null && this.droppedXid == frame.xid()) {
				this.dropped.reply().complete(frame.text());
				return frame.start();
			}
		}
		return bytes.length;
	}

	/**
	 * Return the reply that is being dropped.
	 * @return the reply, or {@code null}
	 */
	@Nullable DroppedReply<ZooKeeperRequest> dropped() {
		return this.dropped;
	}

}
