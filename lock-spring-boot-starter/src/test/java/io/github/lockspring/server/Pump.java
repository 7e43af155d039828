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

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Carries the bytes of one direction of a connection. One thread reads chunks and puts
 * them into a queue with the time at which they are due, another one writes them then: so
 * a delay neither changes the order nor the throughput.
 */
final class Pump {

	/**
	 * How long a reset waits, because it overtakes what the other side has not read yet.
	 */
	private static final long RESET_NANOS = 20_000_000;

	private final BlockingQueue<Chunk> queue = new ArrayBlockingQueue<>(1024);

	private final ProxyConnection connection;

	private final Direction direction;

	private final LinkFaults faults;

	private final Socket source;

	private final Socket target;

	private final Thread reader;

	private final Thread writer;

	private volatile boolean gap;

	private long paceNanos;

	Pump(ProxyConnection connection, Direction direction, LinkFaults faults, Socket source, Socket target) {
		this.connection = connection;
		this.direction = direction;
		this.faults = faults;
		this.source = source;
		this.target = target;
		this.reader = new Thread(this::read, "proxy-read-" + direction);
		this.writer = new Thread(this::write, "proxy-write-" + direction);
		this.reader.setDaemon(true);
		this.writer.setDaemon(true);
	}

	void start() {
		this.reader.start();
		this.writer.start();
	}

	void interrupt() {
		this.reader.interrupt();
		this.writer.interrupt();
	}

	/**
	 * Return whether bytes, or the end of the stream, were swallowed.
	 * @return whether there is a gap
	 */
	boolean hasGap() {
		return this.gap;
	}

	private void read() {
		try {
			if (readAll()) {
				endOfStream();
			}
			else {
				sourceFailed();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean readAll() throws InterruptedException {
		byte[] buffer = new byte[16 * 1024];
		try {
			InputStream input = this.source.getInputStream();
			for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
				if (!isSwallowed()) {
					pass(Arrays.copyOf(buffer, length));
				}
			}
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private boolean isSwallowed() {
		if (this.faults.hole) {
			this.gap = true;
		}
		return this.gap;
	}

	private void pass(byte[] bytes) throws InterruptedException {
		int length = this.connection.pass(this.direction, bytes);
		if (length > 0) {
			this.queue.put(chunk(Kind.DATA, Arrays.copyOf(bytes, length)));
		}
		if (length < bytes.length) {
			// Replies before it still arrive
			this.queue.put(chunk(Kind.CUT).later(RESET_NANOS));
			this.gap = true;
		}
	}

	private Chunk chunk(Kind kind, byte... bytes) {
		return new Chunk(kind, bytes, System.nanoTime() + this.faults.delayNanos);
	}

	private void endOfStream() throws InterruptedException {
		if (this.direction == Direction.DOWN && this.connection.isReplyDropped()) {
			this.connection.end(this.direction);
		}
		else if (!isSwallowed()) {
			this.queue.put(chunk(Kind.END));
		}
	}

	private void sourceFailed() throws InterruptedException {
		if (this.connection.isReplyDropped()) {
			endOfStream();
		}
		else if (!isSwallowed()) {
			this.connection.cut();
		}
	}

	private void write() {
		try {
			OutputStream output = this.target.getOutputStream();
			for (Chunk chunk = takeWhenDue(); write(chunk, output);) {
				chunk = takeWhenDue();
			}
		}
		catch (IOException ex) {
			this.gap = true;
			this.connection.targetFailed(this.direction);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private Chunk takeWhenDue() throws InterruptedException {
		Chunk chunk = this.queue.take();
		sleepUntil(chunk.due());
		return chunk;
	}

	private boolean write(Chunk chunk, OutputStream output) throws IOException, InterruptedException {
		switch (chunk.kind()) {
			case DATA -> write(chunk.bytes(), output);
			case END -> this.connection.end(this.direction);
			case CUT -> this.connection.cutClient();
		}
		return chunk.kind() == Kind.DATA;
	}

	private void write(byte[] bytes, OutputStream output) throws IOException, InterruptedException {
		for (int start = 0; start < bytes.length;) {
			int length = Math.min(bytes.length - start, pieceLength());
			output.write(bytes, start, length);
			start += length;
			pace(length);
		}
	}

	private int pieceLength() {
		if (this.faults.split) {
			return 1;
		}
		int rate = this.faults.bytesPerSecond;
		return (rate > 0) ? Math.max(1, rate / 50) : Integer.MAX_VALUE;
	}

	private void pace(int length) throws InterruptedException {
		int rate = this.faults.bytesPerSecond;
		if (rate > 0) {
			this.paceNanos = Math.max(this.paceNanos, System.nanoTime()) + length * 1_000_000_000L / rate;
			sleepUntil(this.paceNanos);
		}
	}

	private static void sleepUntil(long nanoTime) throws InterruptedException {
		for (long rest = nanoTime - System.nanoTime(); rest > 0; rest = nanoTime - System.nanoTime()) {
			Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
		}
	}

	private enum Kind {

		DATA, END, CUT

	}

	/**
	 * Bytes, or what comes after them, and when it is due.
	 */
	private record Chunk(Kind kind, byte[] bytes, long due) {

		Chunk later(long nanos) {
			return new Chunk(this.kind, this.bytes, this.due + nanos);
		}

	}

}
