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

package io.github.lockspring.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.lockspring.simulator.history.Event;
import io.github.lockspring.simulator.history.LockFact.Written;

/**
 * Connection of a worker to the {@link WorkerLines}. Thread-safe.
 */
final class WorkerLine {

	static final String GRANTED = "granted";

	static final String ENDED = "ended";

	static final String END = "end";

	private final Socket socket;

	private final PrintWriter writer;

	private final String process;

	private final AtomicBoolean granted = new AtomicBoolean();

	private WorkerLine(Socket socket, String process) throws IOException {
		this.socket = socket;
		this.process = process;
		this.writer = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.US_ASCII);
	}

	/**
	 * Connect.
	 * @param port the port
	 * @param process the name of the worker
	 */
	static WorkerLine connect(int port, String process) {
		try {
			WorkerLine line = new WorkerLine(new Socket(InetAddress.getLoopbackAddress(), port), process);
			line.send(process);
			return line;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Tell of the first grant.
	 */
	void granted() {
		if (this.granted.compareAndSet(false, true)) {
			send(GRANTED);
		}
	}

	/**
	 * Write to the resource.
	 */
	void send(String worker, Written write) {
		send(new Event(System.nanoTime(), this.process, worker, write).toString());
	}

	void send(String text) {
		this.writer.println(text);
	}

	/**
	 * Wait until the worker is to end, or the other side has ended.
	 */
	void awaitEnd() {
		try {
			BufferedReader reader = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.US_ASCII));
			String text = reader.readLine();
			while (text != null && !text.equals(END)) {
				text = reader.readLine();
			}
		}
		catch (IOException ex) {
			// the other side has ended
		}
	}

}
