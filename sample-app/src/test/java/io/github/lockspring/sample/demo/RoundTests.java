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

package io.github.lockspring.sample.demo;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.sample.load.Latencies;
import io.github.lockspring.sample.load.LoadResult;
import io.github.lockspring.sample.load.StockClient;
import io.github.lockspring.sample.stock.Strategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Round} and the {@link ResultTable}.
 */
class RoundTests {

	@Test
	void whenEverySaleLeftTheStockThenExact() {
		Round round = round(Strategy.GUARDED_UPDATE, 100, 100, 0);
		assertThat(round.lostUpdates()).isZero();
		assertThat(round.isExact()).isTrue();
	}

	@Test
	void salesThatTheStockDidNotNoticeAreLostUpdates() {
		Round round = round(Strategy.NO_LOCK, 100, 100, 60);
		assertThat(round.lostUpdates()).isEqualTo(60);
		assertThat(round.isExact()).isFalse();
		assertThat(round.isAsExpected()).isTrue();
	}

	@Test
	void whenFewerSoldThanOrderedAndInStockThenNotExact() {
		Round round = round(Strategy.GUARDED_UPDATE, 99, 99, 1);
		assertThat(round.lostUpdates()).isZero();
		assertThat(round.isAsExpected()).isFalse();
	}

	@Test
	void whenCustomersWereToldOtherwiseThenNotExact() {
		assertThat(round(Strategy.GUARDED_UPDATE, 100, 99, 0).isExact()).isFalse();
	}

	@Test
	void whenOrderHadNoAnswerThenNotExact() {
		LoadResult load = new LoadResult(100, 0, List.of("away"), Duration.ofSeconds(1),
				new Latencies(new long[] { 1 }));
		Round round = new Round(Strategy.GUARDED_UPDATE, 100, 100, new StockClient.Stock(0, 100), load);
		assertThat(round.isExact()).isFalse();
	}

	@Test
	void tableHasARowForEachRound() {
		List<Round> rounds = List.of(round(Strategy.NO_LOCK, 100, 100, 60),
				round(Strategy.SELECT_FOR_UPDATE, 100, 100, 0), round(Strategy.OPTIMISTIC_VERSION, 99, 99, 1));
		List<String> lines = ResultTable.format(rounds).lines().toList();
		assertThat(lines.get(0).split(" +")).containsExactly("strategy", "requests", "sold", "remaining", "lost",
				"errors", "req/s", "mean", "p50", "p90", "p95", "p99", "min", "max", "verdict");
		assertThat(lines.get(lines.size() - 1)).matches("Measured on \\d+ processors, .*; \\S.*, JDK \\d.*");
		assertThat(lines.get(2)).matches("no lock +100 +100 +60 +60 +0 +50 +1.0 .* oversells");
		assertThat(lines.get(3)).matches("SELECT FOR UPDATE +100 +100 +0 +0 +0 +50 +1.0 .* exact");
		assertThat(lines.get(4)).matches("optimistic version +100 +99 +1 +0 +0 +50 +1.0 .* not exact");
		assertThat(lines).allSatisfy((line) -> assertThat(line).hasSizeLessThan(150));
	}

	private Round round(Strategy strategy, int recorded, int told, int remaining) {
		LoadResult load = new LoadResult(told, 0, List.of(), Duration.ofSeconds(2),
				new Latencies(new long[] { 1_000_000 }));
		return new Round(strategy, 100, 100, new StockClient.Stock(remaining, recorded), load);
	}

}
