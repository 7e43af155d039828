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

package io.github.lockspring.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The minimum hold among processes: it survives the process, and has a job run once per
 * tick in a cluster whose clocks differ.
 */
class RedisMinimumHoldTests {

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	private static final String CRON = "*/2 * * * * *";

	private static final Duration AT_LEAST = Duration.ofMillis(1400);

	/**
	 * Who decides so soon after its own tick comes before the minimum of the first one is
	 * over, with clocks that are half a second apart.
	 */
	private static final long PUNCTUAL_MILLIS = 800;

	private final List<Process> children = new ArrayList<>();

	private RedisServer server;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
	}

	@AfterEach
	void stop() {
		this.children.forEach(Process::destroyForcibly);
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "release", "hold" })
	void minimumSurvivesTheProcess(String how) throws Exception {
		killChild(how, Duration.ofMinutes(10));
		try (RedisProcess other = RedisProcess.on(this.server)) {
			assertThat(other.tryAcquire(other.request("job"))).isNull();
			assertThat(other.backend.inspect("job", RedisProcess.TIMEOUT)).hasSize(1)
				.allSatisfy((holder) -> assertThat(holder.remaining()).isGreaterThan(Duration.ofMinutes(5)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "release", "hold" })
	void keyIsFreeWhenTheMinimumOfADeadProcessIsOver(String how) throws Exception {
		killChild(how, Duration.ofMillis(500));
		try (RedisProcess other = RedisProcess.on(this.server)) {
			Awaitility.await().atMost(TIMEOUT).until(() -> other.tryAcquire(other.request("job")) != null);
		}
	}

	private void killChild(String how, Duration atLeast) throws Exception {
		Process child = start(Holder.class, how, atLeast.toString());
		try (BufferedReader answers = child.inputReader()) {
			assertThat(answers.lines().anyMatch("done"::equals)).isTrue();
			child.destroyForcibly().waitFor();
		}
	}

	@Test
	void jobRunsOncePerTickInAClusterWhoseClocksDiffer() throws Exception {
		List<Decision> decisions = new CopyOnWriteArrayList<>();
		for (int offset : new int[] { -250, 0, 250 }) {
			Process child = start(Cluster.class, Integer.toString(offset));
			Thread reader = new Thread(() -> readDecisions(child, decisions));
			reader.setDaemon(true);
			reader.start();
		}
		Awaitility.await().atMost(TIMEOUT).until(() -> {
			Map<Long, List<Decision>> ticks = punctual(decisions);
			assertThat(ticks.values()).allSatisfy((tick) -> assertThat(runs(tick)).isLessThanOrEqualTo(1));
			return ticks.values().stream().filter((tick) -> tick.size() == 3 && runs(tick) == 1).count() >= 5;
		});
	}

	/**
	 * The child may write log lines as well.
	 */
	private static void readDecisions(Process child, List<Decision> decisions) {
		child.inputReader()
			.lines()
			.filter((line) -> line.startsWith("tick "))
			.map(Decision::of)
			.forEach(decisions::add);
	}

	/**
	 * A process that comes so late that the minimum may be over, because the machine is
	 * busy, may run once more.
	 */
	private static Map<Long, List<Decision>> punctual(List<Decision> decisions) {
		return decisions.stream()
			.filter((decision) -> decision.late() <= PUNCTUAL_MILLIS)
			.collect(Collectors.groupingBy(Decision::tick));
	}

	private static long runs(List<Decision> tick) {
		return tick.stream().filter(Decision::ran).count();
	}

	private Process start(Class<?> main, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("java.class.path"), main.getName(), this.server.host(),
						Integer.toString(this.server.port())));
		command.addAll(List.of(arguments));
		Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		this.children.add(child);
		return child;
	}

	private static EngineProcess engineProcess(String[] arguments) {
		FaultRun.silence();
		return new EngineProcess(new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1])),
				EngineSettings.defaults());
	}

	private static LockTemplate template(EngineProcess process, Duration atLeast) {
		return new LockTemplate(process.engine, "",
				LockOptions.defaults()
					.withWaitTime(Duration.ZERO)
					.withLeaseTime(Duration.ofMillis(500))
					.withLockAtLeastFor(atLeast));
	}

	/**
	 * What a process decided for a tick.
	 *
	 * @param tick when it was due
	 * @param ran whether it had the lock
	 * @param late how long after the tick that was known, in milliseconds
	 */
	private record Decision(long tick, boolean ran, long late) {

		static Decision of(String line) {
			String[] words = line.split(" ");
			return new Decision(Long.parseLong(words[1]), Boolean.parseBoolean(words[2]), Long.parseLong(words[3]));
		}

	}

	/**
	 * A process that locks once and waits to be killed.
	 */
	static final class Holder {

		private Holder() {
		}

		public static void main(String[] arguments) throws Exception {
			EngineProcess process = engineProcess(arguments);
			LockTemplate template = template(process, Duration.parse(arguments[3]));
			LockHandle handle = template.acquire("job", template.getDefaultOptions().withWaitTime(TIMEOUT));
			if (arguments[2].equals("release")) {
				handle.close();
			}
			System.out.println("done");
			System.in.read();
		}

	}

	/**
	 * One of the processes of a cluster, with a clock of its own.
	 */
	static final class Cluster {

		private Cluster() {
		}

		public static void main(String[] arguments) throws Exception {
			Duration offset = Duration.ofMillis(Long.parseLong(arguments[2]));
			try (EngineProcess process = engineProcess(arguments);
					ScheduledJob job = new ScheduledJob(CRON, offset, () -> work(template(process, AT_LEAST)))) {
				job.start();
				System.in.read();
			}
		}

		private static boolean work(LockTemplate template) {
			try (LockHandle handle = template.tryAcquire("job", template.getDefaultOptions())) {
				if (handle != null) {
					sleep();
				}
				return handle != null;
			}
		}

		private static void sleep() {
			try {
				Thread.sleep(1);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
