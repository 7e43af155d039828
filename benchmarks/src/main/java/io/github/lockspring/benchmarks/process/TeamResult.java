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

package io.github.lockspring.benchmarks.process;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.github.lockspring.benchmarks.report.Histogram;

/**
 * What a team achieved.
 *
 * @param nanos how long it ran
 * @param cycles how many times each thread acquired and released
 * @param times how long the cycles took
 */
public record TeamResult(long nanos, List<Long> cycles, Histogram times) {

	public long sum() {
		return this.cycles.stream().mapToLong(Long::longValue).sum();
	}

	/**
	 * Cycles of all threads together.
	 * @return cycles per second
	 */
	public double rate() {
		return sum() * 1e9 / this.nanos;
	}

	@Override
	public String toString() {
		String cycles = this.cycles.stream().map(String::valueOf).collect(Collectors.joining(","));
		return this.nanos + " " + cycles + " " + this.times;
	}

	static TeamResult parse(String text) {
		String[] words = text.split(" ");
		List<Long> cycles = Arrays.stream(words[1].split(",")).map(Long::valueOf).toList();
		return new TeamResult(Long.parseLong(words[0]), cycles, Histogram.parse(words[2]));
	}

}
