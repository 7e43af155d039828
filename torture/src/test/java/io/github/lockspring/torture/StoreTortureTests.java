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
import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.lockspring.torture.TortureMain.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tortures each store. The property {@code torture.seconds} sets for how long faults
 * begin in one run, longer if there is not enough time for each kind of them, and
 * {@code torture.seed} the first seed, which is printed. The next ones follow until each
 * kind that is possible has happened: some exclude each other.
 */
class StoreTortureTests {

	private static final Duration DURATION = Duration.ofSeconds(Long.getLong("torture.seconds", 300));

	private static final long SEED = Long.getLong("torture.seed", System.nanoTime() % 1_000_000);

	private static final int MOST_SEEDS = 3;

	@ParameterizedTest
	@EnumSource
	void guaranteesHoldUnderFaults(StoreType type) throws Exception {
		Set<TortureFault> missing = EnumSet.allOf(TortureFault.class);
		for (long seed = SEED; seed < SEED + MOST_SEEDS && !missing.isEmpty(); seed++) {
			Outcome outcome = TortureMain.torture(type, seed, DURATION);
			assertThat(outcome.violations()).as("-Dtorture.seed=%d -Dtorture.seconds=%d", seed, DURATION.toSeconds())
				.isEmpty();
			missing.retainAll(outcome.missing());
		}
		assertThat(missing).isEmpty();
	}

}
