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

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.Store;

/**
 * How evenly processes share a key where the store does not notify of a release, so that
 * the one that has just released is ahead of those that ask from time to time.
 */
final class FairnessWorkload implements Workload {

	private final Workload processes;

	/**
	 * Creates the workload.
	 * @param processes lets processes compete, and reports it
	 */
	FairnessWorkload(ProcessesWorkload processes) {
		this.processes = processes;
	}

	@Override
	public String name() {
		return "fairness";
	}

	@Override
	public String description() {
		return this.processes.description() + ", where the store does not notify of a release";
	}

	@Override
	public boolean admits(Store store, Entrant entrant) {
		return !store.isNotifying() && entrant.has(Trait.WAITING) && this.processes.admits(store, entrant);
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new FairnessSession(this.processes.open(store, entrant));
	}

	private static final class FairnessSession implements Session {

		private final Session session;

		private FairnessSession(Session session) {
			this.session = session;
		}

		@Override
		public Figures run(Duration time) throws InterruptedException {
			Figures figures = this.session.run(time);
			Figures fairness = new Figures().and(ProcessesWorkload.JAIN, figures.get(ProcessesWorkload.JAIN));
			figures.names()
				.stream()
				.filter((name) -> !name.equals(ProcessesWorkload.JAIN))
				.forEach((name) -> fairness.and(name, figures.get(name)));
			return fairness;
		}

		@Override
		public void close() {
			this.session.close();
		}

	}

}
