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
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that is terminated by SIGTERM while its threads hold locks or wait for them
 * leaves none of them in the store. Its leases last so long that none of them expires.
 */
@Timeout(300)
public abstract class SigtermTests {

	private static final int TERMINATED = 128 + 15;

	private final Queue<String> output = new ConcurrentLinkedQueue<>();

	/**
	 * The properties of the application.
	 */
	protected abstract String[] properties() throws Exception;

	/**
	 * Asserts that nothing is held in the store, and that no one waits.
	 */
	protected abstract void assertNothingHeld() throws Exception;

	@Test
	void terminatedProcessHasReleasedItsLocksBeforeItsConnectionsAreClosed() throws Exception {
		try (ChildJvms jvms = new ChildJvms()) {
			Process process = start(jvms);
			assertThat(process.supportsNormalTermination()).isTrue();
			awaitLine(process, SigtermApplication.READY);
			process.toHandle().destroy();
			assertThat(awaitLine(process, SigtermApplication.RELEASED)).endsWith(" before connections")
				.contains(outcome("finished", 36), outcome("lost", 30), outcome("rejected", 20));
			assertNothingHeld();
			resume(process);
			assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
			assertThat(process.exitValue()).isEqualTo(TERMINATED);
			assertNothingHeld();
		}
	}

	private static String outcome(String outcome, int count) {
		return Map.entry(outcome, count).toString();
	}

	private Process start(ChildJvms jvms) throws Exception {
		Stream<String> arguments = Stream.concat(
				Stream.of("spring.main.web-application-type=none", "lock.lease-time=10m", "lock.shutdown-timeout=3s"),
				Arrays.stream(properties()));
		Process process = jvms.start(SigtermApplication.class,
				arguments.map((property) -> "--" + property).toArray(String[]::new));
		ChildJvms.read(process, this.output::add);
		return process;
	}

	private String awaitLine(Process process, String prefix) {
		return FaultRun.eventually()
			.atMost(Duration.ofMinutes(4)) // it starts a JVM with all of an application
			.failFast(() -> assertThat(process.isAlive()).as(() -> String.join("\n", this.output)).isTrue())
			.until(() -> this.output.stream().filter((line) -> line.startsWith(prefix)).findFirst(),
					(line) -> line.isPresent())
			.orElseThrow();
	}

	private static void resume(Process process) throws IOException {
		process.outputWriter().append('\n').flush();
	}

}
