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

package io.github.lockspring.sample.page;

import java.io.IOException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.load.LoadResult;
import io.github.lockspring.sample.load.StockClient;
import io.github.lockspring.sample.stock.Strategy;

/**
 * Something that goes wrong without a lock, and right with one. Each run works on data of
 * its own, named by the number of the run: requests of a run that was cancelled may still
 * be under way in the instances, and must not count in the next one.
 */
interface Scenario {

	/**
	 * What does without a lock, and with one.
	 */
	List<Strategy> WITH_AND_WITHOUT = List.of(Strategy.NO_LOCK, Strategy.DISTRIBUTED_LOCK);

	String id();

	List<Strategy> strategies();

	/**
	 * Return the key of the critical sections of a run.
	 */
	String key(Run run);

	/**
	 * Return how many may be in its critical sections at once.
	 */
	default int permits() {
		return 1;
	}

	/**
	 * Return whether customers send requests.
	 */
	default boolean hasCustomers() {
		return true;
	}

	/**
	 * Return whether there is a stock.
	 */
	default boolean hasStock() {
		return false;
	}

	/**
	 * Return the number of steps of a run: its requests, if it has customers.
	 */
	default long steps(RunRequest request) {
		return request.total();
	}

	/**
	 * Return the pieces in stock and sold, or {@code null} if there is no stock.
	 */
	default StockClient.@Nullable Stock level(Run run, InstanceClient instances)
			throws IOException, InterruptedException {
		return null;
	}

	/**
	 * Run the scenario.
	 * @param instances the instances that take part
	 * @param meter receives what is done
	 * @throws InterruptedException if the run was cancelled
	 */
	Findings run(Run run, InstanceClient instances, Meter meter) throws IOException, InterruptedException;

	/**
	 * Tidy up after a run, however it has ended.
	 */
	default void tidyUp(Run run, InstanceClient instances) throws IOException, InterruptedException {
	}

	/**
	 * What a run has found.
	 *
	 * @param load how long the customers waited; {@code null} if there were none
	 * @param figures what the scenario counts
	 */
	record Findings(@Nullable LoadResult load, RunResult.Figures figures) {

	}

}
