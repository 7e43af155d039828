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
import io.github.lockspring.benchmarks.report.Histogram;
import io.github.lockspring.benchmarks.store.Store;

/**
 * Two processes, of which each is an instance of the contestant with connections of its
 * own, acquire and release one key in turn.
 */
final class AlternateWorkload implements Workload {

	private static final String KEY = "alternate";

	@Override
	public String name() {
		return KEY;
	}

	@Override
	public String description() {
		return "two processes acquire and release one key in turn";
	}

	@Override
	public boolean admits(Store store, Entrant entrant) {
		return entrant.has(Trait.DISTRIBUTED) && entrant.has(Trait.WAITING);
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new AlternateSession(entrant.contestant().get(), entrant.contestant().get());
	}

	private record AlternateSession(Contestant one, Contestant two) implements Session {

		@Override
		public Figures run(Duration time) throws InterruptedException {
			Histogram times = new Histogram();
			long end = System.nanoTime() + time.toNanos();
			while (System.nanoTime() - end < 0) {
				times.add(cycle(this.one));
				times.add(cycle(this.two));
			}
			return new Figures().and("p50 ms", times.quantile(0.5) / 1e6)
				.and("p99 ms", times.quantile(0.99) / 1e6)
				.and("cycles", times.count());
		}

		/**
		 * Acquires and releases.
		 * @return how long it took to acquire
		 */
		private static long cycle(Contestant contestant) throws InterruptedException {
			long start = System.nanoTime();
			Contestant.Hold hold = contestant.acquire(KEY);
			long acquired = System.nanoTime();
			hold.release();
			return acquired - start;
		}

		@Override
		public void close() {
			this.one.close();
			this.two.close();
		}

	}

}
