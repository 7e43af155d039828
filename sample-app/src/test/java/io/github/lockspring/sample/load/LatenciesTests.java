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

package io.github.lockspring.sample.load;

import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Latencies}.
 */
class LatenciesTests {

	private final Latencies hundred = new Latencies(
			LongStream.rangeClosed(1, 100).map((millis) -> (101 - millis) * 1_000_000).toArray());

	@Test
	void percentileIsTheTimeWithinWhichThatShareWasDone() {
		assertThat(this.hundred.percentile(50)).isEqualTo(50);
		assertThat(this.hundred.percentile(99)).isEqualTo(99);
		assertThat(this.hundred.percentile(99.5)).isEqualTo(100);
	}

	@Test
	void minAndMaxAreTheEnds() {
		assertThat(this.hundred.min()).isEqualTo(1);
		assertThat(this.hundred.max()).isEqualTo(100);
	}

	@Test
	void meanIsTheAverage() {
		assertThat(this.hundred.mean()).isEqualTo(50.5);
	}

	@Test
	void singleRequestIsEveryPercentile() {
		Latencies single = new Latencies(new long[] { 2_500_000 });
		assertThat(single.percentile(1)).isEqualTo(2.5);
		assertThat(single.percentile(100)).isEqualTo(2.5);
	}

}
