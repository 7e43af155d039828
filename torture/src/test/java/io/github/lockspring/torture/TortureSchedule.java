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

package io.github.lockspring.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

import io.github.lockspring.torture.TortureFault.Lane;

/**
 * Faults and when they happen. The same seed gives the same faults.
 *
 * @param steps the faults in the order of their times
 */
record TortureSchedule(List<Step> steps) {

	/**
	 * Mean milliseconds between two faults of a lane.
	 */
	private static final Map<Lane, Integer> EVERY = Map.of(Lane.WORKERS, 3000, Lane.NETWORK, 2000, Lane.STORE, 7000);

	/**
	 * Faults of which one makes a promise about tokens void that holds under another.
	 */
	private static final List<TortureFault> APART = List.of(TortureFault.STORE_CLOCK_BACK, TortureFault.STORE_EMPTIED,
			TortureFault.STORE_FAILED_OVER);

	TortureSchedule {
		steps = steps.stream().sorted(Comparator.comparingLong(Step::millis)).toList();
	}

	/**
	 * Draw faults.
	 * @param seed the seed
	 * @param settings the settings
	 * @param possible the kinds of faults that are possible
	 */
	static TortureSchedule random(long seed, TortureSettings settings, Set<TortureFault> possible) {
		SplittableRandom random = new SplittableRandom(seed);
		List<TortureFault> apart = new ArrayList<>(APART);
		apart.retainAll(possible);
		if (!apart.isEmpty()) {
			apart.remove((int) Math.floorMod(seed, (long) apart.size()));
		}
		List<Step> steps = new ArrayList<>();
		for (Lane lane : Lane.values()) {
			List<TortureFault> kinds = possible.stream()
				.filter((fault) -> fault.lane() == lane && !apart.contains(fault))
				.sorted()
				.toList();
			steps.addAll(random(random.split(), settings, kinds));
		}
		return new TortureSchedule(steps);
	}

	/**
	 * Draw faults of a lane: each kind once, in a random order, and then any of them.
	 */
	private static List<Step> random(SplittableRandom random, TortureSettings settings, List<TortureFault> kinds) {
		List<Step> steps = new ArrayList<>();
		List<TortureFault> pending = new ArrayList<>(kinds);
		long end = settings.duration().toMillis();
		long time = 0;
		while (!pending.isEmpty()) {
			long share = (end - time) / pending.size() - settings.lease().toMillis();
			TortureFault fault = pending.remove(random.nextInt(pending.size()));
			time += random.nextLong(Math.max(1, Math.min(share, 2 * EVERY.get(fault.lane()))));
			long duration = settings.lease().toMillis() / 2 + random.nextLong(settings.lease().toMillis());
			steps.add(new Step(time, fault, random.nextInt(settings.workers() + 1), duration));
			time += duration;
		}
		while (!kinds.isEmpty()) {
			TortureFault fault = kinds.get(random.nextInt(kinds.size()));
			time += random.nextInt(2 * EVERY.get(fault.lane()));
			long duration = duration(random, settings.lease());
			if (time + duration > end) {
				break;
			}
			steps.add(new Step(time, fault, random.nextInt(settings.workers() + 1), duration));
			time += duration;
		}
		return steps;
	}

	/**
	 * Faults are shorter than half a lease, or up to three leases long.
	 */
	private static long duration(SplittableRandom random, Duration lease) {
		return 1 + random.nextLong((random.nextInt(3) == 0) ? 3 * lease.toMillis() : lease.toMillis() / 2);
	}

	/**
	 * Return the steps of a lane, which follow each other.
	 */
	List<Step> steps(Lane lane) {
		return this.steps.stream().filter((step) -> step.fault().lane() == lane).toList();
	}

	@Override
	public String toString() {
		return this.steps.stream().map((step) -> step + "\n").collect(Collectors.joining());
	}

	/**
	 * A fault and when it happens.
	 *
	 * @param millis milliseconds after the start, or later if the one before has not
	 * ended yet
	 * @param fault the fault
	 * @param worker the index of the worker it happens to; all if there is no such worker
	 * @param duration milliseconds until it ends, unless that takes longer
	 */
	record Step(long millis, TortureFault fault, int worker, long duration) {

		Step longer(long millis) {
			return new Step(this.millis, this.fault, this.worker, this.duration + millis);
		}

		@Override
		public String toString() {
			return this.millis + " " + this.fault + " worker " + this.worker + " for " + this.duration + " ms";
		}

	}

}
