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

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.github.lockspring.simulator.history.Fact.Audited;
import io.github.lockspring.torture.TortureFault.Lane;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Lets the faults of a schedule happen, those of each lane one after the other.
 */
final class FaultLanes {

	private final Map<Lane, Inflictor> inflictors;

	private final FaultLog log;

	private final Duration patience;

	/**
	 * Create lanes.
	 * @param inflictors let the faults of each lane happen
	 * @param log the log
	 * @param patience for how long a fault is tried that has not happened yet
	 */
	FaultLanes(Map<Lane, Inflictor> inflictors, FaultLog log, Duration patience) {
		this.inflictors = inflictors;
		this.log = log;
		this.patience = patience;
	}

	/**
	 * Let faults happen, for the given time, or longer until each kind in the schedule
	 * has happened. It is recorded if one could not.
	 * @param schedule the faults
	 * @param duration for how long at least
	 */
	void inflict(TortureSchedule schedule, Duration duration) throws InterruptedException {
		List<Thread> lanes = Arrays.stream(Lane.values())
			.map((lane) -> new Thread(() -> inflict(lane, schedule, duration.toMillis()), "faults-" + lane))
			.toList();
		lanes.forEach(Thread::start);
		for (Thread lane : lanes) {
			lane.join();
		}
		schedule.steps()
			.stream()
			.map(Step::fault)
			.distinct()
			.filter((fault) -> !this.log.counts().containsKey(fault))
			.forEach((fault) -> this.log.record("controller", new Audited("missing: fault " + fault, 0, 1)));
	}

	private void inflict(Lane lane, TortureSchedule schedule, long duration) {
		long start = System.nanoTime();
		try {
			for (Step step : schedule.steps(lane)) {
				long late = millisSince(start) - step.millis();
				if (late <= duration - step.millis() || !this.log.counts().containsKey(step.fault())) {
					Thread.sleep(Math.max(0, -late));
					inflict(step, this.inflictors.get(lane));
				}
			}
			Thread.sleep(Math.max(0, duration - millisSince(start)));
		}
		catch (Exception ex) {
			ex.printStackTrace();
			this.log.record("controller", new Audited("faults that failed with " + ex, 0, 1));
		}
	}

	/**
	 * A fault may have to wait until there is something to which it can happen, such as a
	 * connection.
	 */
	private void inflict(Step step, Inflictor inflictor) throws InterruptedException {
		long start = System.nanoTime();
		boolean happened = inflictor.inflict(step, this.log);
		while (!happened && !this.log.counts().containsKey(step.fault())
				&& millisSince(start) < this.patience.toMillis()) {
			Thread.sleep(10);
			happened = inflictor.inflict(step, this.log);
		}
		if (happened) {
			this.log.count(step.fault());
		}
	}

	private static long millisSince(long start) {
		return (System.nanoTime() - start) / 1_000_000;
	}

}
