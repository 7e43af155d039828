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

package io.github.lockspring.sample.instance;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.aot.AotDetector;

import io.github.lockspring.sample.SampleApplication;
import io.github.lockspring.sample.process.ProcessPause;
import io.github.lockspring.sample.process.ProgramCommand;

/**
 * One instance of the application in its own process, started from the class path of this
 * one. If this one was started from what was generated ahead of time, so is the instance.
 */
public final class Instance {

	private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+).*Started SampleApplication",
			Pattern.DOTALL);

	private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

	private final Process process;

	private final Path log;

	private volatile int port;

	private Instance(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	/**
	 * Starts an instance without waiting for it.
	 */
	public static Instance start(List<String> arguments, Path log) throws IOException {
		List<String> command = ProgramCommand.of(jvmOptions(), SampleApplication.INSTANCE);
		command.add("--server.port=0");
		command.addAll(arguments);
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		return new Instance(process, log);
	}

	private static List<String> jvmOptions() {
		return AotDetector.useGeneratedArtifacts() ? List.of("-D" + AotDetector.AOT_ENABLED + "=true") : List.of();
	}

	/**
	 * Waits until the instance takes requests.
	 * @throws InstanceNotStartedException if it ends before, or takes too long; with its
	 * log
	 */
	public void awaitStarted() throws IOException, InterruptedException {
		long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
		while (this.process.isAlive() && System.nanoTime() < deadline) {
			Matcher started = STARTED.matcher(readLog());
			if (started.find()) {
				this.port = Integer.parseInt(started.group(1));
				return;
			}
			Thread.sleep(50);
		}
		throw new InstanceNotStartedException(readLog());
	}

	private String readLog() throws IOException {
		return Files.readString(this.log, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Returns the address of the instance.
	 * @return the address, without a slash at its end
	 */
	public String address() {
		return "http://localhost:" + this.port;
	}

	/**
	 * Ends the process at once, as a crash would: nothing is finished, nothing released.
	 */
	public void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	/**
	 * Stops the process as a frozen virtual machine would, unless it has stopped itself,
	 * until the pause is closed.
	 */
	public ProcessPause pause() {
		return ProcessPause.of(this.process);
	}

	/**
	 * Return whether the process is stopped.
	 */
	public boolean isPaused() throws IOException {
		Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", String.valueOf(this.process.pid())).start();
		try (BufferedReader reader = ps.inputReader()) {
			String state = reader.readLine();
			return state != null && state.startsWith("T");
		}
	}

}
