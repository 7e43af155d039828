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
import java.util.Map;

/**
 * Lets the wall clocks of processes jump, if the machine has a compiler for C. What it
 * compiles is loaded into each process before the system's library.
 */
final class ClockShim {

	private final Path folder;

	private final boolean compiled;

	/**
	 * Compile, if possible.
	 * @param folder the folder for the library and for the clocks
	 */
	ClockShim(Path folder) {
		this.folder = folder;
		this.compiled = compile();
	}

	private boolean compile() {
		Path source = this.folder.resolve("skew.c");
		try (InputStream resource = ClockShim.class.getResourceAsStream("skew.c")) {
			Files.write(source, resource.readAllBytes());
			return new ProcessBuilder("gcc", "-O2", "-shared", "-fPIC", "-o", library(), source.toString())
				.redirectErrorStream(true)
				.redirectOutput(this.folder.resolve("skew.log").toFile())
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

	private String library() {
		return this.folder.resolve("skew.so").toString();
	}

	/**
	 * Return whether clocks can jump.
	 */
	boolean isAvailable() {
		return this.compiled;
	}

	/**
	 * Return the environment of processes with a common clock, which is right at first.
	 * @param clock the name of the clock
	 */
	Map<String, String> variables(String clock) {
		if (!this.compiled) {
			return Map.of();
		}
		set(clock, 0);
		return Map.of("LD_PRELOAD", library(), "SKEW_FILE", file(clock).toString());
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
