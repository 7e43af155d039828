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

package io.github.lockspring.sample.page;

import org.junit.jupiter.api.Test;

import io.github.lockspring.sample.load.StockClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Meter}.
 */
class MeterTests {

	private final Meter meter = new Meter(7, 10);

	@Test
	void readingHasWhatWasDoneSinceTheOneBefore() {
		this.meter.add(2_000_000);
		Meter.Progress first = this.meter.read(new StockClient.Stock(9, 1));
		assertThat(first).isNotNull();
		assertThat(first.done()).isOne();
		assertThat(first.stock()).isEqualTo(9);
		assertThat(first.p50()).isEqualTo(2);
		Meter.Progress second = this.meter.read(null);
		assertThat(second).isNotNull();
		assertThat(second.perSecond()).isZero();
		assertThat(second.p50()).isNull();
		assertThat(second.elapsed()).isGreaterThan(first.elapsed());
	}

	@Test
	void lastReadingDoesNotFallToZeroIfNothingWasDoneSinceTheOneBefore() {
		this.meter.add(2_000_000);
		this.meter.read(null);
		Meter.Progress last = this.meter.readLast(null);
		assertThat(last.perSecond()).isPositive();
		assertThat(last.p50()).isEqualTo(2);
	}

	@Test
	void lastReadingOfAShortRunCountsEachRequestOnce() {
		this.meter.add(1_000_000);
		this.meter.add(3_000_000);
		Meter.Progress last = this.meter.readLast(null);
		assertThat(last.perSecond() * last.elapsed() / 1000).isBetween(1.99, 2.01);
	}

	@Test
	void nothingIsReadAfterTheLastReading() {
		this.meter.readLast(null);
		assertThat(this.meter.read(null)).isNull();
	}

}
