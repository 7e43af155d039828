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
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.Store;

/**
 * Something that contestants do in turns.
 */
public interface Workload {

	/**
	 * The name of the workload in options and tables.
	 * @return the name
	 */
	String name();

	/**
	 * What is done, for the heading of the table.
	 * @return a phrase
	 */
	String description();

	/**
	 * Whether an entrant can take part.
	 * @param store the store
	 * @param entrant one of its entrants
	 * @return whether it can
	 */
	boolean admits(Store store, Entrant entrant);

	/**
	 * Brings up a contestant.
	 * @param store the store
	 * @param entrant one of its entrants
	 * @return a session that can be run many times
	 */
	Session open(Store store, Entrant entrant);

	/**
	 * A contestant that is up, with all it needs for the workload.
	 */
	interface Session extends AutoCloseable {

		/**
		 * Does it once.
		 * @param time for how long, about
		 * @return what was measured
		 */
		Figures run(Duration time) throws InterruptedException;

		@Override
		void close();

	}

}
