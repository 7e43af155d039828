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

package io.github.lockspring.benchmarks.workload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.process.TeamResult;
import io.github.lockspring.benchmarks.process.WorkerProcess;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.report.Histogram;
import io.github.lockspring.benchmarks.store.Store;

/**
 * Several processes with several threads each compete for one key. How evenly they share
 * it is measured by Jain's index, 1 at best and 1/n if one of n processes has it all, and
 * by the largest share divided by the smallest.
 */
final class ProcessesWorkload implements Workload {

	static final String JAIN = "Jain by process";

	private static final String KEY = "processes";

	private final String name;

	private final int processes;

	private final int threads;

	ProcessesWorkload(String name, int processes, int threads) {
		this.name = name;
		this.processes = processes;
		this.threads = threads;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String description() {
		return "%d JVMs with %d threads each on one key".formatted(this.processes, this.threads);
	}

	@Override
	public boolean admits(Store store, Entrant entrant) {
		return store.address() != null && entrant.has(Trait.DISTRIBUTED);
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new ProcessesSession(
				IntStream.range(0, this.processes).mapToObj((number) -> new WorkerProcess(store, entrant)).toList(),
				entrant.has(Trait.EXCLUSIVE) ? newFile() : null);
	}

	private static Path newFile() {
		try {
			return Files.createTempFile("occupancy", "");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static double jain(double... shares) {
		double sum = DoubleStream.of(shares).sum();
		double squares = DoubleStream.of(shares).map((share) -> share * share).sum();
		return sum * sum / (shares.length * squares);
	}

	private static double max(double[] values) {
		return DoubleStream.of(values).max().orElseThrow();
	}

	private static double min(double[] values) {
		return DoubleStream.of(values).min().orElseThrow();
	}

	private final class ProcessesSession implements Session {

		private final List<WorkerProcess> workers;

		private final @Nullable Path occupancy;

		private ProcessesSession(List<WorkerProcess> workers, @Nullable Path occupancy) {
			this.workers = workers;
			this.occupancy = occupancy;
		}

		@Override
		public Figures run(Duration time) {
			this.workers
				.forEach((worker) -> worker.startTeam(KEY, ProcessesWorkload.this.threads, time, this.occupancy));
			List<TeamResult> results = this.workers.stream().map(WorkerProcess::teamResult).toList();
			Histogram times = new Histogram();
			results.forEach((result) -> times.addAll(result.times()));
			double[] shares = results.stream().mapToDouble(TeamResult::sum).toArray();
			return new Figures().and("cycles/s", results.stream().mapToDouble(TeamResult::rate).sum())
				.and(JAIN, jain(shares))
				.and("max/min by process", max(shares) / min(shares))
				.and("p50 ms", times.quantile(0.5) / 1e6)
				.and("p99 ms", times.quantile(0.99) / 1e6)
				.and("max ms", times.quantile(1) / 1e6);
		}

		@Override
		public void close() {
			this.workers.forEach(WorkerProcess::close);
			if (this.occupancy != null) {
				this.occupancy.toFile().delete();
			}
		}

	}

}
