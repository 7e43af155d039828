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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.Distance;
import io.github.lockspring.benchmarks.store.Store;

/**
 * One thread acquires and releases a free key, for half of the time with the store as
 * near as it is and then with a store that is farther away. How much longer that takes
 * shows how many trips it waits for, one after the other; what is sent together is one
 * trip. On a busy machine a trip of 5 ms takes longer than that: then the trips that were
 * counted are the better figure, which include those that no thread waits for.
 */
final class TripsWorkload implements Workload {

	private static final String KEY = "trips";

	private final Duration trip;

	TripsWorkload(Duration trip) {
		this.trip = trip;
	}

	@Override
	public String name() {
		return KEY;
	}

	@Override
	public String description() {
		return "trips that one thread waits for, by what %d ms more for each cost".formatted(this.trip.toMillis());
	}

	@Override
	public boolean admits(Store store, Entrant entrant) {
		return store.distance() != null && entrant.has(Trait.DISTRIBUTED);
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new TripsSession(Objects.requireNonNull(store.distance()), entrant.contestant().get());
	}

	private final class TripsSession implements Session {

		private final Distance distance;

		private final Contestant contestant;

		private TripsSession(Distance distance, Contestant contestant) {
			this.distance = distance;
			this.contestant = contestant;
		}

		@Override
		public Figures run(Duration time) throws InterruptedException {
			cycle(); // the first one may find nothing prepared
			List<Times> near = cycles(time.dividedBy(2));
			long before = this.distance.trips();
			List<Times> far = far(time.dividedBy(2));
			double counted = this.distance.trips() - before;
			return new Figures().and("trips/cycle", trips(near, far, Times::cycle))
				.and("to acquire", trips(near, far, Times::acquire))
				.and("to release", trips(near, far, Times::release))
				.and("counted/cycle", counted / far.size())
				.and("p50 ms near", median(near, Times::cycle) / 1e6)
				.and("p50 ms far", median(far, Times::cycle) / 1e6);
		}

		private List<Times> far(Duration time) throws InterruptedException {
			this.distance.set(TripsWorkload.this.trip);
			try {
				return cycles(time);
			}
			finally {
				this.distance.set(Duration.ZERO);
			}
		}

		private List<Times> cycles(Duration time) throws InterruptedException {
			List<Times> times = new ArrayList<>();
			long start = System.nanoTime();
			do {
				times.add(cycle());
			}
			while (System.nanoTime() - start < time.toNanos());
			return times;
		}

		private Times cycle() throws InterruptedException {
			long start = System.nanoTime();
			Contestant.Hold hold = this.contestant.acquire(KEY);
			long acquired = System.nanoTime();
			hold.release();
			return new Times(acquired - start, System.nanoTime() - acquired);
		}

		private double trips(List<Times> near, List<Times> far, ToLongFunction<Times> time) {
			return (median(far, time) - median(near, time)) / TripsWorkload.this.trip.toNanos();
		}

		private static double median(List<Times> cycles, ToLongFunction<Times> time) {
			return Figures.median(cycles.stream().mapToDouble(time::applyAsLong).toArray());
		}

		@Override
		public void close() {
			this.contestant.close();
		}

	}

	/**
	 * How long a cycle took.
	 */
	private record Times(long acquire, long release) {

		long cycle() {
			return this.acquire + this.release;
		}

	}

}
