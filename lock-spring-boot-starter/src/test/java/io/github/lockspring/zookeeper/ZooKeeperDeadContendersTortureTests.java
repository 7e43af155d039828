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
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.LockHistory.Acquisition;
import io.github.lockspring.server.Torture;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A third of many contenders, each with a session of its own, dies without a word.
 */
@Torture(alsoIn = { "RedisDeadContendersServerTests", "ZooKeeperSessionExpiredServerTests" })
class ZooKeeperDeadContendersTortureTests {

	private static final int PROCESSES = 6;

	private static final int CONTENDERS = 33;

	private static final List<Integer> DYING = List.of(1, 4);

	private static final Duration SESSION = Duration.ofSeconds(4);

	/**
	 * The holder must not lose its lease while so many others start.
	 */
	private static final Duration LONG_SESSION = Duration.ofSeconds(10);

	private static final AcquireOptions OPTIONS = AcquireOptions.fair(Duration.ofMinutes(2), true);

	private final Queue<String> served = new ConcurrentLinkedQueue<>();

	private final ChildJvms children = new ChildJvms();

	private ZooKeeperServer server;

	private ZooKeeperStore store;

	private CuratorFramework admin;

	private FaultRun run;

	@BeforeEach
	void start() {
		this.server = ZooKeeperServer.start();
		this.store = new ZooKeeperStore(this.server.connectString(), LONG_SESSION);
		this.admin = Clients.create(this.server.connectString());
		this.admin.start();
		this.run = new FaultRun(getClass().getSimpleName());
	}

	@AfterEach
	void stop() {
		this.run.close();
		this.children.close();
		this.admin.close();
		this.server.close();
	}

	@Test
	void survivorsAreServedAndNothingIsLeftOfTheDead() throws Exception {
		EngineProcess holder = this.run.startProcess(this.store);
		long asked = System.nanoTime();
		Hold hold = this.run.acquire(holder, "key", OPTIONS, FaultRun.MAX_WAIT);
		List<Process> processes = new ArrayList<>();
		for (int i = 0; i < PROCESSES; i++) {
			Process child = this.children.start(Contenders.class, this.server.connectString(), Integer.toString(i));
			ChildJvms.read(child, this::note);
			processes.add(child);
		}
		FaultRun.eventually().until(() -> ZooKeeperStore.queue(this.admin, "key").size() == 1 + PROCESSES * CONTENDERS);
		for (int dying : DYING) {
			processes.get(dying).destroyForcibly();
		}
		this.run.use("holder", asked, hold, Duration.ofMillis(1));
		int survivors = (PROCESSES - DYING.size()) * CONTENDERS;
		FaultRun.eventually().until(() -> this.served.size() == survivors);
		for (Process process : processes) {
			process.waitFor();
		}
		this.run.say(survivors + " survivors of " + PROCESSES * CONTENDERS + " contenders were served");
		this.served.forEach((line) -> this.run.history.add(acquisition(line)));
		this.run.assertNoViolations();
		this.run.assertExclusion();
		assertThat(this.run.history.acquisitions()).extracting(Acquisition::holder).doesNotHaveDuplicates();
		this.run.assertEveryoneAcquires(List.of("key"));
		FaultRun.eventually().untilAsserted(this.store::assertNothingLeft);
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

	private void note(String line) {
		if (line.startsWith("served ")) {
			this.served.add(line);
		}
		else if (line.startsWith("failed ")) {
			this.run.violation(line);
		}
	}

	private static Acquisition acquisition(String line) {
		String[] words = line.split(" ");
		return new Acquisition("key", words[1], Long.parseLong(words[2]), Long.parseLong(words[3]),
				Long.parseLong(words[4]), Long.parseLong(words[5]));
	}

	/**
	 * A process with many contenders, each of which is served once.
	 */
	static final class Contenders {

		private Contenders() {
		}

		public static void main(String[] arguments) throws Exception {
			FaultRun.silence();
			ZooKeeperStore store = new ZooKeeperStore(arguments[0], SESSION);
			ExecutorService executor = Executors.newFixedThreadPool(CONTENDERS);
			List<Future<?>> contenders = new ArrayList<>();
			for (int i = 0; i < CONTENDERS; i++) {
				String name = arguments[1] + '-' + i;
				contenders.add(executor.submit(() -> contend(store, name)));
			}
			for (Future<?> contender : contenders) {
				contender.get();
			}
			System.exit(0);
		}

		private static void contend(ZooKeeperStore store, String name) {
			try (EngineProcess process = new EngineProcess(store, EngineSettings.defaults())) {
				String served = null;
				while (served == null) {
					served = serve(process, name);
				}
				System.out.println(served);
			}
			catch (Exception ex) {
				System.out.println("failed " + name + ' ' + ex);
			}
		}

		private static String serve(EngineProcess process, String name) throws InterruptedException {
			long asked = System.nanoTime();
			Hold hold = process.engine.acquire("key", OPTIONS, FaultRun.MAX_WAIT.multipliedBy(2).toNanos());
			if (hold == null) {
				return null;
			}
			long from = System.nanoTime();
			Thread.sleep(1);
			long until = System.nanoTime();
			boolean held = hold.isHeld();
			return (hold.release() && held)
					? "served " + name + ' ' + hold.token() + ' ' + asked + ' ' + from + ' ' + until : null;
		}

	}

}
