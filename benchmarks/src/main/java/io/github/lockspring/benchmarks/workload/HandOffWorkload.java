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
import io.github.lockspring.benchmarks.store.CommandCount;
import io.github.lockspring.benchmarks.store.Store;

/**
 * Two processes pass a key to and fro. One waits while the other holds for a random time
 * between 20 and 70 ms; what counts is the time from just before the release in the one
 * until the acquisition in the other.
 * <p>
 * Then, while the store counts: what one sends that waits for long, and what a hand-off
 * takes, of both.
 */
final class HandOffWorkload implements Workload {

	private static final String KEY = "hand-off";

	private static final int MIN_HOLD_MILLIS = 20;

	private static final int MAX_HOLD_MILLIS = 70;

	private static final int COUNTED_HAND_OFFS = 20;

	private static final Duration MAX_COUNTED_WAIT = Duration.ofSeconds(5);

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
		return new HandOffSession(store, new WorkerProcess(store, entrant), new WorkerProcess(store, entrant));
	}

	private static final class HandOffSession implements Session {

		private final Store store;

		private WorkerProcess holder;

		private WorkerProcess waiter;

		private HandOffSession(Store store, WorkerProcess holder, WorkerProcess waiter) {
			this.store = store;
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
			double perSecond = commandsPerSecondOfWaiting(time);
			double perHandOff = commandsPerHandOff(time);
			this.holder.release();
			return new Figures().and("p50 ms", times.quantile(0.5) / 1e6)
				.and("p99 ms", times.quantile(0.99) / 1e6)
				.and("max ms", times.quantile(1) / 1e6)
				.and("hand-offs", times.count())
				.and("commands/s of one that waits", perSecond)
				.and("commands/hand-off", perHandOff);
		}

		private long handOff() throws InterruptedException {
			this.waiter.startAcquire(KEY);
			Thread.sleep(ThreadLocalRandom.current().nextInt(MIN_HOLD_MILLIS, MAX_HOLD_MILLIS + 1));
			long released = this.holder.release();
			long nanos = this.waiter.acquiredAt() - released;
			if (nanos < 0) {
				throw new IllegalStateException("Held twice at once");
			}
			swap();
			return nanos;
		}

		private void swap() {
			WorkerProcess successor = this.waiter;
			this.waiter = this.holder;
			this.holder = successor;
		}

		/**
		 * The attempt that begins the waiting is among them.
		 */
		private double commandsPerSecondOfWaiting(Duration atMost) throws InterruptedException {
			Duration time = (atMost.compareTo(MAX_COUNTED_WAIT) < 0) ? atMost : MAX_COUNTED_WAIT;
			double perSecond;
			try (CommandCount count = this.store.countCommands()) {
				long start = System.nanoTime();
				this.waiter.startAcquire(KEY);
				Thread.sleep(time.toMillis());
				perSecond = count.soFar() * 1e9 / (System.nanoTime() - start);
			}
			this.holder.release();
			this.waiter.acquiredAt();
			swap();
			return perSecond;
		}

		private double commandsPerHandOff(Duration atMost) throws InterruptedException {
			long end = System.nanoTime() + atMost.toNanos();
			try (CommandCount count = this.store.countCommands()) {
				int handOffs = 0;
				do {
					handOff();
					handOffs++;
				}
				while (handOffs < COUNTED_HAND_OFFS && System.nanoTime() - end < 0);
				return (double) count.soFar() / handOffs;
			}
		}

		@Override
		public void close() {
			this.holder.close();
			this.waiter.close();
		}

	}

}
