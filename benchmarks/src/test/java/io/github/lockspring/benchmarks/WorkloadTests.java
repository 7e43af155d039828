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

package io.github.lockspring.benchmarks;

import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.Store;
import io.github.lockspring.benchmarks.store.Stores;
import io.github.lockspring.benchmarks.workload.Workload;
import io.github.lockspring.benchmarks.workload.Workload.Session;
import io.github.lockspring.benchmarks.workload.Workloads;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keeps the workloads alive, those between processes with few of them.
 */
class WorkloadTests {

	private static final Duration TIME = Duration.ofMillis(50);

	@ParameterizedTest
	@MethodSource
	void everyEntrantRuns(String storeName, String workloadName) throws InterruptedException {
		try (Store store = Stores.start(storeName)) {
			Workload workload = Workloads.named(workloadName);
			for (Entrant entrant : store.entrants()) {
				if (workload.admits(store, entrant)) {
					assertThat(run(workload, store, entrant)).isNotNaN();
				}
			}
		}
	}

	static Stream<Arguments> everyEntrantRuns() {
		Stream<Arguments> inThisProcess = Stream.of("memory", "h2", "redis", "zookeeper", "postgresql", "mariadb")
			.flatMap((store) -> Stream.of("uncontended", "own-keys", "one-key", "reentry")
				.map((workload) -> Arguments.of(store, workload)));
		Stream<Arguments> betweenProcesses = Stream.of("h2-server", "redis", "zookeeper", "postgresql", "mariadb")
			.flatMap((store) -> Stream.of("hand-off", "standstill").map((workload) -> Arguments.of(store, workload)));
		Stream<Arguments> distant = Stream.of("zookeeper-distant", "postgresql-distant", "mariadb-distant")
			.map((store) -> Arguments.of(store, "trips"));
		Stream<Arguments> withoutNotifications = Stream.of("h2-server", "postgresql-notify-off", "mariadb")
			.map((store) -> Arguments.of(store, "fairness"));
		Stream<Arguments> applications = Stream.of("h2", "redis", "zookeeper", "postgresql", "mariadb")
			.flatMap((store) -> Stream.of("start-up", "threads-at-rest")
				.map((workload) -> Arguments.of(store, workload)));
		return Stream.of(inThisProcess, betweenProcesses, distant, withoutNotifications, applications)
			.flatMap(Function.identity());
	}

	private static double run(Workload workload, Store store, Entrant entrant) throws InterruptedException {
		try (Session session = workload.open(store, entrant)) {
			Figures figures = session.run(TIME);
			return figures.get(figures.mainName());
		}
	}

}
