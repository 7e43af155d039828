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
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.FaultSchedule;
import io.github.lockspring.server.RedisServer;

/**
 * Every process has a network of its own, in which anything may happen.
 */
class RedisRandomFaultsServerTests {

	private static final Duration LENGTH = Duration.ofSeconds(4L * FaultRun.SCALE);

	private static final Duration LEASE = Duration.ofSeconds(1);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	private static final List<String> KEYS = List.of("hot", "warm", "cold");

	private static final Load LOAD = new Load(KEYS,
			List.of(OPTIONS, OPTIONS.withRetain(LEASE), AcquireOptions.fair(LEASE, true)),
			List.of(Duration.ZERO, Duration.ofMillis(200), Duration.ofSeconds(3)), Duration.ofMillis(5),
			LEASE.plusMillis(500));

	private final List<FaultProxy> proxies = new ArrayList<>();

	private RedisServer server;

	private FaultRun run;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.run = new FaultRun(getClass().getSimpleName());
	}

	@AfterEach
	void stop() {
		this.run.close();
		this.proxies.forEach(FaultProxy::close);
		this.server.close();
	}

	@Test
	void holdersExcludeEachOther() throws Exception {
		List<Thread> faults = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			FaultProxy proxy = new FaultProxy(this.server.host(), this.server.port());
			this.proxies.add(proxy);
			EngineProcess process = this.run
				.startProcess(new RedisStore(new RedisStandaloneConfiguration(proxy.host(), proxy.port())));
			FaultSchedule schedule = FaultSchedule.random(this.run.random.nextLong(), LENGTH);
			this.run.startWorkers(process, 2, LOAD, LENGTH);
			faults.add(this.run.startThread("faults-" + i, () -> schedule.run(proxy)));
		}
		for (Thread thread : faults) {
			thread.join();
		}
		this.proxies.forEach(FaultProxy::heal);
		this.run.awaitThreads();
		this.run.sayFigures();
		this.run.assertNoViolations();
		this.run.assertEveryoneAcquires(KEYS);
		this.run.assertExclusion();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

}
