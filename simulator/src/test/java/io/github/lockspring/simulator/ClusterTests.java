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

package io.github.lockspring.simulator;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.cluster.Cluster;
import io.github.lockspring.simulator.cluster.ClusterFault;
import io.github.lockspring.simulator.cluster.ClusterSettings;
import io.github.lockspring.simulator.cluster.SimulatedRows;
import io.github.lockspring.simulator.history.Bounds;
import io.github.lockspring.simulator.history.Finding;
import io.github.lockspring.simulator.history.History;
import io.github.lockspring.simulator.history.HistoryChecker;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of clusters on rows.
 */
class ClusterTests {

	private static final Bounds BOUNDS = new Bounds(Duration.ofSeconds(3), Duration.ofMillis(500),
			Duration.ofSeconds(2), Duration.ofMillis(100));

	@Test
	void sameSeedGivesTheSameHistory() {
		ClusterSettings settings = ClusterSettings.defaults().withFaults(ClusterFault.all()).withOvertakingAtOneOf(20);
		for (long seed = 0; seed < 5; seed++) {
			List<String> first = run(seed, settings).toString().lines().toList();
			List<String> second = run(seed, settings).toString().lines().toList();
			for (int i = 0; i < first.size(); i++) {
				if (!first.get(i).equals(second.get(i))) {
					throw new AssertionError("seed " + seed + " line " + i + "\n" + String.join("\n", first.subList(Math.max(0, i - 5), i + 2)) + "\n\n" + String.join("\n", second.subList(i, i + 2)));
				}
			}
		}
	}

	@Test
	void oneHolderUnderAllFaults() {
		long begin = System.nanoTime();
		int events = 0;
		int seeds = Integer.getInteger("seeds", 30);
		for (long seed = 0; seed < seeds; seed++) {
			ClusterSettings settings = ClusterSettings.defaults().withFaults((seed % 3 == 0) ? ClusterFault.all() : ClusterFault.safe())
				.withOvertakingAtOneOf((seed % 2 == 0) ? 0 : 50);
			long b = System.nanoTime();
			History history = run(seed, settings);
			if (Boolean.getBoolean("times")) System.out.println("seed " + seed + " " + (System.nanoTime() - b) / 1_000_000 + " ms, " + history.events().size() + " events " + history.endTime() / 1000000);
			events += history.events().size();
			List<Finding> violations = new HistoryChecker(BOUNDS).check(history)
				.stream()
				.filter((finding) -> !finding.excepted())
				.toList();
			if (!violations.isEmpty()) {
				System.out.println("seed " + seed + ": " + violations.stream().limit(3).map((one) -> one.describe(history)).collect(Collectors.joining("\n")));
			}
		}
		System.out.println(seeds + " seeds, " + events + " events, " + (System.nanoTime() - begin) / 1_000_000 + " ms");
	}

	private History run(long seed, ClusterSettings settings) {
		try (Cluster cluster = new Cluster(seed, settings, (server) -> new SimulatedRows())) {
			return cluster.run();
		}
	}

}
