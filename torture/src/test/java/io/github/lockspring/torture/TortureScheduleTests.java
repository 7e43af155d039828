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
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.github.lockspring.torture.TortureFault.Lane;
import io.github.lockspring.torture.TortureSchedule.Step;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TortureSchedule}.
 */
class TortureScheduleTests {

	private static final TortureSettings SETTINGS = TortureSettings.of(Duration.ofMinutes(10));

	private static final Set<TortureFault> ALL = EnumSet.allOf(TortureFault.class);

	@Test
	void sameSeedGivesTheSameFaults() {
		assertThat(TortureSchedule.random(1, SETTINGS, ALL)).isEqualTo(TortureSchedule.random(1, SETTINGS, ALL));
		assertThat(TortureSchedule.random(1, SETTINGS, ALL)).isNotEqualTo(TortureSchedule.random(2, SETTINGS, ALL));
	}

	@Test
	void faultsThatArePossibleHappenUnlessTheyExcludeEachOther() {
		TortureSchedule schedule = TortureSchedule.random(1, SETTINGS, ALL);
		assertThat(schedule.steps()).extracting(Step::fault)
			.containsAll(TortureFault.of(Lane.WORKERS, Lane.NETWORK))
			.hasSizeGreaterThan(ALL.size());
		assertThat(
				EnumSet.of(TortureFault.STORE_CLOCK_BACK, TortureFault.STORE_EMPTIED, TortureFault.STORE_FAILED_OVER))
			.filteredOn((fault) -> schedule.steps().stream().noneMatch((step) -> step.fault() == fault))
			.hasSize(2);
	}

	@Test
	void eachKindHappensWithinAMinute() {
		TortureSettings minute = TortureSettings.of(Duration.ofMinutes(1));
		Set<TortureFault> drawn = EnumSet.noneOf(TortureFault.class);
		for (int seed = 1; seed <= 3; seed++) {
			List<Step> steps = TortureSchedule.random(seed, minute, ALL).steps();
			steps.forEach((step) -> drawn.add(step.fault()));
			assertThat(steps).extracting(Step::fault).containsAll(TortureFault.of(Lane.WORKERS, Lane.NETWORK));
			assertThat(steps).allMatch((step) -> step.millis() + step.duration() <= 60_000);
		}
		assertThat(drawn).isEqualTo(ALL);
	}

	@Test
	void faultsOfALaneFollowEachOtherAndEndInTime() {
		long end = 0;
		for (Step step : TortureSchedule.random(1, SETTINGS, ALL).steps(Lane.NETWORK)) {
			assertThat(step.millis()).isGreaterThanOrEqualTo(end);
			end = step.millis() + step.duration();
		}
		assertThat(end).isPositive().isLessThanOrEqualTo(SETTINGS.duration().toMillis());
	}

}
