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

package io.github.lockspring.simulator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.simulator.cluster.ClusterProcess;
import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.Replaced;
import io.github.lockspring.simulator.machine.Scheduler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of one process on the local store whose threads overtake each other.
 */
class LocalStoreTests {

	private int inside;

	@Test
	void sameSeedGivesTheSameHistory() {
		for (long seed = 0; seed < 20; seed++) {
			List<String> first = run(seed);
			assertThat(run(seed)).as("seed %d", seed).isEqualTo(first);
		}
	}

	private List<String> run(long seed) {
		List<String> history = new ArrayList<>();
		Scheduler scheduler = new Scheduler(seed);
		scheduler.overtakeAtOneOf(5);
		ClusterProcess process = new ClusterProcess(new Node(scheduler, "p1"));
		LocalStore store = new LocalStore(() -> Instant.ofEpochMilli(Replaced.currentTimeMillis()));
		process.start(() -> new LocalLockBackend(store), EngineSettings.defaults(), EngineListener.NONE, () -> {
			for (int i = 0; i < 4; i++) {
				int worker = i;
				process.node().start("worker-" + i, () -> work(process, worker, history));
			}
		});
		scheduler.run(Duration.ofSeconds(100).toNanos());
		history.add(scheduler.steps() + " steps");
		scheduler.close();
		assertThat(history).as("seed %d", seed).hasSize(4 * 10 * 2 + 1);
		return history;
	}

	private void work(ClusterProcess process, int worker, List<String> history) {
		Scheduler scheduler = process.node().scheduler();
		for (int i = 0; i < 10; i++) {
			Hold hold = process.engine()
				.acquireUninterruptibly("key", AcquireOptions.exclusive(Duration.ofSeconds(10), true),
						Thread.currentThread(), Duration.ofSeconds(50).toNanos());
			assertThat(hold).isNotNull();
			history.add(scheduler.now() + " " + worker + " acquired " + hold.token());
			assertThat(this.inside++).isZero();
			Replaced.point();
			this.inside--;
			history.add(scheduler.now() + " " + worker + " releases");
			hold.release();
		}
	}

}
