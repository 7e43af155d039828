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

package io.github.lockspring.sample.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;

/**
 * The application with the page, started from its executable jar.
 */
final class ApplicationProcess implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofMinutes(5);

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private final Process process;

	private final Path log;

	private ApplicationProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	/**
	 * Start the application at any free port, and wait until it serves the page.
	 */
	static ApplicationProcess start(String... arguments) {
		try {
			Path jar = Path.of(System.getProperty("sample.jar", "target/sample-app.jar"));
			Path log = Files.createTempFile(Files.createDirectories(Path.of("target/browser")), "application-", ".log");
			List<String> command = new ArrayList<>(
					List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", jar.toString(),
							"--server.port=0"));
			command.addAll(List.of(arguments));
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			ApplicationProcess application = new ApplicationProcess(process, log);
			application.awaitStarted();
			return application;
		}
		catch (IOException ex) {
			throw new IllegalStateException("The application was not started", ex);
		}
	}

	private void awaitStarted() {
		Awaitility.await().atMost(TIMEOUT).until(() -> !this.process.isAlive() || port().find());
		if (!this.process.isAlive()) {
			throw new IllegalStateException("The application has ended:\n" + readLog());
		}
	}

	String address() {
		Matcher port = port();
		if (!port.find()) {
			throw new IllegalStateException("The application does not serve");
		}
		return "http://localhost:" + port.group(1);
	}

	private Matcher port() {
		return PORT.matcher(readLog());
	}

	private String readLog() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the processes that the application has started: instances and store.
	 */
	List<ProcessHandle> children() {
		return this.process.descendants().toList();
	}

	/**
	 * Ask the application to end, and wait until it has.
	 */
	@Override
	public void close() {
		this.process.destroy();
		try {
			if (!this.process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
				throw new IllegalStateException("The application did not end:\n" + readLog());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
