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

package io.github.lockspring.sample.reminder;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link SpedUpHour}.
 */
class SpedUpHourTests {

	private final SpedUpHour hour = new SpedUpHour(Duration.ofSeconds(2));

	@Test
	void beginsOnTheClock() {
		assertThat(this.hour.cron()).isEqualTo("*/2 * * * * *");
	}

	@ParameterizedTest
	@ValueSource(longs = { 19_999, 20_000, 20_001, 20_900 })
	void jobThatIsALittleEarlyOrLateBelongsToItsHour(long millis) {
		assertThat(this.hour.numberAt(Instant.ofEpochMilli(millis))).isEqualTo(10);
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 500, 1500, 7000 })
	void hourThatDoesNotFitOnTheClockIsRefused(long millis) {
		assertThatIllegalArgumentException().isThrownBy(() -> new SpedUpHour(Duration.ofMillis(millis)))
			.withMessageStartingWith("sample.hour must be a number of seconds that divides a minute");
	}

}
