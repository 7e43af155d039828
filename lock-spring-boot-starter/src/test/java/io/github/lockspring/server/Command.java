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
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Programs that are run to their end.
 */
final class Command {

	private Command() {
	}

	/**
	 * Run a program.
	 * @param command the program and its arguments
	 * @throws IllegalStateException if it fails, with its output
	 */
	static void run(List<String> command) {
		run(command, InputStream.nullInputStream());
	}

	/**
	 * Run a program that reads its input to the end before it writes much.
	 * @param command the program and its arguments
	 * @param input its input
	 * @throws IllegalStateException if it fails, with its output
	 */
	static void run(List<String> command, InputStream input) {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			input.transferTo(process.getOutputStream());
			process.getOutputStream().close();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException(String.join(" ", command) + ": " + output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(String.join(" ", command), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	/**
	 * Return whether a program can be run and succeeds.
	 * @param command the program and its arguments
	 * @return whether it does
	 */
	static boolean succeeds(List<String> command) {
		try {
			run(command);
			return true;
		}
		catch (UncheckedIOException | IllegalStateException ex) {
			return false;
		}
	}

	/**
	 * Copy a folder, with owners and permissions.
	 * @param source the folder
	 * @param target the copy, which does not exist yet
	 */
	static void copy(Path source, Path target) {
		run(List.of("cp", "-a", source.toString(), target.toString()));
	}

}
