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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

import io.github.lockspring.benchmarks.application.ApplicationProcess;
import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.report.Figures;

/**
 * Starts an application without any locks and with a contestant, in turns, each time in a
 * new process. What counts is how much longer the one takes than the other. The first
 * lock is taken afterwards: what is put off until then is not saved.
 */
final class StartUp implements ApplicationWorkload.Comparison {

	@Override
	public Figures run(StoreApplication application, String contestant, Duration time) {
		List<Start> starts = new ArrayList<>();
		long begin = System.nanoTime();
		do {
			starts.add(start(application, contestant));
		}
		while (System.nanoTime() - begin < time.toNanos());
		return new Figures().and("ms added", median(starts, (start) -> start.nanos() - start.plainNanos()))
			.and("ms to start", median(starts, Start::nanos))
			.and("ms without", median(starts, Start::plainNanos))
			.and("CPU ms added", median(starts, (start) -> start.cpuNanos() - start.plainCpuNanos()))
			.and("ms of the first lock", median(starts, Start::firstLockNanos))
			.and("starts", starts.size());
	}

	private static Start start(StoreApplication application, String contestant) {
		long plainNanos;
		long plainCpuNanos;
		try (ApplicationProcess process = application.startPlain()) {
			plainNanos = process.startUpNanos();
			plainCpuNanos = process.cpuNanos();
		}
		try (ApplicationProcess process = application.start(contestant)) {
			return new Start(plainNanos, process.startUpNanos(), plainCpuNanos, process.cpuNanos(), process.lock(1));
		}
	}

	private static double median(List<Start> starts, ToLongFunction<Start> time) {
		return Figures.median(starts.stream().mapToDouble((start) -> time.applyAsLong(start) / 1e6).toArray());
	}

	/**
	 * How long it took to start.
	 */
	private record Start(long plainNanos, long nanos, long plainCpuNanos, long cpuNanos, long firstLockNanos) {

	}

}
