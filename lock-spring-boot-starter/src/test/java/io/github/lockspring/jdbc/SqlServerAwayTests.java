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

package io.github.lockspring.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.faults.MeetingsRun;
import io.github.lockspring.faults.PrimitivesRun;
import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server is killed, stands still, cannot be reached or rejects to write for a while,
 * or ends connections.
 */
abstract class SqlServerAwayTests extends SqlFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(1);

	/**
	 * All of them are looked for afterwards.
	 */
	private static final Duration BETWEEN_GRANTS = Duration.ofMillis(10);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	private static final AcquireOptions NOT_RENEWED = AcquireOptions.exclusive(Duration.ofMinutes(10), false);

	private static final List<String> KEYS = List.of("hot", "warm", "cold");

	private static final Load LOAD = new Load(KEYS, List.of(OPTIONS, OPTIONS, AcquireOptions.fair(LEASE, true)),
			List.of(Duration.ZERO, Duration.ofMillis(300), Duration.ofSeconds(3)), Duration.ofMillis(20), LEASE);

	private final Supplier<SqlServer> durable;

	private final AtomicInteger notified = new AtomicInteger();

	private volatile boolean killed;

	/**
	 * Tests a server.
	 * @param server the server
	 * @param durable starts one that has each commit on the disk
	 */
	SqlServerAwayTests(SqlServer server, Supplier<SqlServer> durable) {
		super(server, EngineSettings.defaults().withOperationTimeout(Duration.ofMillis(500)));
		this.durable = durable;
	}

	@Test
	void serverThatIsKilledForgetsNoGrant() throws Exception {
		try (SqlServer server = this.durable.get()) {
			JdbcStore store = JdbcStore.on(server, this.table);
			store.createTable();
			for (int i = 0; i < FaultRun.SCALE; i++) {
				killWhileWorking(server, store);
			}
			this.run.assertEveryoneAcquires(KEYS);
			this.run.assertProgress();
			this.run.assertExclusion();
			this.run.assertNothingLeft(store::assertNothingLeft);
		}
	}

	@Test
	@Torture(alsoIn = { "RedisPrimitivesServerTests", "PostgresFaultServerTests.ServerAway" })
	void historyOfPrimitivesIsConsistent() throws Exception {
		try (SqlServer server = this.durable.get()) {
			JdbcStore store = JdbcStore.on(server, this.table);
			store.createTable();
			try (PrimitivesRun primitives = new PrimitivesRun(PrimitivesWorker.class, store.url(), store.user(),
					store.password(), store.table())) {
				primitives.run(store, () -> {
					server.kill();
					server.restart();
				});
			}
		}
	}

	@Test
	@Torture(alsoIn = { "RedisPrimitivesServerTests", "PostgresFaultServerTests.ServerAway" })
	void historyOfMeetingsIsConsistent() throws Exception {
		try (SqlServer server = this.durable.get()) {
			JdbcStore store = JdbcStore.on(server, this.table);
			store.createTable();
			try (MeetingsRun meetings = new MeetingsRun(Visitor.class, store.url(), store.user(), store.password(),
					store.table())) {
				meetings.run(store, () -> {
					server.kill();
					server.restart();
				});
			}
		}
	}

	private void killWhileWorking(SqlServer server, JdbcStore store) throws Exception {
		this.killed = false;
		List<EngineProcess> processes = this.run.startProcesses(4, store);
		processes.forEach((process) -> this.run.startWorkers(process, 2, LOAD, Duration.ofSeconds(3)));
		List<Hold> holds = new CopyOnWriteArrayList<>();
		Thread acquiring = this.run.startThread("acquiring", () -> acquireUntilKilled(processes.get(0), holds));
		FaultRun.eventually().until(() -> !holds.isEmpty());
		Thread.sleep(1000 + this.run.random.nextInt(500));
		server.kill();
		this.killed = true;
		acquiring.join();
		server.restart();
		for (Hold hold : holds) {
			FaultRun.eventually()
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(processes.get(1).backend.inspect(hold.key(), LONG_TIMEOUT))
					.as("holder of " + hold.key() + ", one of " + holds.size())
					.singleElement()
					.satisfies((holder) -> assertThat(holder.token()).isEqualTo(hold.token())));
			assertThat(this.run.release(hold)).isTrue();
		}
		this.run.awaitThreads();
	}

	private void acquireUntilKilled(EngineProcess process, List<Hold> holds) {
		while (!this.killed) {
			Hold hold = this.run.acquire(process, "granted-" + System.nanoTime(), NOT_RENEWED, Duration.ZERO);
			if (hold != null) {
				holds.add(hold);
			}
			LockSupport.parkNanos(BETWEEN_GRANTS.toNanos());
		}
	}

	@Test
	void connectionsAreEndedWhileProcessesContend() throws Exception {
		Duration length = Duration.ofSeconds(3).multipliedBy(FaultRun.SCALE);
		List<EngineProcess> processes = this.run.startProcesses(4, this.store);
		processes.forEach((process) -> this.run.startWorkers(process, 2, LOAD, length));
		long end = System.nanoTime() + length.toNanos();
		for (int ended = 0; ended < 3 || System.nanoTime() - end < 0; ended++) {
			this.server.terminateBackends();
			Thread.sleep(200);
		}
		this.run.awaitThreads();
		this.run.assertProgress();
		assertEnd(KEYS);
	}

	@ParameterizedTest
	@EnumSource(Direction.class)
	void holeInTheNetworkEndsCallsAndIsRecoveredFrom(Direction direction) throws Exception {
		try (FaultProxy proxy = this.server.proxy()) {
			EngineProcess holder = this.run.startProcess(this.store.through(this.server, proxy));
			EngineProcess other = this.run.startProcess(this.store);
			endsCallsAndIsRecoveredFrom(holder, () -> {
				proxy.hole(direction);
				this.run.startThread("other", () -> takeTurn(other, "held", OPTIONS));
			}, proxy::heal);
			assertEnd(KEYS);
		}
	}

	@Test
	void pauseOfTheServerEndsCallsAndIsRecoveredFrom() throws Exception {
		EngineProcess holder = this.run.startProcess(this.store);
		this.run.startProcess(this.store);
		endsCallsAndIsRecoveredFrom(holder, this.server::pause, this.server::resume);
		assertEnd(KEYS);
	}

	@Test
	void readOnlyServerIsUnavailableAndRecoveredFrom() throws Exception {
		EngineProcess holder = this.run.startProcess(this.store);
		this.run.startProcess(this.store);
		endsCallsAndIsRecoveredFrom(holder, () -> this.server.setReadOnly(true), () -> this.server.setReadOnly(false));
		assertEnd(KEYS);
	}

	private void endsCallsAndIsRecoveredFrom(EngineProcess holder, Runnable begin, Runnable end) throws Exception {
		long asked = System.nanoTime();
		Hold held = this.run.acquire(holder, "held", OPTIONS, FaultRun.MAX_WAIT);
		held.onLost(this.notified::incrementAndGet);
		Hold released = this.run.acquire(holder, "released", OPTIONS, FaultRun.MAX_WAIT);
		begin.run();
		Thread holding = this.run.startThread("holding",
				() -> assertThat(this.run.use("holder", asked, held, FaultRun.MAX_WAIT)).isFalse());
		try {
			assertCallsEnd(holder, released);
			holding.join(FaultRun.MAX_WAIT.toMillis());
			FaultRun.eventually().untilAsserted(() -> assertThat(this.notified).hasValue(1));
			assertThat(held.isHeld()).isFalse();
		}
		finally {
			end.run();
		}
		for (String key : KEYS) {
			takeTurn(holder, key, OPTIONS);
		}
		takeTurn(holder, "held", OPTIONS);
		takeTurn(holder, "released", OPTIONS);
		assertThat(this.notified).hasValue(1);
	}

	private void assertCallsEnd(EngineProcess process, Hold released) throws InterruptedException {
		List<Thread> calls = new ArrayList<>();
		calls.add(this.run.startThread("releasing", () -> this.run.release(released)));
		for (int i = 0; i < 8; i++) {
			Duration wait = Duration.ofMillis(100 * (i % 3));
			calls.add(this.run.startThread("calling",
					() -> assertThat(this.run.acquire(process, KEYS.get(0), OPTIONS, wait)).isNull()));
		}
		for (Thread call : calls) {
			call.join(FaultRun.MAX_WAIT.toMillis());
			assertThat(call.isAlive()).isFalse();
		}
		assertThat(this.run.unavailable).isNotEmpty();
	}

	/**
	 * A process that uses primitives.
	 */
	static final class PrimitivesWorker {

		private PrimitivesWorker() {
		}

		public static void main(String[] arguments) throws Exception {
			PrimitivesRun.work(new JdbcStore(arguments[0], arguments[1], arguments[2], arguments[3]));
		}

	}

	/**
	 * A process that meets others.
	 */
	static final class Visitor {

		private Visitor() {
		}

		public static void main(String[] arguments) throws Exception {
			MeetingsRun.work(new JdbcStore(arguments[0], arguments[1], arguments[2], arguments[3]));
		}

	}

}
