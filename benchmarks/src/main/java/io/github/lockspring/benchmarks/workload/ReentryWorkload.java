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

package io.github.lockspring.benchmarks.workload;

import java.time.Duration;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.CommandCount;
import io.github.lockspring.benchmarks.store.Store;

/**
 * A thread acquires and releases again what it holds.
 */
final class ReentryWorkload implements Workload {

	private static final String KEY = "reentry";

	private static final int BATCH = 1_000;

	@Override
	public String name() {
		return KEY;
	}

	@Override
	public String description() {
		return "one thread acquires and releases again what it holds";
	}

	@Override
	public boolean admits(Store store, Entrant entrant) {
		return entrant.has(Trait.REENTRANT);
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new ReentrySession(store, entrant.contestant().get());
	}

	private static final class ReentrySession implements Session {

		private final Store store;

		private final Contestant contestant;

		private ReentrySession(Store store, Contestant contestant) {
			this.store = store;
			this.contestant = contestant;
		}

		@Override
		public Figures run(Duration time) throws InterruptedException {
			Contestant.Hold held = this.contestant.acquire(KEY);
			try {
				return reenter(time);
			}
			finally {
				held.release();
			}
		}

		private Figures reenter(Duration time) throws InterruptedException {
			long start = System.nanoTime();
			long cycles = 0;
			while (System.nanoTime() - start < time.toNanos()) {
				reenter();
				cycles += BATCH;
			}
			double nanos = System.nanoTime() - start;
			return new Figures().and("ns/cycle", nanos / cycles).and("commands/cycle", commandsPerCycle());
		}

		private void reenter() throws InterruptedException {
			for (int i = 0; i < BATCH; i++) {
				this.contestant.acquire(KEY).release();
			}
		}

		private double commandsPerCycle() throws InterruptedException {
			try (CommandCount count = this.store.countCommands()) {
				reenter();
				return (double) count.soFar() / BATCH;
			}
		}

		@Override
		public void close() {
			this.contestant.close();
		}

	}

}
