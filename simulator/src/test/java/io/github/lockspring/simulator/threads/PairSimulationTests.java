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

import java.util.List;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.threads.Operation.Group;
import io.github.lockspring.simulator.threads.Trial.Speed;

/**
 * Tests of every pair of operations, whose threads overtake each other. The properties
 * {@code simulator.seed} and {@code simulator.seeds} set the first seed and the number of
 * seeds. A failure tells the call of {@link #run} that repeats it.
 */
class PairSimulationTests {

	private static final long FIRST = Long.getLong("simulator.seed", 1);

	private static final long SEEDS = Long.getLong("simulator.seeds", 2);

	@Test
	void everyPair() {
		List<Operation[]> pairs = Trials.pairs();
		for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
			for (Operation[] pair : pairs) {
				Trials.run(seed, pair);
			}
		}
	}

	@Test
	void everyPairWithErrorsOfTheStore() {
		for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
			for (Operation[] pair : Trials.pairs()) {
				run(seed, Trials.density(seed), Speed.THROWING, pair);
			}
		}
	}

	@Test
	void someTriples() {
		List<Operation[]> pairs = Trials.pairs();
		SplittableRandom random = new SplittableRandom(FIRST);
		for (long seed = FIRST; seed < FIRST + SEEDS * pairs.size() / 4; seed++) {
			Operation[] pair = pairs.get(random.nextInt(pairs.size()));
			Operation third = Operation.values()[random.nextInt(Operation.values().length)];
			if (third.meets(pair[0]) && third.meets(pair[1]) && !(third.isOfOperator() && third.group() == Group.ANY)) {
				Trials.run(seed, pair[0], pair[1], third);
			}
		}
	}

	@Test
	void otherKeysOfALeaseThatWasReleasedByAnOperatorAreFree() {
		run(5008, 2, Speed.SLOW, Operation.FORCE_RELEASE, Operation.TOGETHER_ASYNC);
	}

	@Test
	void oneThatAsksOnceAwaitsTheAnswerToARecall() {
		run(5279, -20, Speed.FAILING, Operation.TIMED, Operation.TIMED);
	}

	@Test
	void acquisitionBeginsAnewWithAChangedLimitThoughTheStoreFails() {
		run(5003, -20, Speed.FAILING, Operation.SEMAPHORE_ASYNC, Operation.RESIZE);
	}

	@Test
	void oneThatAsksOnceDoesNotWaitForThoseToWhomTheLeaseIsHandedOff() {
		run(5006, 50, Speed.IMMEDIATE, Operation.ACQUIRE, Operation.TIMED);
	}

	@Test
	void operatorReleasesALeaseWhoseGrantIsStillOnItsWay() {
		run(5006, 50, Speed.IMMEDIATE, Operation.TIMED, Operation.FORCE_RELEASE);
	}

	@Test
	void leaseThatEndsBeforeItsGrantArrivesIsLostLater() {
		run(5093, 10, Speed.SLOW, Operation.TIMED, Operation.LOSE);
	}

	private static void run(long seed, int density, Speed speed, Operation... operations) {
		Trial.run(seed, density, speed, operations);
	}

}
