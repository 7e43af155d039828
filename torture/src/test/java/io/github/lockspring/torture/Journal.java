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

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.lockspring.simulator.history.Event;
import io.github.lockspring.simulator.history.Fact;

/**
 * File of events. Each is one write, which a process has done or not when it is killed.
 * The times are those of {@link System#nanoTime()}, a clock that all processes of a Linux
 * machine share. Thread-safe.
 */
final class Journal {

	private final OutputStream file;

	private final String process;

	/**
	 * Open the file of a process.
	 * @param path the file
	 * @param process name of the process
	 */
	Journal(Path path, String process) {
		this.process = process;
		try {
			// No channel, which an interrupt would close
			this.file = new FileOutputStream(path.toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Append an event that happens now.
	 */
	void append(String worker, Fact fact) {
		append(System.nanoTime(), worker, fact);
	}

	/**
	 * Append an event.
	 */
	void append(long time, String worker, Fact fact) {
		append(new Event(time, this.process, worker, fact));
	}

	/**
	 * Append an event.
	 */
	void append(Event event) {
		try {
			this.file.write((event + "\n").getBytes(StandardCharsets.US_ASCII));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Read a file. An end without a line feed was not written in time.
	 * @return the events in the order in which they were written
	 */
	static List<Event> read(Path path) {
		try {
			String text = Files.readString(path, StandardCharsets.US_ASCII);
			return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Event::parse).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the files of a folder.
	 */
	static List<Path> files(Path folder) {
		try (Stream<Path> files = Files.list(folder)) {
			return files.filter((file) -> file.toString().endsWith(".journal")).sorted().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
