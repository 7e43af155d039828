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
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.lockspring.simulator.history.Event;

/**
 * Connections from the {@linkplain WorkerLine workers}. Thread-safe.
 */
final class WorkerLines implements AutoCloseable {

	private final ServerSocket socket;

	private final FaultLog log;

	private final Map<String, PrintWriter> writers = new ConcurrentHashMap<>();

	private final Set<String> granted = ConcurrentHashMap.newKeySet();

	private final Set<String> ended = ConcurrentHashMap.newKeySet();

	/**
	 * Accept connections on a free port.
	 * @param log decides about writes
	 */
	WorkerLines(FaultLog log) throws IOException {
		this.log = log;
		this.socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
		start("worker-lines", this::accept);
	}

	private static void start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	int port() {
		return this.socket.getLocalPort();
	}

	private void accept() {
		try {
			while (true) {
				Socket worker = this.socket.accept();
				start("worker-line", () -> read(worker));
			}
		}
		catch (IOException ex) {
			// closed
		}
	}

	private void read(Socket worker) {
		try (worker) {
			BufferedReader reader = new BufferedReader(
					new InputStreamReader(worker.getInputStream(), StandardCharsets.US_ASCII));
			String process = reader.readLine();
			this.writers.put(process, new PrintWriter(worker.getOutputStream(), true, StandardCharsets.US_ASCII));
			reader.lines().forEach((line) -> receive(process, line));
		}
		catch (IOException | UncheckedIOException ex) {
			// the worker has ended
		}
	}

	private void receive(String process, String line) {
		switch (line) {
			case WorkerLine.GRANTED -> this.granted.add(process);
			case WorkerLine.ENDED -> this.ended.add(process);
			default -> this.log.write(Event.parse(line));
		}
	}

	/**
	 * Return whether a worker was granted something since its last start.
	 */
	boolean hasGrant(String process) {
		return this.granted.contains(process);
	}

	/**
	 * Return whether a worker has ended as it was told.
	 */
	boolean hasEnded(String process) {
		return this.ended.contains(process);
	}

	/**
	 * Forget the connection of a process that has ended.
	 */
	void forget(String process) {
		this.writers.remove(process);
		this.granted.remove(process);
	}

	/**
	 * Tell a worker to end.
	 * @return whether it was told
	 */
	boolean end(String process) {
		PrintWriter writer = this.writers.get(process);
		if (writer != null) {
			writer.println(WorkerLine.END);
		}
		return writer != null;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
