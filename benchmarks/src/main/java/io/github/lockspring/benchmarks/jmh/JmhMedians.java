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

package io.github.lockspring.benchmarks.jmh;

import java.util.Collection;
import java.util.function.ToDoubleFunction;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.report.Machine;
import io.github.lockspring.benchmarks.report.Table;

/**
 * Runs JMH with its own options, and prints medians over the forks, of time and of bytes
 * allocated.
 */
public final class JmhMedians {

	private static final String BYTES = "gc.alloc.rate.norm";

	private JmhMedians() {
	}

	public static void main(String[] args) throws CommandLineOptionException, RunnerException {
		Collection<RunResult> results = new Runner(
				new OptionsBuilder().parent(new CommandLineOptions(args)).addProfiler(GCProfiler.class).build())
			.run();
		System.out.printf("%n%s%n%n| benchmark | ns | range | B |%n| --- | ---: | ---: | ---: |%n", Machine.describe());
		results.forEach(JmhMedians::print);
	}

	private static void print(RunResult result) {
		double[] nanos = perFork(result, (fork) -> fork.getPrimaryResult().getScore());
		double[] bytes = perFork(result, (fork) -> bytes(fork.getSecondaryResults().get(BYTES)));
		System.out.printf("| %s | %s | %s–%s | %s |%n",
				result.getParams().getBenchmark().replaceAll(".*\\.(.*\\.)", "$1"), Table.number(Figures.median(nanos)),
				Table.number(nanos[0]), Table.number(nanos[nanos.length - 1]), Table.number(Figures.median(bytes)));
	}

	private static double bytes(@Nullable Result<?> result) {
		return (result != null) ? result.getScore() : Double.NaN;
	}

	private static double[] perFork(RunResult result, ToDoubleFunction<BenchmarkResult> score) {
		return result.getBenchmarkResults().stream().mapToDouble(score).sorted().toArray();
	}

}
