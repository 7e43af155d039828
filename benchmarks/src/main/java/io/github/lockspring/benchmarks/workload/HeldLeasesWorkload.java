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

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.process.HeldLeases.Cost;
import io.github.lockspring.benchmarks.process.WorkerProcess;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.CommandCount;
import io.github.lockspring.benchmarks.store.Store;

/**
 * One process holds many leases of 30 seconds, which are renewed. Only runs of 30 seconds
 * or a multiple of it show how much renewal costs. What a lease costs once, when it turns
 * out to be a long one, is counted apart. The process lives as long as a run, as a server
 * may not distinguish the heartbeats of others from those of the one that is measured.
 */
final class HeldLeasesWorkload implements Workload {

	private static final Duration AT_FIRST = Duration.ofSeconds(10);

	/**
	 * A third of the lease time, after which most contestants renew.
	 */
	private static final int PERIOD_SECONDS = 10;

	private static final int GROUP = 500;

	private final String name;

	private final int leases;

	HeldLeasesWorkload(String name, int leases) {
		this.name = name;
		this.leases = leases;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String description() {
		return "%,d leases of 30 s held by one process and renewed".formatted(this.leases);
	}

	@Override
	public boolean admits(Store store, Entrant entrant) {
		return store.address() != null && entrant.has(Trait.RENEWING);
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new HeldSession(store, entrant);
	}

	private final class HeldSession implements Session {

		private final Store store;

		private final Entrant entrant;

		private HeldSession(Store store, Entrant entrant) {
			this.store = store;
			this.entrant = entrant;
		}

		@Override
		public Figures run(Duration time) throws InterruptedException {
			try (WorkerProcess worker = new WorkerProcess(this.store, this.entrant)) {
				Cost cost = worker.hold(HeldLeasesWorkload.this.leases);
				double atFirst = commands((time.compareTo(AT_FIRST) < 0) ? time : AT_FIRST);
				Figures figures = whileHeld(worker, time)
					.and("commands/lease at first", atFirst / HeldLeasesWorkload.this.leases)
					.and("heap B/lease", cost.heapPerLease())
					.and("threads", cost.threads())
					.and("µs to acquire", cost.acquireNanos() / 1e3 / HeldLeasesWorkload.this.leases);
				worker.drop();
				return figures;
			}
		}

		private Figures whileHeld(WorkerProcess worker, Duration time) throws InterruptedException {
			long cpuNanos = worker.cpuNanos();
			double seconds = time.toNanos() / 1e9;
			double perSecond = commands(time) / seconds;
			return new Figures().and("commands/s", perSecond)
				.and("commands/500 leases in 10 s", perSecond * PERIOD_SECONDS * GROUP / HeldLeasesWorkload.this.leases)
				.and("client CPU ms/s", (worker.cpuNanos() - cpuNanos) / 1e6 / seconds);
		}

		private double commands(Duration time) throws InterruptedException {
			try (CommandCount count = this.store.countCommands()) {
				Thread.sleep(time.toMillis());
				return count.soFar();
			}
		}

		@Override
		public void close() {
		}

	}

}
