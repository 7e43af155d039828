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

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server cuts its connections, or forgets the scripts, every 200 ms.
 */
class RedisConnectionsKilledServerTests extends RedisFaults {

	private static final Duration LENGTH = Duration.ofSeconds(3L * FaultRun.SCALE);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(20), true);

	private static final AcquireOptions SHORT = AcquireOptions.exclusive(Duration.ofSeconds(6), true);

	private static final List<String> KEYS = List.of("hot", "warm");

	private static final Load LOAD = new Load(KEYS,
			List.of(OPTIONS, OPTIONS.withRetain(Duration.ofSeconds(2)),
					AcquireOptions.fair(Duration.ofSeconds(20), true)),
			List.of(Duration.ZERO, Duration.ofMillis(20), Duration.ofSeconds(5)), Duration.ofMillis(2),
			Duration.ofMillis(100));

	@Test
	void connectionsForCallsAreCut() throws Exception {
		workWhile(() -> this.server.killClients("normal"));
	}

	@Test
	void connectionsForMessagesAreCut() throws Exception {
		workWhile(() -> this.server.killClients("pubsub"));
		assertUnavailableOnlyByLoad();
	}

	@Test
	@Torture(alsoIn = { "RedisConnectionsKilledServerTests#connectionsForCallsAreCut",
			"RedisConnectionsKilledServerTests#connectionsForMessagesAreCut" })
	void allConnectionsAreCut() throws Exception {
		workWhile(() -> {
			this.server.killClients("pubsub");
			this.server.killClients("normal");
		});
	}

	@Test
	void scriptsAreForgotten() throws Exception {
		workWhile(this.server::flushScripts);
		assertUnavailableOnlyByLoad();
	}

	/**
	 * The fault is not noticed, but the machine may have too much to do.
	 */
	private void assertUnavailableOnlyByLoad() {
		assertThat(this.run.unavailable).allMatch((cause) -> cause.contains("did not respond "));
	}

	private void workWhile(FaultRun.Task fault) throws Exception {
		List<EngineProcess> processes = this.run.startProcesses(4, RedisStore.on(this.server));
		Hold held = this.run.acquire(this.run.startProcess(RedisStore.on(this.server)), "held", SHORT,
				FaultRun.MAX_WAIT);
		assertThat(held).isNotNull();
		processes.forEach((process) -> this.run.startWorkers(process, 2, LOAD, LENGTH));
		long start = System.nanoTime();
		while (System.nanoTime() - start < LENGTH.toNanos()) {
			Thread.sleep(200);
			fault.run();
			processes.forEach(this::assertWorks);
		}
		this.run.awaitThreads();
		this.run.assertProgress();
		this.run.assertEveryoneAcquires(KEYS);
		assertListening(processes);
		assertThat(held.isHeld()).isTrue();
		assertThat(this.run.release(held)).isTrue();
		assertThat(this.run.losses()).isZero();
		this.run.assertExclusion();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

	/**
	 * A process gets through to the server before the next fault. A lease that another
	 * process handed off is lost if that takes longer than a second.
	 */
	private void assertWorks(EngineProcess process) {
		Hold hold = this.run.acquire(process, "work", OPTIONS, FaultRun.MAX_WAIT);
		assertThat(hold).isNotNull();
		this.run.release(hold);
	}

	/**
	 * Every process that waits has a channel, and someone listens to it.
	 */
	private void assertListening(List<EngineProcess> processes) throws Exception {
		AtomicBoolean enough = new AtomicBoolean();
		processes.forEach((process) -> this.run.startThread("waiting", () -> {
			while (!enough.get()) {
				assertThat(this.run.acquire(process, "held", OPTIONS, Duration.ofSeconds(1))).isNull();
			}
		}));
		FaultRun.eventually().until(() -> channelsThatAreHeard().size() == processes.size());
		enough.set(true);
		this.run.awaitThreads();
	}

	private Set<String> channelsThatAreHeard() {
		List<?> details = (List<?>) this.server.command("HVALS", "{held}");
		return details.stream()
			.map((contender) -> contender.toString().substring(contender.toString().lastIndexOf(' ') + 1))
			.filter((channel) -> channel.startsWith("lock:")
					&& ((List<?>) this.server.command("PUBSUB", "CHANNELS", channel)).size() == 1)
			.collect(Collectors.toSet());
	}

}
