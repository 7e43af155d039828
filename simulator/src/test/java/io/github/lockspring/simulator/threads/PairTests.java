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

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.threads.Trial.Speed;

/**
 * Tests of every pair of operations, whose threads overtake each other.
 */
class PairTests {

	private static final int[] DENSITIES = { 2, 10, 50, -20 };

	@Test
	void everyPair() {
		long first = Long.getLong("simulator.seed", 1);
		long seeds = Long.getLong("simulator.seeds", 2);
		long runs = 0;
		long begin = System.nanoTime();
		for (long seed = first; seed < first + seeds; seed++) {
			for (Operation[] pair : pairs()) {
				Trial.run(seed, DENSITIES[(int) (seed % DENSITIES.length)], speed(seed), pair);
				runs++;
			}
		}
		System.out.println(runs + " runs, " + runs * 1_000_000_000 / (System.nanoTime() - begin) + " per second");
	}

	static Speed speed(long seed) {
		return Speed.values()[(int) (seed / DENSITIES.length % 3)];
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
