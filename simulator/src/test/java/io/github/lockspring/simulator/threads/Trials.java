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

package io.github.lockspring.simulator.threads;

import java.util.ArrayList;
import java.util.List;

import io.github.lockspring.simulator.threads.Trial.Speed;

/**
 * Trials of pairs of operations, of which the seed also chooses the density and the speed
 * of the store.
 */
public final class Trials {

	/**
	 * One of how many accesses to memory lets other threads overtake; negative numbers
	 * stand for threads with priorities.
	 */
	private static final int[] DENSITIES = { 2, 10, 50, -20 };

	private Trials() {
	}

	/**
	 * Run pairs until one of them fails.
	 * @param first the seed of the first run
	 * @param pattern which pairs, as pattern of their names with a comma in between
	 * @param from the number of runs to skip
	 * @param to the maximum number of runs
	 * @return the number of runs, or 0 if none failed
	 */
	public static int runsToFailure(long first, String pattern, int from, int to) {
		List<Operation[]> pairs = pairs().stream()
			.filter((pair) -> (pair[0] + "," + pair[1]).matches(pattern))
			.toList();
		if (pairs.isEmpty()) {
			throw new IllegalArgumentException("No pair is " + pattern);
		}
		for (int runs = from; runs < to; runs++) {
			try {
				run(first + runs / pairs.size(), pairs.get(runs % pairs.size()));
			}
			catch (Throwable ex) {
				if (Boolean.getBoolean("simulator.explain")) {
					ex.printStackTrace(System.out);
				}
				return runs + 1;
			}
		}
		return 0;
	}

	static void run(long seed, Operation... operations) {
		Trial.run(seed, density(seed), speed(seed), operations);
	}

	static int density(long seed) {
		return DENSITIES[Math.floorMod(seed, DENSITIES.length)];
	}

	static Speed speed(long seed) {
		return Speed.values()[(int) Math.floorMod(Math.floorDiv(seed, DENSITIES.length), 3L)];
	}

	static List<Operation[]> pairs() {
		List<Operation[]> pairs = new ArrayList<>();
		for (Operation one : Operation.values()) {
			for (Operation other : Operation.values()) {
				if (one.ordinal() <= other.ordinal() && one.meets(other)) {
					pairs.add(new Operation[] { one, other });
				}
			}
		}
		return pairs;
	}

}
