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
import java.util.List;

/**
 * All workloads.
 */
public final class Workloads {

	private static final int MANY_KEYS = 1_000;

	private static final ProcessesWorkload PROCESSES = new ProcessesWorkload("processes", 4, 4);

	private static final List<Workload> ALL = List.of(
			new ThreadsWorkload("uncontended", "one thread, 1,000 keys in turn", 1, MANY_KEYS),
			new ThreadsWorkload("own-keys", "8 threads, each on a key of its own", 8, 8),
			new ThreadsWorkload("one-key", "16 threads on one key, nothing to do while it is held", 16, 1),
			new ReentryWorkload(), new AlternateWorkload(), new TripsWorkload(Duration.ofMillis(5)), PROCESSES,
			new ProcessesWorkload("processes-16", 4, 16), new FairnessWorkload(PROCESSES), new HandOffWorkload(),
			new StandstillWorkload("standstill", 50), new StandstillWorkload("standstill-1000", MANY_KEYS),
			new HeldLeasesWorkload("held", 10_000), new HeldLeasesWorkload("held-2000", 2_000),
			new ApplicationWorkload("start-up",
					"how much longer an application takes to start that uses the store anyway", new StartUp()),
			new ApplicationWorkload("threads-at-rest",
					"threads of an application that has locked, more than of one that has used the store only",
					new ThreadsAtRest()));

	private Workloads() {
	}

	public static List<Workload> all() {
		return ALL;
	}

	/**
	 * Finds a workload.
	 * @param name its name
	 * @return the workload
	 */
	public static Workload named(String name) {
		return ALL.stream()
			.filter((workload) -> workload.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no workload '" + name + "'"));
	}

}
