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

package io.github.lockspring.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Processes that a test starts, and that do not outlive it.
 */
public final class ChildJvms implements AutoCloseable {

	private final List<Process> children = new ArrayList<>();

	/**
	 * Starts a JVM with the class path of this one.
	 * @param main the class with the main method
	 * @param arguments what the main method gets
	 */
	public Process start(Class<?> main, String... arguments) throws IOException {
		return start(List.of(), main, arguments);
	}

	/**
	 * Starts a JVM with the class path of this one.
	 * @param options options of the JVM
	 * @param main the class with the main method
	 * @param arguments what the main method gets
	 */
	public Process start(List<String> options, Class<?> main, String... arguments) throws IOException {
		return start(options, System.getProperty("java.class.path"), main, arguments);
	}

	/**
	 * Starts a JVM with another class path.
	 * @param options options of the JVM
	 * @param classPath the class path
	 * @param main the class with the main method
	 * @param arguments what the main method gets
	 */
	public Process start(List<String> options, String classPath, Class<?> main, String... arguments)
			throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
		command.addAll(options);
		command.addAll(List.of("-cp", classPath, main.getName()));
		command.addAll(List.of(arguments));
		Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		this.children.add(child);
		return child;
	}

	/**
	 * Forwards what a child writes, in the background. It may write log lines as well.
	 * @return the thread that reads, which ends when all is forwarded
	 */
	public static Thread read(Process child, Consumer<String> consumer) {
		Thread reader = new Thread(() -> child.inputReader().lines().forEach(consumer), "reader of " + child.pid());
		reader.setDaemon(true);
		reader.start();
		return reader;
	}

	@Override
	public void close() {
		this.children.forEach(Process::destroyForcibly);
	}

}
