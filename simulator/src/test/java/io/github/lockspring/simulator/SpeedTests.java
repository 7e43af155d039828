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
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.simulator.cluster.ClusterProcess;
import io.github.lockspring.simulator.cluster.Link;
import io.github.lockspring.simulator.cluster.Server;
import io.github.lockspring.simulator.cluster.SimulatedRows;
import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.Replaced;
import io.github.lockspring.simulator.machine.Scheduler;

class SpeedTests {

	private int cycles;

	@Test
	void tenProcesses() {
		for (int i = 0; i < 4; i++) {
			long begin = System.nanoTime();
			this.cycles = 0;
			Scheduler scheduler = new Scheduler(i);
			Server server = new Server(scheduler, "rows");
			SimulatedRows rows = new SimulatedRows(server);
			for (int p = 0; p < 10; p++) {
				ClusterProcess process = new ClusterProcess(new Node(scheduler, "p" + p));
				Link link = new Link(process.node(), server);
				process.start(() -> rows.backend(link), EngineSettings.defaults(),
						EngineListener.NONE, () -> work(process));
			}
			scheduler.run(Duration.ofSeconds(1000).toNanos());
			long steps = scheduler.steps();
			scheduler.close();
			System.out.println("1000 s in " + (System.nanoTime() - begin) / 1_000_000 + " ms, " + this.cycles + " cycles, "
					+ server.requests() + " requests, " + steps + " steps");
		}
	}

	private void work(ClusterProcess process) {
		SplittableRandom random = process.node().scheduler().random().split();
		while (true) {
			Replaced.parkNanos(this, random.nextLong(2_000_000_000));
			Hold hold = process.engine()
				.acquireUninterruptibly("key" + random.nextInt(10), AcquireOptions.exclusive(Duration.ofSeconds(10), true),
						Thread.currentThread(), Duration.ofSeconds(5).toNanos());
			if (hold != null) {
				Replaced.parkNanos(this, random.nextLong(200_000_000));
				hold.release();
				this.cycles++;
			}
		}
	}

}
