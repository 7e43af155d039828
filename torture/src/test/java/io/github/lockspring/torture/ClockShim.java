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

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets the wall clocks of processes jump, if the machine has a compiler for C. One of the
 * things that it compiles is loaded into each process before the system's library, the
 * other starts programs that are linked statically.
 */
final class ClockShim {

	private static final String LIBRARY = "skew.so";

	private static final String LAUNCHER = "launch";

	private final Path folder;

	private final boolean compiled;

	/**
	 * Compile, if possible.
	 * @param folder the folder for the library and for the clocks
	 */
	ClockShim(Path folder) {
		this.folder = folder;
		this.compiled = compile("skew.c", LIBRARY, "-shared", "-fPIC") && compile("launch.c", LAUNCHER);
	}

	private boolean compile(String name, String output, String... options) {
		Path source = this.folder.resolve(name);
		List<String> command = new ArrayList<>(List.of("gcc", "-O2", "-o", path(output), source.toString(), "-ldl"));
		command.addAll(List.of(options));
		try (InputStream resource = ClockShim.class.getResourceAsStream(name)) {
			Files.write(source, resource.readAllBytes());
			return new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(this.folder.resolve(name + ".log").toFile())
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private String path(String name) {
		return this.folder.resolve(name).toString();
	}

	/**
	 * Return whether clocks can jump.
	 */
	boolean isAvailable() {
		return this.compiled;
	}

	/**
	 * Return the words before the command of processes with a common clock, which is
	 * right at first.
	 * @param clock the name of the clock
	 */
	List<String> prefix(String clock) {
		if (!this.compiled) {
			return List.of();
		}
		set(clock, 0);
		return List.of("env", "LD_PRELOAD=" + path(LIBRARY), "SKEW_FILE=" + file(clock), path(LAUNCHER));
	}

	/**
	 * Let a clock jump.
	 * @param clock the name of the clock
	 * @param seconds by how much it is ahead from now on
	 */
	void set(String clock, long seconds) {
		try (RandomAccessFile file = new RandomAccessFile(file(clock).toFile(), "rw")) {
			file.writeLong(Long.reverseBytes(seconds));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path file(String clock) {
		return this.folder.resolve(clock + ".skew");
	}

}
