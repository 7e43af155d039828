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

import java.io.BufferedReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.LockHistory.Acquisition;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes in other time zones, with a clock that is wrong, and one that stands still
 * for longer than its lease lasts.
 */
abstract class SqlWorkersTests extends SqlFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(1);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	private static final AcquireOptions LONG_TERMS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final int TURNS = 50 * FaultRun.SCALE;

	private final ChildJvms children = new ChildJvms();

	SqlWorkersTests(SqlServer server) {
		super(server, EngineSettings.defaults().withOperationTimeout(LONG_TIMEOUT));
	}

	@AfterEach
	void endChildren() {
		this.children.close();
	}

	@Test
	void timeZonesAndWrongClocksChangeNothing() throws Exception {
		EngineProcess here = this.run.startProcess(this.store, new WrongClock(Duration.ofHours(1)));
		List<Process> workers = List.of(start("-Duser.timezone=GMT+14:00", Turns.class, "0"),
				start("-Duser.timezone=GMT-12:00", Turns.class, "-1"));
		for (Process worker : workers) {
			assertThat(worker.inputReader().readLine()).isEqualTo("ready");
		}
		for (Process worker : workers) {
			proceed(worker);
		}
		for (int i = 0; i < TURNS; i++) {
			takeTurn(here, "key", OPTIONS);
		}
		for (Process worker : workers) {
			List<String> lines = worker.inputReader().lines().toList();
			assertThat(worker.waitFor()).isZero();
			assertThat(lines).hasSize(TURNS);
			lines.forEach((line) -> this.run.history.add(acquisition(worker, line)));
		}
		assertThat(this.run.denied).hasValue(0);
		assertEnd(List.of("key"));
	}

	private static Acquisition acquisition(Process worker, String line) {
		String[] values = line.split(" ");
		return new Acquisition("key", "worker " + worker.pid(), Long.parseLong(values[0]), Long.parseLong(values[1]),
				Long.parseLong(values[2]), Long.parseLong(values[3]));
	}

	@Test
	void processThatStoodStillKnowsItsLossAndItsTokenIsSmaller() throws Exception {
		EngineProcess other = this.run.startProcess(this.store);
		Process worker = start("-Duser.timezone=UTC", Paused.class);
		BufferedReader answers = worker.inputReader();
		for (int i = 0; i < FaultRun.SCALE; i++) {
			proceed(worker);
			long token = Long.parseLong(answers.readLine());
			signal(worker, "STOP");
			long asked = System.nanoTime();
			Hold hold = this.run.acquire(other, "key", LONG_TERMS, FaultRun.MAX_WAIT);
			assertThat(hold).isNotNull();
			assertThat(hold.token()).isGreaterThan(token);
			proceed(worker);
			signal(worker, "CONT");
			assertThat(answers.readLine()).isEqualTo("held false");
			assertThat(answers.readLine()).isEqualTo("notified 1");
			assertThat(answers.readLine()).isEqualTo("released false");
			assertThat(other.backend.inspect("key", LONG_TIMEOUT)).hasSize(1);
			assertThat(this.run.use("other", asked, hold, Duration.ZERO)).isTrue();
		}
		worker.getOutputStream().close();
		assertThat(worker.waitFor()).isZero();
		assertEnd(List.of("key"));
	}

	private Process start(String option, Class<?> main, String... more) throws Exception {
		List<String> arguments = new ArrayList<>(
				List.of(this.store.url(), this.store.user(), this.store.password(), this.store.table()));
		arguments.addAll(List.of(more));
		return this.children.start(List.of(option), main, arguments.toArray(String[]::new));
	}

	private static void proceed(Process worker) throws Exception {
		worker.getOutputStream().write('\n');
		worker.getOutputStream().flush();
	}

	private static void signal(Process worker, String name) throws Exception {
		Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + worker.pid()).start();
		assertThat(kill.waitFor()).isZero();
	}

	private static EngineProcess process(String[] arguments, TimeSource time) {
		FaultRun.silence();
		return new EngineProcess(new JdbcStore(arguments[0], arguments[1], arguments[2], arguments[3]),
				EngineSettings.defaults().withOperationTimeout(LONG_TIMEOUT), time);
	}

	/**
	 * A process that takes turns, and writes for each its token, when it asked, and from
	 * when until when it held the lease.
	 */
	static final class Turns {

		private Turns() {
		}

		public static void main(String[] arguments) throws Exception {
			TimeSource time = new WrongClock(Duration.ofHours(Long.parseLong(arguments[4])));
			try (EngineProcess process = process(arguments, time)) {
				process.backend.probe(Requests.of("probe"), LONG_TIMEOUT);
				System.out.println("ready");
				System.in.read();
				for (int i = 0; i < TURNS; i++) {
					System.out.println(turn(process));
				}
			}
		}

		private static String turn(EngineProcess process) throws InterruptedException {
			long asked = System.nanoTime();
			Hold hold = process.engine.acquire("key", OPTIONS, FaultRun.MAX_WAIT.toNanos());
			long from = System.nanoTime();
			Thread.sleep(1);
			long until = hold.isHeld() ? System.nanoTime() : from;
			long token = hold.token();
			hold.release();
			return token + " " + asked + ' ' + from + ' ' + until;
		}

	}

	/**
	 * A process that stands still. Acquires when notified to and writes its token; checks
	 * and releases when notified to.
	 */
	static final class Paused {

		private static final AtomicInteger notified = new AtomicInteger();

		private Paused() {
		}

		public static void main(String[] arguments) throws Exception {
			try (EngineProcess process = process(arguments, TimeSource.SYSTEM)) {
				while (System.in.read() != -1) {
					Hold hold = process.engine.acquire("key", OPTIONS, FaultRun.MAX_WAIT.toNanos());
					notified.set(0);
					hold.onLost(notified::incrementAndGet);
					System.out.println(hold.token());
					System.in.read();
					System.out.println("held " + hold.isHeld());
					FaultRun.eventually().until(() -> notified.get() > 0);
					System.out.println("notified " + notified);
					System.out.println("released " + hold.release());
				}
			}
		}

	}

	/**
	 * The clocks of a machine whose wall clock is wrong.
	 */
	private record WrongClock(Duration ahead) implements TimeSource {

		@Override
		public long nanoTime() {
			return SYSTEM.nanoTime();
		}

		@Override
		public long currentTimeMillis() {
			return SYSTEM.currentTimeMillis() + this.ahead.toMillis();
		}

		@Override
		public void parkNanos(Object blocker, long nanos) {
			SYSTEM.parkNanos(blocker, nanos);
		}

	}

}
