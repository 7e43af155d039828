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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.PausedHolder;
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
		try (PausedHolder holder = new PausedHolder(this.children.start(Worker.class, this.server.connectString()))) {
			for (int i = 0; i < FaultRun.SCALE; i++) {
				long token = holder.acquire();
				holder.pause();
				Hold hold = this.run.acquire(other, "key", OPTIONS, FaultRun.MAX_WAIT);
				assertThat(hold).isNotNull();
				assertThat(hold.token()).isGreaterThan(token);
				holder.assertLossIsKnownAtOnce();
				assertThat(hold.isHeld()).isTrue();
				assertThat(this.run.release(hold)).isTrue();
			}
		}
		this.run.assertNoViolations();
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

	/**
	 * The process that is paused.
	 */
	static final class Worker {

		private Worker() {
		}

		public static void main(String[] arguments) throws Exception {
			PausedHolder.run(new ZooKeeperStore(arguments[0], SESSION), OPTIONS, SESSION.dividedBy(2));
		}

	}

}
