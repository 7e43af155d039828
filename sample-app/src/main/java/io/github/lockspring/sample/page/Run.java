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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.sample.timeline.Timeline;

/**
 * A run, as the page shows it.
 *
 * @param id the number of the run
 * @param scenario the id of the scenario
 * @param strategy the id of the strategy
 * @param threads the number of customers, if the scenario has any
 * @param requests the number of requests of each
 * @param instances the number of instances
 * @param total the number of steps; of the shop also the pieces in stock at the start
 * @param startedAt when it was started, in milliseconds since 1970
 * @param state {@code running}, {@code finished}, {@code cancelled}, {@code overdue} or
 * {@code failed}
 * @param failure why it failed
 * @param result the result of a run that is finished
 */
record Run(int id, String scenario, String strategy, int threads, int requests, int instances, long total,
		double startedAt, String state, @Nullable String failure, @Nullable RunResult result) {

	static Run start(int id, RunRequest request, Scenario scenario) {
		return new Run(id, scenario.id(), request.strategy(), (int) request.threads(), (int) request.requests(),
				(int) request.instances(), scenario.steps(request), Timeline.now(), "running", null, null);
	}

	Run finished(RunResult result) {
		return ended("finished", null, result);
	}

	Run cancelled() {
		return ended("cancelled", null, null);
	}

	/**
	 * Return this run, stopped because it took too long.
	 */
	Run overdue() {
		return ended("overdue", null, null);
	}

	Run failed(String failure) {
		return ended("failed", failure, null);
	}

	private Run ended(String state, @Nullable String failure, @Nullable RunResult result) {
		return new Run(this.id, this.scenario, this.strategy, this.threads, this.requests, this.instances, this.total,
				this.startedAt, state, failure, result);
	}

}
