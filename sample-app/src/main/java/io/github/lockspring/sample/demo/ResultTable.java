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

import java.util.List;
import java.util.Locale;

import io.github.lockspring.sample.load.Latencies;
import io.github.lockspring.sample.load.LoadResult;
import io.github.lockspring.sample.load.Machine;

/**
 * The rounds as a formatted table.
 */
final class ResultTable {

	private static final String HEADER = "%-18s %8s %7s %9s %6s %6s %8s %8s %8s %8s %8s %8s %8s %8s  %s";

	private static final String ROW = "%-18s %8d %7d %9d %6d %6d %8.0f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f  %s";

	private static final String CAPTION = """
			sold       orders with a sale on record; each order buys one piece, however often it is sent
			remaining  the stock at the end
			lost       lost updates: sales that the stock did not notice, sold - (stock at the start - remaining)
			errors     orders that ended without an answer
			mean..max  milliseconds from the first sending of an order to its answer
			exact      no errors, no lost updates, and as many sold as there were orders and stock for
			oversells  the stock shows pieces that are sold already: the shop would sell them again
			""";

	private ResultTable() {
	}

	static String format(List<Round> rounds) {
		StringBuilder table = new StringBuilder();
		String header = String.format(HEADER, "strategy", "requests", "sold", "remaining", "lost", "errors", "req/s",
				"mean", "p50", "p90", "p95", "p99", "min", "max", "verdict");
		table.append(header).append('\n').append("-".repeat(header.length())).append('\n');
		rounds.forEach((round) -> table.append(row(round)).append('\n'));
		return table.append('\n').append(CAPTION).append(Machine.current().describe()).append('\n').toString();
	}

	private static String row(Round round) {
		LoadResult load = round.load();
		Latencies latencies = load.latencies();
		double perSecond = round.requests() * 1e9 / load.elapsed().toNanos();
		return String.format(Locale.ROOT, ROW, round.strategy().label(), round.requests(), round.after().sold(),
				round.after().remaining(), round.lostUpdates(), load.errors().size(), perSecond, latencies.mean(),
				latencies.percentile(50), latencies.percentile(90), latencies.percentile(95), latencies.percentile(99),
				latencies.min(), latencies.max(), verdict(round));
	}

	private static String verdict(Round round) {
		if (round.isExact()) {
			return "exact";
		}
		return (round.lostUpdates() > 0) ? "oversells" : "not exact";
	}

}
