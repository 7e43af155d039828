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
import java.util.concurrent.ThreadLocalRandom;

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.process.WorkerProcess;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.report.Histogram;
import io.github.lockspring.benchmarks.store.Store;

/**
 * Two processes pass a key to and fro. One waits while the other holds for a random time
 * between 20 and 70 ms; what counts is the time from just before the release in the one
 * until the acquisition in the other.
 */
final class HandOffWorkload implements Workload {

	private static final String KEY = "hand-off";

	private static final int MIN_HOLD_MILLIS = 20;

	private static final int MAX_HOLD_MILLIS = 70;

	@Override
	public String name() {
		return KEY;
	}

	@Override
	public String description() {
		return "from the release in one process to the acquisition in another that waits";
	}

	@Override
	public boolean admits(Store store, Entrant entrant) {
		return store.address() != null && entrant.has(Trait.DISTRIBUTED) && entrant.has(Trait.WAITING);
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new HandOffSession(new WorkerProcess(store, entrant), new WorkerProcess(store, entrant));
	}

	private static final class HandOffSession implements Session {

		private WorkerProcess holder;

		private WorkerProcess waiter;

		private HandOffSession(WorkerProcess holder, WorkerProcess waiter) {
			this.holder = holder;
			this.waiter = waiter;
		}

		@Override
		public Figures run(Duration time) throws InterruptedException {
			Histogram times = new Histogram();
			long end = System.nanoTime() + time.toNanos();
			this.holder.startAcquire(KEY);
			this.holder.acquiredAt();
			while (times.count() == 0 || System.nanoTime() - end < 0) {
				times.add(handOff());
			}
			this.holder.release();
			return new Figures().and("p50 ms", times.quantile(0.5) / 1e6)
				.and("p99 ms", times.quantile(0.99) / 1e6)
				.and("max ms", times.quantile(1) / 1e6)
				.and("hand-offs", times.count());
		}

		private long handOff() throws InterruptedException {
			this.waiter.startAcquire(KEY);
			Thread.sleep(ThreadLocalRandom.current().nextInt(MIN_HOLD_MILLIS, MAX_HOLD_MILLIS + 1));
			long released = this.holder.release();
			long nanos = this.waiter.acquiredAt() - released;
			if (nanos < 0) {
				throw new IllegalStateException("Held twice at once");
			}
			WorkerProcess successor = this.waiter;
			this.waiter = this.holder;
			this.holder = successor;
			return nanos;
		}

		@Override
		public void close() {
			this.holder.close();
			this.waiter.close();
		}

	}

}
