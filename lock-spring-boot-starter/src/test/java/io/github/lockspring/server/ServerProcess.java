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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A server in a process of its own, which may have child processes. They end with the
 * JVM, even when the JVM is killed: a shell beside them waits for the end of its input,
 * which the JVM holds open, and then kills them.
 */
public final class ServerProcess {

	/**
	 * The shell that waits is in the background of another that ends, so that it is no
	 * child of the server and not paused with it.
	 */
	private static final String ENDS_WITH_JVM = """
			exec 3<&0
			( (read -r line <&3; kill -KILL $$ $(cat /proc/$$/task/*/children) ) 2>/dev/null & )
			exec "$@" 3<&- </dev/null
			""";

	private static final Pattern MAY_START = Pattern.compile("|\\w+(Server|Torture)Tests");

	/**
	 * Name of the test class that runs, empty where there are no tests.
	 */
	private static volatile String test = "";

	private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

	private static volatile List<String> prefix = List.of();

	private final Process process;

	/**
	 * Start a server that only tests named so may start.
	 * @param log the file for its output
	 * @param command the program and its arguments
	 * @return the process
	 */
	public static ServerProcess start(Path log, String... command) {
		if (!MAY_START.matcher(test).matches()) {
			throw new IllegalStateException(
					test + " starts a server: name it *ServerTests, so that 'mvn test' leaves it to 'mvn verify'");
		}
		return new ServerProcess(log, command);
	}

	/**
	 * Start a server.
	 * @param log the file for its output
	 * @param command the program and its arguments
	 */
	ServerProcess(Path log, String... command) {
		List<String> words = new ArrayList<>(List.of("sh", "-c", ENDS_WITH_JVM, "sh"));
		words.addAll(prefix);
		words.addAll(List.of(command));
		try {
			this.process = new ProcessBuilder(words).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		RUNNING.add(this.process);
		this.process.onExit().thenAccept(RUNNING::remove);
	}

	/**
	 * Set how servers are started from now on.
	 * @param words the words before each command, such as those of a program that starts
	 * another one in its own process
	 */
	public static void setPrefix(List<String> words) {
		prefix = List.copyOf(words);
	}

	static void runsFor(String testClass) {
		test = testClass;
	}

	/**
	 * Return whether the process is running, if only standing still.
	 * @return whether the process is running
	 */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	long pid() {
		return this.process.pid();
	}

	/**
	 * Ask the process to end, and kill it if it does not.
	 */
	void stop() {
		stop("TERM");
	}

	/**
	 * Ask the process to end, and kill it if it does not.
	 * @param signal the name of the signal that asks
	 */
	public void stop(String signal) {
		resume();
		// Process.destroy() would close the input at once, and the shell would kill
		signal(signal, Stream.of(this.process.toHandle()));
		if (!ends(10)) {
			kill();
		}
	}

	/**
	 * Kill the process and its children.
	 */
	public void kill() {
		// So that it starts no more of them
		signal("STOP", Stream.of(this.process.toHandle()));
		List<ProcessHandle> children = this.process.descendants().toList();
		this.process.destroyForcibly();
		children.forEach(ProcessHandle::destroyForcibly);
		if (!ends(10)) {
			throw new IllegalStateException("Process " + pid() + " does not end");
		}
		// They have memory that the next process must not find in use
		Await.until("the children of " + pid() + " have ended", () -> children.stream().noneMatch(this::isRunning));
	}

	/**
	 * Return whether a child is running. A child that has ended can remain as a zombie if
	 * no parent process collects it.
	 */
	private boolean isRunning(ProcessHandle child) {
		try {
			return child.isAlive() && !Files.readString(Path.of("/proc/" + child.pid() + "/stat")).contains(") Z ");
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Let the process and its children stand still.
	 */
	public void pause() {
		// First the one that could start more of them
		signal("STOP", Stream.of(this.process.toHandle()));
		signal("STOP", this.process.descendants());
	}

	/**
	 * Resume the process and its children.
	 */
	public void resume() {
		signal("CONT", Stream.concat(this.process.descendants(), Stream.of(this.process.toHandle())));
	}

	private void signal(String name, Stream<ProcessHandle> processes) {
		String pids = processes.map((process) -> " " + process.pid()).collect(Collectors.joining());
		if (!isAlive() || pids.isEmpty()) {
			return;
		}
		try {
			new ProcessBuilder("sh", "-c", "kill -" + name + pids).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean ends(int seconds) {
		try {
			return this.process.waitFor(seconds, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
			return true;
		}
	}

	static void killAll() {
		RUNNING.forEach((process) -> {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly();
		});
	}

}
