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

import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * A connection through a {@link FaultProxy}: a socket to the client, one to the server
 * and a pump each way. The bytes of the client since the last one of the server are the
 * request.
 */
final class ProxyConnection {

	private static final int MAX_REQUEST = 1024 * 1024;

	private final FaultProxy proxy;

	private final Socket client;

	private final Socket server;

	private final Pump up;

	private final Pump down;

	private final @Nullable ZooKeeperFrames frames;

	private final StringBuilder request = new StringBuilder();

	private boolean replied = true;

	private boolean upEnded;

	private boolean downEnded;

	private @Nullable DroppedReply<String> armed;

	private volatile @Nullable DroppedReply<?> dropped;

	ProxyConnection(FaultProxy proxy, Socket client, Socket server) {
		this.proxy = proxy;
		this.client = client;
		this.server = server;
		this.up = new Pump(this, Direction.UP, proxy.faults(Direction.UP), client, server);
		this.down = new Pump(this, Direction.DOWN, proxy.faults(Direction.DOWN), server, client);
		this.frames = proxy.newFrames();
	}

	void start() {
		this.up.start();
		this.down.start();
	}

	/**
	 * Note bytes that have arrived.
	 * @param direction where they go
	 * @param bytes the bytes
	 * @return how many of them to deliver; if not all, nothing follows
	 */
	synchronized int pass(Direction direction, byte[] bytes) {
		this.proxy.count(direction);
		if (direction == Direction.UP) {
			noteRequest(new String(bytes, StandardCharsets.ISO_8859_1));
			noteFrames(this.frames, bytes);
			return bytes.length;
		}
		noteReply();
		return (this.frames != null) ? passFrames(this.frames, bytes) : passUnlessDropped(bytes);
	}

	private void noteFrames(@Nullable ZooKeeperFrames frames, byte[] bytes) {
		if (frames != null) {
			frames.sent(bytes);
			this.dropped = frames.dropped();
		}
	}

	private int passFrames(ZooKeeperFrames frames, byte[] bytes) {
		int length = frames.received(bytes);
		this.dropped = frames.dropped();
		return length;
	}

	private int passUnlessDropped(byte[] bytes) {
		DroppedReply<?> dropped = this.dropped;
		if (dropped != null) {
			dropped.reply().complete(new String(bytes, StandardCharsets.ISO_8859_1));
		}
		return (dropped != null) ? 0 : bytes.length;
	}

	private void noteRequest(String bytes) {
		DroppedReply<String> armed = this.proxy.armed();
		if (this.replied || armed != this.armed || this.request.length() > MAX_REQUEST) {
			this.request.setLength(0);
		}
		this.armed = armed;
		this.replied = false;
		this.request.append(bytes);
		if (armed != null && this.dropped == null && armed.isOf(this.request.toString()) && this.proxy.disarm(armed)) {
			this.dropped = armed;
		}
	}

	private void noteReply() {
		if (!this.replied) {
			this.replied = true;
			this.proxy.countRoundTrip();
		}
	}

	boolean isReplyDropped() {
		DroppedReply<?> dropped = this.dropped;
		return dropped != null && dropped.reply().isDone();
	}

	boolean hasGap() {
		return !isReplyDropped() && (this.up.hasGap() || this.down.hasGap());
	}

	/**
	 * Reset the connection with the client, and let the server read all that it was sent.
	 */
	void cutClient() {
		reset(this.client);
	}

	/**
	 * Forward the end of a stream; the connection ends when both streams have ended.
	 * @param direction the direction of the stream
	 */
	synchronized void end(Direction direction) {
		this.upEnded |= direction == Direction.UP;
		this.downEnded |= direction == Direction.DOWN;
		shutdownOutput((direction == Direction.UP) ? this.server : this.client);
		if (this.upEnded && this.downEnded) {
			close();
		}
	}

	/**
	 * Forward the failure to write bytes, unless the way back is a hole.
	 * @param direction the direction of the bytes
	 */
	void targetFailed(Direction direction) {
		Direction back = (direction == Direction.UP) ? Direction.DOWN : Direction.UP;
		if (!this.proxy.faults(back).hole) {
			cut();
		}
	}

	/**
	 * Reset both sides.
	 */
	void cut() {
		reset(this.client);
		reset(this.server);
		finish();
	}

	/**
	 * Close both sides in an orderly way.
	 */
	void close() {
		shutdownOutput(this.client);
		shutdownOutput(this.server);
		close(this.client);
		close(this.server);
		finish();
	}

	private void finish() {
		this.up.interrupt();
		this.down.interrupt();
		this.proxy.remove(this);
		DroppedReply<?> dropped = this.dropped;
		if (dropped != null) {
			dropped.reply().completeExceptionally(new EOFException("The connection has ended before the reply"));
		}
	}

	static void reset(Socket socket) {
		try {
			socket.setSoLinger(true, 0);
		}
		catch (IOException ex) {
			// It is closed
		}
		close(socket);
	}

	private static void shutdownOutput(Socket socket) {
		try {
			socket.shutdownOutput();
		}
		catch (IOException ex) {
			// It is closed
		}
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// Both sides are closed already
		}
	}

}
