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

package io.github.lockspring.torture;

import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Faults that can happen to any server.
 */
final class ServerFaults {

	/**
	 * Greatest difference of the wall clock of a store, in seconds: tokens grow unless it
	 * is set back by more than ten.
	 */
	private static final long GREATEST_SKEW = 4;

	private final ClockShim clocks;

	private final String clock;

	private long skew;

	/**
	 * Create the faults of one store.
	 * @param clocks the clocks
	 * @param clock the name of the clock of its servers
	 */
	ServerFaults(ClockShim clocks, String clock) {
		this.clocks = clocks;
		this.clock = clock;
	}

	/**
	 * Let a fault last.
	 */
	static void lasts(FaultKind kind, Step step, FaultLog log, Runnable begin, Runnable end)
			throws InterruptedException {
		long fault = log.begin(kind, FaultLog.ALL);
		try {
			begin.run();
			Thread.sleep(step.duration());
		}
		finally {
			end.run();
			log.end(fault);
		}
	}

	/**
	 * Let the wall clock jump back, which is for leases as if it stood still.
	 */
	void jumpBack(Step step, FaultLog log) throws InterruptedException {
		long seconds = Math.min(1 + step.duration() / 1000, this.skew + GREATEST_SKEW);
		if (seconds > 0) {
			long fault = log.begin(FaultKind.CLOCK_STOOD, FaultLog.ALL);
			this.skew -= seconds;
			this.clocks.set(this.clock, this.skew);
			Thread.sleep(1000 * seconds);
			log.end(fault);
		}
	}

	/**
	 * Let the wall clock jump forward, so that leases end early.
	 */
	void jumpForward(Step step, FaultLog log) {
		long seconds = Math.min(1 + step.duration() / 1000, GREATEST_SKEW - this.skew);
		if (seconds > 0) {
			log.begin(FaultKind.CLOCK_JUMPED_FORWARD, FaultLog.ALL);
			this.skew += seconds;
			this.clocks.set(this.clock, this.skew);
		}
	}

}
