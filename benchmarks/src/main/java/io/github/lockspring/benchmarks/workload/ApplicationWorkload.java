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
import java.util.Objects;

import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.Store;

/**
 * An application of Spring Boot that uses its store anyway is compared with and without a
 * contestant, each in a process of its own.
 *
 * @param name the name of the workload
 * @param description what is done
 * @param comparison compares the applications
 */
record ApplicationWorkload(String name, String description, Comparison comparison) implements Workload {

	@Override
	public boolean admits(Store store, Entrant entrant) {
		StoreApplication application = store.application();
		return application != null && application.contestants().contains(entrant.name());
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new ComparisonSession(this.comparison, Objects.requireNonNull(store.application()), entrant.name());
	}

	/**
	 * Measures what a contestant adds to an application.
	 */
	@FunctionalInterface
	interface Comparison {

		/**
		 * Measures once.
		 * @param application the application, to be started with and without the
		 * contestant
		 * @param contestant the name of the contestant
		 * @param time for how long, about
		 * @return what was measured
		 */
		Figures run(StoreApplication application, String contestant, Duration time) throws InterruptedException;

	}

	private record ComparisonSession(Comparison comparison, StoreApplication application,
			String contestant) implements Session {

		@Override
		public Figures run(Duration time) throws InterruptedException {
			return this.comparison.run(this.application, this.contestant, time);
		}

		@Override
		public void close() {
		}

	}

}
