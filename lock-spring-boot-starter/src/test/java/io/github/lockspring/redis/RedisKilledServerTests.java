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
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.faults.FaultRun.Span;
import io.github.lockspring.server.RedisServer;

/**
 * The server is killed and started again, with its data and without.
 */
class RedisKilledServerTests {

	private static final Duration LEASE = Duration.ofSeconds(1);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	private static final List<String> KEYS = List.of("hot", "warm", "cold");

	private static final Load LOAD = new Load(KEYS,
			List.of(OPTIONS, OPTIONS.withRetain(LEASE), AcquireOptions.fair(LEASE, true)),
			List.of(Duration.ZERO, Duration.ofMillis(300), Duration.ofSeconds(3)), Duration.ofMillis(30),
			LEASE.multipliedBy(2));

	private FaultRun run;

	private RedisServer server;

	@BeforeEach
	void start() {
		this.run = new FaultRun(getClass().getSimpleName());
	}

	@AfterEach
	void stop() {
		this.run.close();
		this.server.close();
	}

	@Test
	void restartWithDataKeepsExclusion() throws Exception {
		this.server = RedisServer.builder().appendOnly().option("appendfsync", "always").start();
		killWhileWorking(this.server::restart);
		this.run.assertExclusion();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

	@Test
	void restartWithoutDataGrantsTwiceForALeaseAtMost() throws Exception {
		this.server = RedisServer.start();
		List<Span> spans = killWhileWorking(this.server::restartEmpty);
		this.run.say(this.run.assertDoubleGrantsOnlyIn(spans) + " double grants");
		this.run.assertTokensGrow();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

	/**
	 * Kills and restarts the server again and again.
	 * @return from each kill to one lease after the restart
	 */
	private List<Span> killWhileWorking(Runnable restart) throws Exception {
		int times = 2 * FaultRun.SCALE;
		Duration pause = LEASE.multipliedBy(2);
		for (EngineProcess process : this.run.startProcesses(4, RedisStore.on(this.server))) {
			this.run.startWorkers(process, 2, LOAD, pause.multipliedBy(times).plusSeconds(1));
		}
		List<Span> spans = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			Thread.sleep(pause.toMillis() / 2 + this.run.random.nextInt((int) pause.toMillis() / 2));
			long start = System.nanoTime();
			this.server.kill();
			Thread.sleep(this.run.random.nextInt(400));
			restart.run();
			spans.add(new Span(start, System.nanoTime() + LEASE.toNanos()));
		}
		this.run.awaitThreads();
		this.run.assertProgress();
		this.run.assertEveryoneAcquires(KEYS);
		return spans;
	}

}
