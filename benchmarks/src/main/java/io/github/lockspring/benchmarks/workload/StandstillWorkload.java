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
import io.github.lockspring.benchmarks.process.WorkerProcess;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.CommandCount;
import io.github.lockspring.benchmarks.store.Store;

/**
 * One process holds keys, another one waits for all of them, and nothing happens. What
 * counts is what the store is asked for meanwhile. What the holder alone asks for, such
 * as to renew, stands beside; only runs of 10 seconds or a multiple of it show that. In
 * the end the holder releases everything and each waiting thread gets its key. The
 * processes live as long as a run, as a server may not distinguish the heartbeats of
 * others from those of the ones that are measured.
 */
final class StandstillWorkload implements Workload {

	/**
	 * How long those who wait have before it counts: some ask often at first.
	 */
	private static final Duration MAX_SETTLING = Duration.ofSeconds(5);

	private static final int FEW = 50;

	private final String name;

	private final int keys;

	StandstillWorkload(String name, int keys) {
		this.name = name;
		this.keys = keys;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String description() {
		return "%,d keys held by one process and waited for by another".formatted(this.keys);
	}

	/**
	 * A lock that is not renewed does not stand still.
	 */
	@Override
	public boolean admits(Store store, Entrant entrant) {
		return store.address() != null && entrant.has(Trait.DISTRIBUTED) && entrant.has(Trait.WAITING)
				&& entrant.has(Trait.RENEWING) && (this.keys <= FEW || entrant.has(Trait.WAITING_FOR_MANY));
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new StandstillSession(store, entrant);
	}

	private final class StandstillSession implements Session {

		private final Store store;

		private final Entrant entrant;

		private StandstillSession(Store store, Entrant entrant) {
			this.store = store;
			this.entrant = entrant;
		}

		@Override
		public Figures run(Duration time) throws InterruptedException {
			try (WorkerProcess holder = new WorkerProcess(this.store, this.entrant);
					WorkerProcess waiter = new WorkerProcess(this.store, this.entrant)) {
				holder.hold(StandstillWorkload.this.keys);
				Commands held = commands(time);
				waiter.await(StandstillWorkload.this.keys);
				Thread.sleep(Math.min(time.toMillis(), MAX_SETTLING.toMillis()));
				long cpuNanos = waiter.cpuNanos();
				Commands awaited = commands(time);
				cpuNanos = waiter.cpuNanos() - cpuNanos;
				long served = serve(holder, waiter);
				return new Figures().and("commands/s", awaited.sent() / seconds(time))
					.and("of the holder alone", held.sent() / seconds(time))
					.and("in scripts/s", awaited.inScripts() / seconds(time))
					.and("client CPU ms/s", cpuNanos / 1e6 / seconds(time))
					.and("ms until all are served", served / 1e6);
			}
		}

		private long serve(WorkerProcess holder, WorkerProcess waiter) {
			if (waiter.served() > 0) {
				throw new IllegalStateException("Held twice at once");
			}
			long start = System.nanoTime();
			holder.drop();
			waiter.awaitAllServed();
			return System.nanoTime() - start;
		}

		private Commands commands(Duration time) throws InterruptedException {
			try (CommandCount count = this.store.countCommands()) {
				Thread.sleep(time.toMillis());
				return new Commands(count.soFar(), count.inScripts());
			}
		}

		private static double seconds(Duration time) {
			return time.toNanos() / 1e9;
		}

		@Override
		public void close() {
		}

	}

	/**
	 * How many commands there were.
	 */
	private record Commands(long sent, long inScripts) {

	}

}
