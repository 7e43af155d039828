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

package io.github.lockspring.simulator.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.lockspring.simulator.history.Fact.ProcessChanged;
import io.github.lockspring.simulator.history.PrimitiveFact.BarrierStep;
import io.github.lockspring.simulator.history.PrimitiveFact.BarrierStepped;

/**
 * Nobody passes a barrier early: while a participant waited, all were there at one
 * instant, and none of them had passed. Nobody leaves a double barrier while one that
 * passed with it has not begun to leave, unless that may have lost its lease.
 * Participants whose process ended are no longer there once their last requests must have
 * arrived.
 */
final class BarrierRule implements Rule {

	@Override
	public List<Finding> check(IndexedHistory history) {
		Set<String> withExit = new HashSet<>();
		history.events().forEach((event) -> {
			if (event.fact() instanceof BarrierStepped step && step.step() == BarrierStep.LEAVING) {
				withExit.add(step.barrier());
			}
		});
		Map<String, Barrier> barriers = new HashMap<>();
		List<Finding> findings = new ArrayList<>();
		for (int line = 0; line < history.events().size(); line++) {
			Event event = history.events().get(line);
			if (event.fact() instanceof BarrierStepped step) {
				barriers.computeIfAbsent(step.barrier(), (name) -> new Barrier(history, withExit.contains(name)))
					.step(step, event.process(), line, findings);
			}
			else if (event.fact() instanceof ProcessChanged changed && changed.change().isEnd()) {
				int end = line;
				barriers.values().forEach((barrier) -> barrier.end(event.process(), end));
			}
		}
		return findings;
	}

	/**
	 * Visit of one participant: the lines of its steps.
	 */
	private static final class Visit {

		private final String process;

		private final int arrived;

		private int passed = Integer.MAX_VALUE;

		private int leaving = Integer.MAX_VALUE;

		private int ended = Integer.MAX_VALUE;

		Visit(String process, int arrived) {
			this.process = process;
			this.arrived = arrived;
		}

	}

	/**
	 * State of one barrier at one line.
	 */
	private static final class Barrier {

		private final IndexedHistory history;

		private final boolean withExit;

		private final Map<Long, Visit> there = new LinkedHashMap<>();

		/**
		 * Last line at which all were there.
		 */
		private int complete = -1;

		Barrier(IndexedHistory history, boolean withExit) {
			this.history = history;
			this.withExit = withExit;
		}

		void end(String process, int line) {
			this.there.values()
				.stream()
				.filter((visit) -> visit.process.equals(process))
				.forEach((visit) -> visit.ended = Math.min(visit.ended, line));
		}

		/**
		 * Return whether nothing can arrive any more from a participant whose process
		 * ended.
		 */
		private boolean isGone(Visit visit, int line) {
			if (visit.ended == Integer.MAX_VALUE) {
				return false;
			}
			long from = this.history.time(visit.ended);
			long to = this.history.time(line);
			return to - from > this.history.bounds().callTime()
					+ this.history.disturbances().delayed(visit.process, from, to);
		}

		void step(BarrierStepped step, String process, int line, List<Finding> findings) {
			this.there.values().removeIf((visit) -> isGone(visit, line));
			if (step.step() == BarrierStep.ARRIVED) {
				this.there.put(step.operation(), new Visit(process, line));
			}
			if (this.there.values().stream().filter((visit) -> visit.passed > line).count() >= step.parties()) {
				this.complete = line;
			}
			Visit visit = this.there.get(step.operation());
			if (visit == null) {
				return;
			}
			if (step.step() == BarrierStep.PASSED) {
				pass(step, visit, line, findings);
			}
			else if (step.step() == BarrierStep.LEAVING) {
				visit.leaving = line;
			}
			else if (step.step() != BarrierStep.ARRIVED) {
				this.there.remove(step.operation());
				if (step.step() == BarrierStep.LEFT) {
					leave(step, visit, line, findings);
				}
			}
		}

		private void pass(BarrierStepped step, Visit visit, int line, List<Finding> findings) {
			visit.passed = line;
			if (this.complete < visit.arrived) {
				findings.add(Finding.violation("barrier", "operation %d passes '%s' while not all %d are there"
					.formatted(step.operation(), step.barrier(), step.parties()), visit.arrived, line));
			}
			if (!this.withExit) {
				this.there.remove(step.operation());
			}
		}

		private void leave(BarrierStepped step, Visit visit, int line, List<Finding> findings) {
			this.there.forEach((operation, other) -> {
				boolean together = other.passed > visit.arrived && other.passed < visit.leaving;
				if (together && other.leaving == Integer.MAX_VALUE && other.ended == Integer.MAX_VALUE) {
					findings.add(Finding.of("barrier",
							"operation %d leaves '%s' before operation %d does".formatted(step.operation(),
									step.barrier(), operation),
							mayHaveLostItsLease(other, line), other.passed, visit.leaving, line));
				}
			});
		}

		/**
		 * Return whether the store may have forgotten the lease of a participant in the
		 * last lease time, or its process been disturbed for too long to keep it.
		 */
		private boolean mayHaveLostItsLease(Visit visit, int line) {
			long now = this.history.time(line);
			Disturbances disturbances = this.history.disturbances();
			return disturbances.isExcepted(now, now) || disturbances.disturbed(visit.process,
					now - this.history.bounds().afterFault(), now) >= this.history.bounds().forgiven();
		}

	}

}
