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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.core.env.SimpleCommandLinePropertySource;

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.report.Machine;
import io.github.lockspring.benchmarks.report.Table;
import io.github.lockspring.benchmarks.store.Store;
import io.github.lockspring.benchmarks.store.Stores;
import io.github.lockspring.benchmarks.workload.Workload;
import io.github.lockspring.benchmarks.workload.Workload.Session;

/**
 * Runs contestants side by side on one store.
 * <ol>
 * <li>For each workload all contestants are brought up, and stay up, unless the workload
 * says otherwise.</li>
 * <li>They take turns to get warm; these runs are not counted.</li>
 * <li>Then they take turns: all of them once, all of them again, and so on. A temporary
 * load of the machine affects them all.</li>
 * <li>The table has medians, and ratios to the floor.</li>
 * </ol>
 */
public final class SideBySide {

	private final SideBySideOptions options;

	private SideBySide(SideBySideOptions options) {
		this.options = options;
	}

	public static void main(String[] args) throws InterruptedException {
		new SideBySide(new SideBySideOptions(new SimpleCommandLinePropertySource(args))).run();
		System.exit(0);
	}

	private void run() throws InterruptedException {
		System.out.println(Machine.describe());
		for (Workload workload : this.options.workloads()) {
			try (Store store = Stores.start(this.options.store())) {
				run(store, workload);
			}
		}
	}

	private void run(Store store, Workload workload) throws InterruptedException {
		Map<String, Session> sessions = new LinkedHashMap<>();
		try {
			for (Entrant entrant : this.options.contestants(store, workload)) {
				sessions.put(entrant.name(), workload.open(store, entrant));
			}
			if (!sessions.isEmpty()) {
				report(store, workload, takeTurns(workload, sessions));
			}
		}
		finally {
			sessions.values().forEach(Session::close);
		}
	}

	private Map<String, List<Figures>> takeTurns(Workload workload, Map<String, Session> sessions)
			throws InterruptedException {
		for (int i = 0; i < this.options.warmUps(); i++) {
			for (Session session : sessions.values()) {
				session.run(this.options.warmUp());
			}
		}
		Map<String, List<Figures>> figures = new LinkedHashMap<>();
		for (int i = 0; i < this.options.repetitions(); i++) {
			for (Map.Entry<String, Session> entry : sessions.entrySet()) {
				Figures run = run(entry.getValue(), this.options.time());
				System.err.println(workload.name() + ' ' + entry.getKey() + ' ' + run);
				figures.computeIfAbsent(entry.getKey(), (name) -> new ArrayList<>()).add(run);
			}
		}
		return figures;
	}

	/**
	 * Leaves behind what others left for the garbage collector.
	 */
	private static Figures run(Session session, Duration time) throws InterruptedException {
		System.gc();
		return session.run(time);
	}

	private void report(Store store, Workload workload, Map<String, List<Figures>> figures) {
		System.out.printf("%n### `%s` on `%s`: %s%n%nMedians of %d runs of %s ms.%n%n%s%n", workload.name(),
				store.name(), workload.description(), this.options.repetitions(), this.options.time().toMillis(),
				new Table(figures));
	}

}
