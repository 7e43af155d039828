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

package io.github.lockspring.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.server.Torture;
import io.github.lockspring.server.ZooKeeperEnsemble;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Servers of an ensemble are killed, or slow, while processes contend.
 */
class ZooKeeperAwayServerTests {

	private static final Duration SESSION = Duration.ofSeconds(4);

	private static final Duration WITHOUT_QUORUM = Duration.ofSeconds((FaultRun.SCALE > 1) ? 10 : 3);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final AcquireOptions FAIR = AcquireOptions.fair(Duration.ofSeconds(30), true);

	private static final List<String> KEYS = List.of("one", "two");

	private static final Load LOAD = new Load(KEYS, List.of(OPTIONS, FAIR), List.of(FaultRun.MAX_WAIT),
			Duration.ofMillis(2), Duration.ofMillis(50));

	private static ZooKeeperEnsemble ensemble;

	private FaultRun run;

	private ZooKeeperStore store;

	@BeforeAll
	static void startServers() {
		ensemble = ZooKeeperEnsemble.start((builder) -> builder.option("syncLimit", "60"));
	}

	@AfterAll
	static void stopServers() {
		ensemble.close();
	}

	@BeforeEach
	void start() {
		ensemble.regainQuorum();
		this.run = new FaultRun(getClass().getSimpleName());
		this.store = new ZooKeeperStore(ensemble.connectString(), SESSION);
	}

	@AfterEach
	void stop() {
		this.run.close();
	}

	@Test
	void leaderIsKilledWhileProcessesContend() throws Exception {
		Duration length = Duration.ofSeconds(3);
		for (int i = 0; i < FaultRun.SCALE; i++) {
			for (EngineProcess process : this.run.startProcesses(4, this.store)) {
				this.run.startWorkers(process, 2, LOAD, length);
			}
			Thread.sleep(500 + this.run.random.nextInt(500));
			ensemble.failOverByKill();
			ensemble.regainQuorum();
			this.run.awaitThreads();
			this.run.assertProgress();
			this.run.assertEveryoneAcquires(KEYS);
			this.run.assertExclusion();
			this.run.assertNothingLeft(this.store::assertNothingLeft);
		}
	}

	/**
	 * It takes a leader half a minute here to notice that its followers do not answer.
	 */
	@Test
	void leaderAloneConfirmsNoLease() {
		List<ZooKeeperServer> followers = ensemble.followers();
		try (ZooKeeperProcess process = ZooKeeperProcess.on(ensemble.leader().connectString())) {
			LeaseRequest lease = process.acquire("confirmed");
			try {
				followers.forEach(ZooKeeperServer::pause);
				assertThatExceptionOfType(OutcomeUnknownException.class)
					.isThrownBy(() -> process.backend.renew(List.of(lease), Duration.ofMillis(500)));
			}
			finally {
				followers.forEach(ZooKeeperServer::resume);
			}
			assertThat(process.renews(lease)).isTrue();
			assertThat(process.release(lease)).isTrue();
		}
	}

	@Test
	@Torture(alsoIn = { "ZooKeeperConnectionLostServerTests",
			"ZooKeeperAwayServerTests#leaderIsKilledWhileProcessesContend" })
	void callsEndWithoutAQuorumAndEverythingWorksWithOneAgain() throws Exception {
		EngineProcess holder = this.run.startProcess(this.store);
		List<EngineProcess> others = this.run.startProcesses(2, this.store);
		Hold released = this.run.acquire(holder, "released", OPTIONS, FaultRun.MAX_WAIT);
		long asked = System.nanoTime();
		Hold held = this.run.acquire(holder, "held", OPTIONS, FaultRun.MAX_WAIT);
		this.run.startThread("holding", () -> this.run.observe("holder", asked, held));
		AtomicInteger served = new AtomicInteger();
		others.forEach((other) -> this.run.startThread("waiting", () -> awaitTurn(other, "held", served)));
		ensemble.loseQuorum();
		long lost = System.nanoTime();
		FaultRun.eventually().until(() -> !held.isHeld());
		Thread calling = this.run.startThread("calling", () -> {
			this.run.release(released);
			callUntil(lost + WITHOUT_QUORUM.toNanos(), holder, others);
		});
		calling.join(FaultRun.MAX_WAIT.toMillis());
		assertThat(calling.isAlive()).isFalse();
		assertThat(held.isHeld()).isFalse();
		assertThat(this.run.denied).hasValue(0);
		ensemble.regainQuorum();
		this.run.release(held);
		FaultRun.eventually().until(() -> served.get() == others.size());
		this.run.awaitThreads();
		this.run.assertEveryoneAcquires(List.of("one", "two", "held", "released"));
		assertEnd();
	}

	private void callUntil(long end, EngineProcess holder, List<EngineProcess> others) {
		do {
			assertThat(this.run.acquire(others.get(0), "one", OPTIONS, Duration.ZERO)).isNull();
			assertThat(this.run.acquire(others.get(1), "one", FAIR, Duration.ofMillis(200))).isNull();
			assertThat(this.run.acquire(holder, "two", FAIR, Duration.ofMillis(200))).isNull();
		}
		while (System.nanoTime() - end < 0);
	}

	private void awaitTurn(EngineProcess process, String key, AtomicInteger served) {
		long asked = System.nanoTime();
		Hold hold = null;
		while (hold == null) {
			hold = this.run.acquire(process, key, FAIR, FaultRun.MAX_WAIT);
		}
		this.run.use("waiting", asked, hold, Duration.ofMillis(1));
		served.incrementAndGet();
	}

	@Test
	@Torture(alsoIn = { "ZooKeeperConnectionLostServerTests",
			"ZooKeeperAwayServerTests#leaderIsKilledWhileProcessesContend" })
	void slowDisksSlowDownButLeaveNothing() throws Exception {
		List<EngineProcess> processes = this.run.startProcesses(4, this.store);
		List<ZooKeeperServer> slow = ensemble.servers().subList(0, 2);
		try {
			slow.forEach((server) -> server.delayFsync(Duration.ofMillis(100)));
			processes.forEach((process) -> this.run.startWorkers(process, 1, LOAD, Duration.ofSeconds(2)));
			this.run.awaitThreads();
			this.run.assertProgress();
			slow.forEach((server) -> server.delayFsync(Duration.ofMillis(1_500)));
			int unavailable = this.run.unavailable.size();
			assertThat(this.run.acquire(processes.get(0), "one", OPTIONS, Duration.ZERO)).isNull();
			assertThat(this.run.unavailable).hasSizeGreaterThan(unavailable);
		}
		finally {
			slow.forEach((server) -> server.delayFsync(Duration.ZERO));
		}
		this.run.assertEveryoneAcquires(KEYS);
		assertEnd();
	}

	private void assertEnd() {
		FaultRun.eventually().untilAsserted(this.store::assertNothingLeft);
		this.run.assertNoViolations();
		this.run.assertExclusion();
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

}
