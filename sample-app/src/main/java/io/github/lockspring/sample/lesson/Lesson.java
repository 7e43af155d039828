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

package io.github.lockspring.sample.lesson;

/**
 * Runs the experiments, with stores that it starts when they are needed. Not thread-safe.
 */
public final class Lesson implements AutoCloseable {

	/**
	 * An experiment with a homemade lock that went well by chance is repeated.
	 */
	private static final int TRIES = 3;

	private final Lab lab = new Lab();

	/**
	 * Run an experiment with both locks.
	 */
	public Result run(Experiment experiment) throws Exception {
		return new Result(experiment, homemade(experiment), new Trial(this.lab, experiment, Side.STARTER).run());
	}

	private Outcome homemade(Experiment experiment) throws Exception {
		for (int attempt = 1;; attempt++) {
			Outcome outcome = new Trial(this.lab, experiment, Side.HOMEMADE).run();
			if (outcome.verdict() == experiment.expected() || attempt == TRIES) {
				return outcome;
			}
		}
	}

	/**
	 * Measure what a lock costs without any fault.
	 */
	public Cost measure(Experiment experiment, Side side) throws Exception {
		return Cost.measure(this.lab, experiment, side);
	}

	@Override
	public void close() {
		this.lab.close();
	}

	/**
	 * How an experiment ended.
	 *
	 * @param experiment the experiment
	 * @param homemade how it ended for the homemade lock
	 * @param starter how it ended for the lock of the starter
	 */
	public record Result(Experiment experiment, Outcome homemade, Outcome starter) {

		/**
		 * Return whether the homemade lock failed as described, and the other did not.
		 */
		public boolean isAsExpected() {
			return this.homemade.verdict() == this.experiment.expected() && this.starter.verdict() == Verdict.EXACT;
		}

	}

}
