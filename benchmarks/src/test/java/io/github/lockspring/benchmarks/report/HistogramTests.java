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

package io.github.lockspring.benchmarks.report;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for {@link Histogram}.
 */
class HistogramTests {

	private final Histogram histogram = new Histogram();

	@Test
	void quantilesAreWithinThreePercent() {
		for (long nanos = 1; nanos <= 1_000_000; nanos++) {
			this.histogram.add(nanos);
		}
		assertThat(this.histogram.quantile(0.5)).isCloseTo(500_000, within(16_000.0));
		assertThat(this.histogram.quantile(0.99)).isCloseTo(990_000, within(31_000.0));
	}

	@Test
	void smallTimesAreExact() {
		this.histogram.add(0);
		this.histogram.add(7);
		this.histogram.add(63);
		assertThat(this.histogram.quantile(0.1)).isEqualTo(0);
		assertThat(this.histogram.quantile(0.5)).isEqualTo(7);
		assertThat(this.histogram.quantile(1)).isEqualTo(63);
	}

	@Test
	void longestTimeHasAPlace() {
		this.histogram.add(Long.MAX_VALUE);
		assertThat(this.histogram.count()).isEqualTo(1);
	}

	@Test
	void textContainsEverything() {
		this.histogram.add(5);
		this.histogram.add(123_456);
		Histogram parsed = Histogram.parse(this.histogram.toString());
		assertThat(parsed.count()).isEqualTo(2);
		assertThat(parsed.quantile(1)).isEqualTo(this.histogram.quantile(1));
	}

}
