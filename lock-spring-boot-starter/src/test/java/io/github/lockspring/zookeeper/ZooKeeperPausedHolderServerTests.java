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

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that holds a lease stands still for longer than its session lasts.
 */
class ZooKeeperPausedHolderServerTests {

	private static final Duration SESSION = Duration.ofSeconds(2);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private final ZooKeeperServer server = ZooKeeperServer.shared();

	private final ZooKeeperStore store = new ZooKeeperStore(this.server.connectString(), Duration.ofSeconds(10));

	private final ChildJvms children = new ChildJvms();

	private FaultRun run;

	@BeforeEach
	void start() {
		this.run = new FaultRun(getClass().getSimpleName());
	}

	@AfterEach
	void stop() {
		this.children.close();
		this.run.close();
	}

	@Test
	void pausedHolderKnowsItsLossAtOnce() throws Exception {
		EngineProcess other = this.run.startProcess(this.store);
		Process worker = this.children.start(Worker.class, this.server.connectString());
		try (BufferedReader answers = worker.inputReader()) {
			for (int i = 0; i < FaultRun.SCALE; i++) {
				proceed(worker);
				long token = Long.parseLong(answers.readLine());
				signal(worker, "STOP");
				Hold hold = this.run.acquire(other, "key", OPTIONS, FaultRun.MAX_WAIT);
				assertThat(hold).isNotNull();
				assertThat(hold.token()).isGreaterThan(token);
				proceed(worker);
				signal(worker, "CONT");
				assertThat(answers.readLine()).isEqualTo("held false");
				assertThat(answers.readLine()).isEqualTo("notified 1");
				assertThat(answers.readLine()).isEqualTo("released false");
				assertThat(hold.isHeld()).isTrue();
				assertThat(this.run.release(hold)).isTrue();
			}
			worker.getOutputStream().close();
			assertThat(worker.waitFor()).isZero();
		}
		this.run.assertNoViolations();
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

	private static void proceed(Process worker) throws IOException {
		worker.getOutputStream().write('\n');
		worker.getOutputStream().flush();
	}

	private static void signal(Process worker, String name) throws Exception {
		Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + worker.pid()).start();
		assertThat(kill.waitFor()).isZero();
	}

	/**
	 * The process that is paused. Acquires when notified to and writes its token; checks
	 * and releases when notified to.
	 */
	static final class Worker {

		private static final AtomicInteger notified = new AtomicInteger();

		private Worker() {
		}

		public static void main(String[] arguments) throws Exception {
			FaultRun.silence();
			try (EngineProcess process = new EngineProcess(new ZooKeeperStore(arguments[0], SESSION),
					EngineSettings.defaults())) {
				while (System.in.read() != -1) {
					Hold hold = process.engine.acquire("key", OPTIONS, FaultRun.MAX_WAIT.toNanos());
					notified.set(0);
					hold.onLost(() -> notified.incrementAndGet());
					System.out.println(hold.token());
					System.in.read();
					System.out.println("held " + hold.isHeld());
					FaultRun.eventually().until(() -> notified.get() > 0);
					Thread.sleep(SESSION.toMillis() / 2); // it must not be notified again
					System.out.println("notified " + notified);
					System.out.println("released " + hold.release());
				}
			}
		}

	}

}
