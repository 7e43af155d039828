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

package io.github.lockspring.sample.fault;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/**
 * Tests for {@link HolderPause}, with real processes.
 */
class HolderPauseTests {

	@Test
	void pausedProcessEndsWithTheOneThatShouldHaveResumedIt() throws IOException {
		Process parent = new ProcessBuilder("sleep", "600").start();
		Process paused = start(parent);
		try {
			await().until(() -> isStopped(paused));
			parent.destroyForcibly();
			await().until(() -> !paused.isAlive());
		}
		finally {
			parent.destroyForcibly();
			paused.destroyForcibly();
		}
	}

	private static Process start(Process parent) throws IOException {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), "-Dsample.parent=" + parent.pid(),
				PausingProgram.class.getName())
			.inheritIO()
			.start();
	}

	private static boolean isStopped(Process process) throws IOException {
		Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", String.valueOf(process.pid())).start();
		try (BufferedReader reader = ps.inputReader()) {
			return String.valueOf(reader.readLine()).startsWith("T");
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(2));
	}

}
