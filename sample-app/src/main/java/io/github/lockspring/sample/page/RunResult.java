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

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.sample.load.Latencies;
import io.github.lockspring.sample.load.LoadResult;

/**
 * The result of a run.
 *
 * @param load how long the customers waited; {@code null} if there were none
 * @param figures what the scenario found
 * @param sections what the critical sections show
 * @param verdict {@code exact}, {@code wrong}, or {@code incomplete} if there were errors
 */
record RunResult(@JsonUnwrapped @Nullable LoadFigures load, @JsonUnwrapped Figures figures,
		@JsonUnwrapped SectionAnalysis sections, String verdict) {

	static RunResult of(@Nullable LoadResult load, Figures figures, SectionAnalysis sections) {
		boolean complete = load == null || load.errors().isEmpty();
		boolean wrong = figures.wrong() || figures.permits() != null && sections.mostAtOnce() > figures.permits();
		String verdict = wrong ? "wrong" : (complete && figures.complete()) ? "exact" : "incomplete";
		return new RunResult((load != null) ? LoadFigures.of(load) : null, figures, sections, verdict);
	}

	/**
	 * The columns of a load test. Times are in milliseconds.
	 *
	 * @param samples the number of requests
	 * @param average the average
	 * @param median the median
	 * @param p90 the time within which 90 % were done
	 * @param p95 the time within which 95 % were done
	 * @param p99 the time within which 99 % were done
	 * @param min the shortest
	 * @param max the longest
	 * @param errorPercent requests without a response, in percent
	 * @param throughput requests per second
	 */
	record LoadFigures(int samples, double average, double median, double p90, double p95, double p99, double min,
			double max, double errorPercent, double throughput) {

		static LoadFigures of(LoadResult load) {
			Latencies latencies = load.latencies();
			int samples = latencies.size();
			return new LoadFigures(samples, latencies.mean(), latencies.percentile(50), latencies.percentile(90),
					latencies.percentile(95), latencies.percentile(99), latencies.min(), latencies.max(),
					100.0 * load.errors().size() / samples, samples * 1e9 / load.elapsed().toNanos());
		}

	}

	/**
	 * What a scenario found; what it does not count is {@code null}.
	 *
	 * @param sold the pieces sold
	 * @param remaining the pieces in stock at the end
	 * @param lostUpdates sales that the stock does not contain
	 * @param messages the messages sent
	 * @param hours the hours in which they were sent
	 * @param permits how many may be inside at once
	 * @param tornReads reads of which one half was older than the other
	 * @param wrong whether the result is one that must not be
	 * @param complete whether everything was done
	 */
	record Figures(@Nullable Integer sold, @Nullable Integer remaining, @Nullable Integer lostUpdates,
			@Nullable Integer messages, @Nullable Integer hours, @Nullable Integer permits, @Nullable Integer tornReads,
			boolean wrong, boolean complete) {

		static Figures ofStock(int sold, int remaining, int lostUpdates, boolean complete) {
			return new Figures(sold, remaining, lostUpdates, null, null, null, null, lostUpdates != 0, complete);
		}

		static Figures ofReminders(int messages, int hours, boolean wrong, boolean complete) {
			return new Figures(null, null, null, messages, hours, null, null, wrong, complete);
		}

		static Figures ofPrinter(int permits) {
			return new Figures(null, null, null, null, null, permits, null, false, true);
		}

		static Figures ofCatalogue(int tornReads) {
			return new Figures(null, null, null, null, null, null, tornReads, tornReads > 0, true);
		}

	}

}
