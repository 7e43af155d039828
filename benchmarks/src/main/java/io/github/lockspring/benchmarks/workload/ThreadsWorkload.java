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
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.process.Occupancy;
import io.github.lockspring.benchmarks.process.Team;
import io.github.lockspring.benchmarks.process.TeamResult;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.CommandCount;
import io.github.lockspring.benchmarks.store.Store;

/**
 * Threads of one process acquire and release, each going round the keys from a place of
 * its own.
 */
final class ThreadsWorkload implements Workload {

	private static final int COUNTED_CYCLES = 100;

	private final String name;

	private final String description;

	private final int threads;

	private final List<String> keys;

	ThreadsWorkload(String name, String description, int threads, int keys) {
		this.name = name;
		this.description = description;
		this.threads = threads;
		this.keys = IntStream.range(0, keys).mapToObj((number) -> name + '-' + number).toList();
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String description() {
		return this.description;
	}

	/**
	 * A lock that knows no other process has no place beside those that do, unless they
	 * compete for one key, where most of the work is done in the process.
	 */
	@Override
	public boolean admits(Store store, Entrant entrant) {
		return store.entrant(Entrant.FLOOR).has(Trait.DISTRIBUTED) == entrant.has(Trait.DISTRIBUTED)
				|| this.keys.size() == 1;
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new ThreadsSession(store, entrant);
	}

	private String key(int thread, int cycle) {
		boolean own = this.keys.size() == this.threads;
		return this.keys.get(own ? thread : (thread + cycle) % this.keys.size());
	}

	private final class ThreadsSession implements Session {

		private final Store store;

		private final Contestant contestant;

		private final boolean checked;

		private ThreadsSession(Store store, Entrant entrant) {
			this.store = store;
			this.contestant = entrant.contestant().get();
			this.checked = entrant.has(Trait.EXCLUSIVE) && ThreadsWorkload.this.keys.size() == 1;
		}

		@Override
		public Figures run(Duration time) throws InterruptedException {
			TeamResult result = team().run(time);
			Figures figures = new Figures().and("cycles/s", result.rate())
				.and("p50 µs", result.times().quantile(0.5) / 1e3)
				.and("p99 µs", result.times().quantile(0.99) / 1e3);
			if (ThreadsWorkload.this.keys.size() == 1) {
				figures.and("max/min by thread",
						(double) Collections.max(result.cycles()) / Collections.min(result.cycles()));
			}
			if (this.store.address() != null) {
				figures.and("commands/cycle", commandsPerCycle(time));
			}
			return figures;
		}

		private Team team() {
			return new Team(this.contestant, ThreadsWorkload.this.threads, ThreadsWorkload.this::key,
					this.checked ? Occupancy.ofThisProcess() : Occupancy.unchecked());
		}

		private double commandsPerCycle(Duration atMost) throws InterruptedException {
			try (CommandCount count = this.store.countCommands()) {
				long cycles = team().repeat(COUNTED_CYCLES, atMost);
				return (double) count.soFar() / cycles;
			}
		}

		@Override
		public void close() {
			this.contestant.close();
		}

	}

}
