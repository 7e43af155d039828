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

package io.github.lockspring.sample.process;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A process stands still until this is closed, or this JVM has ended in whatever way: the
 * process shall be able to notice.
 */
public final class ProcessPause implements AutoCloseable {

	private static final String SCRIPT = """
			kill -STOP $1 && echo paused
			read -r line
			kill -CONT $1
			""";

	private final Process shell;

	private ProcessPause(Process shell) {
		this.shell = shell;
	}

	/**
	 * Pause a process.
	 * @throws IllegalStateException if that is not possible
	 */
	public static ProcessPause of(Process process) {
		try {
			Process shell = new ProcessBuilder("sh", "-c", SCRIPT, "sh", Long.toString(process.pid())).start();
			if (shell.inputReader().readLine() == null) {
				throw new IllegalStateException("Process " + process.pid() + " cannot be paused");
			}
			return new ProcessPause(shell);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.shell.getOutputStream().close();
			this.shell.onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
