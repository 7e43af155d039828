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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.OnFailure;
import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.ReportingScheduler;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The minimum hold among processes: it survives the process, and has a job run once per
 * tick in a cluster whose clocks differ.
 */
class RedisMinimumHoldServerTests {

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	private static final int TICKS = 4;

	/**
	 * Who decides so soon after its own tick comes before the minimum of the first one is
	 * over: 250 + 800 milliseconds after the true tick at the latest, and the first one
	 * keeps others out until 1400 - 250 milliseconds after it at least.
	 */
	private static final long PUNCTUAL_MILLIS = 800;

	private final ChildJvms children = new ChildJvms();

	private RedisServer server;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
	}

	@AfterEach
	void stop() {
		this.children.close();
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "release", "hold" })
	void minimumOfADeadProcessKeepsOthersOutUntilItIsOver(String how) throws Exception {
		Process child = start(Holder.class, how);
		try (BufferedReader answers = child.inputReader()) {
			assertThat(answers.lines().anyMatch("done"::equals)).isTrue();
			child.destroyForcibly().waitFor();
		}
		try (RedisProcess other = RedisProcess.on(this.server)) {
			assertThat(other.tryAcquire(other.request("long"))).isNull();
			assertThat(other.backend.inspect("long", RedisProcess.TIMEOUT)).hasSize(1)
				.allSatisfy((holder) -> assertThat(holder.remaining()).isGreaterThan(Duration.ofMinutes(5)));
			Awaitility.await().atMost(TIMEOUT).until(() -> other.tryAcquire(other.request("short")) != null);
		}
	}

	@Test
	@Torture(alsoIn = "RedisMinimumHoldServerTests#minimumOfADeadProcessKeepsOthersOutUntilItIsOver")
	void jobRunsOncePerTickInAClusterWhoseClocksDiffer() throws Exception {
		List<Decision> decisions = new CopyOnWriteArrayList<>();
		for (int offset : new int[] { -250, 0, 250 }) {
			ChildJvms.read(start(Cluster.class, offset + "ms"), (line) -> {
				if (line.startsWith("tick ")) {
					decisions.add(Decision.of(line));
				}
			});
		}
		Awaitility.await().atMost(TIMEOUT).until(() -> {
			Map<Long, List<Decision>> ticks = punctual(decisions);
			assertThat(ticks.values()).allSatisfy((tick) -> assertThat(runs(tick)).isLessThanOrEqualTo(1));
			return ticks.values().stream().filter((tick) -> tick.size() == 3 && runs(tick) == 1).count() >= TICKS;
		});
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
		String[] all = Stream
			.concat(Stream.of(this.server.host(), Integer.toString(this.server.port())), Stream.of(arguments))
			.toArray(String[]::new);
		return this.children.start(main, all);
	}

	private static EngineProcess engineProcess(String[] arguments) {
		FaultRun.silence();
		return new EngineProcess(
				new RedisStore(new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1]))),
				EngineSettings.defaults());
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
	 * A process that locks with a long minimum and with a short one, and waits to be
	 * killed.
	 */
	static final class Holder {

		private Holder() {
		}

		public static void main(String[] arguments) throws Exception {
			LockOptions options = LockOptions.defaults().withWaitTime(TIMEOUT).withLeaseTime(Duration.ofMillis(500));
			LockTemplate template = LockUtils.template(LockEngines.of(engineProcess(arguments).engine), "", options);
			List<LockHandle> handles = List.of(
					template.acquire("long", options.withLockAtLeastFor(Duration.ofMinutes(10))),
					template.acquire("short", options.withLockAtLeastFor(Duration.ofMillis(500))));
			if (arguments[2].equals("release")) {
				handles.forEach(LockHandle::close);
			}
			System.out.println("done");
			System.in.read();
		}

	}

	/**
	 * An application of a cluster, with a clock of its own.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Cluster {

		public static void main(String[] arguments) throws Exception {
			FaultRun.silence();
			new SpringApplicationBuilder(Cluster.class).web(WebApplicationType.NONE)
				.bannerMode(Banner.Mode.OFF)
				.properties("spring.data.redis.host=" + arguments[0], "spring.data.redis.port=" + arguments[1],
						"clock.offset=" + arguments[2], "lock.lease-time=500ms")
				.run();
			System.in.read();
		}

		@Bean
		ReportingScheduler taskScheduler(@Value("${clock.offset}") Duration clockOffset) {
			return new ReportingScheduler(clockOffset);
		}

		@Bean
		Job job(ReportingScheduler scheduler) {
			return new Job(scheduler);
		}

	}

	/**
	 * Work that takes no time, so that without a minimum everyone would do it.
	 */
	static class Job {

		private final ReportingScheduler scheduler;

		Job(ReportingScheduler scheduler) {
			this.scheduler = scheduler;
		}

		@Scheduled(cron = "*/2 * * * * *")
		@DistributedLock(name = "job", waitTime = "0s", lockAtLeastFor = "1400ms", onFailure = OnFailure.SKIP)
		public void run() {
			this.scheduler.running();
		}

	}

}
