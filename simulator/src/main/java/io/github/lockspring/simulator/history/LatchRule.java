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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchAction;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchBegun;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchEnded;

/**
 * Nobody passes a latch early: while one waits, the latch was not set yet, or for one of
 * its settings so many counted down that it was open. Nobody's time is over at a latch
 * that is known to be open. A fault that makes a store forget values opens and closes
 * latches.
 */
final class LatchRule implements Rule {

	@Override
	public List<Finding> check(IndexedHistory history) {
		Map<Long, Call> calls = new LinkedHashMap<>();
		for (int line = 0; line < history.events().size(); line++) {
			Event event = history.events().get(line);
			if (event.fact() instanceof LatchBegun begun) {
				calls.put(begun.operation(), new Call(begun, event.process(), line));
			}
			else if (event.fact() instanceof LatchEnded ended && calls.containsKey(ended.operation())) {
				calls.get(ended.operation()).end(ended.outcome(), line);
			}
		}
		Map<String, Latch> latches = new HashMap<>();
		calls.values().forEach((call) -> latches.computeIfAbsent(call.begun.latch(), Latch::new).add(call));
		List<Finding> findings = new ArrayList<>();
		latches.values().forEach((latch) -> latch.check(history, findings));
		return findings;
	}

	/**
	 * One call of a latch.
	 */
	private static final class Call {

		private final LatchBegun begun;

		private final String process;

		private final int from;

		private int to = Integer.MAX_VALUE;

		private Outcome outcome = Outcome.UNKNOWN;

		Call(LatchBegun begun, String process, int from) {
			this.begun = begun;
			this.process = process;
			this.from = from;
		}

		void end(Outcome outcome, int line) {
			this.outcome = outcome;
			this.to = (outcome == Outcome.UNKNOWN) ? Integer.MAX_VALUE : line;
		}

	}

	/**
	 * All calls of one latch.
	 */
	private static final class Latch {

		private final String name;

		private final List<Call> resets = new ArrayList<>();

		private final List<Call> countDowns = new ArrayList<>();

		private final List<Call> waits = new ArrayList<>();

		Latch(String name) {
			this.name = name;
		}

		void add(Call call) {
			if (call.begun.action() == LatchAction.AWAIT) {
				this.waits.add(call);
			}
			else if (call.outcome != Outcome.FAILED) {
				((call.begun.action() == LatchAction.RESET) ? this.resets : this.countDowns).add(call);
			}
		}

		void check(IndexedHistory history, List<Finding> findings) {
			for (Call wait : this.waits) {
				if (wait.outcome == Outcome.DONE && !mayPass(wait)) {
					int reset = lastReset(wait);
					boolean excepted = history.disturbances().forgotValues(history.time(reset), history.time(wait.to));
					findings.add(Finding.of("latch",
							"operation %d passes '%s' early".formatted(wait.begun.operation(), this.name), excepted,
							reset, wait.from, wait.to));
				}
				else if (wait.outcome == Outcome.TIMED_OUT) {
					checkTimedOut(wait, history, findings);
				}
			}
		}

		private boolean mayPass(Call wait) {
			boolean mayBeUnset = this.resets.stream().noneMatch((reset) -> reset.to < wait.from);
			return mayBeUnset || this.resets.stream().anyMatch((reset) -> mayHaveOpened(reset, wait));
		}

		/**
		 * Return whether the setting may have been that of the latch while one waited,
		 * and so many began to count down.
		 */
		private boolean mayHaveOpened(Call reset, Call wait) {
			boolean replaced = this.resets.stream().anyMatch((next) -> next.from > reset.to && next.to < wait.from);
			return reset.from < wait.to && !replaced
					&& this.countDowns.stream()
						.filter((call) -> call.from < wait.to && call.to > reset.from)
						.count() >= reset.begun.count();
		}

		private int lastReset(Call wait) {
			return this.resets.stream()
				.filter((reset) -> reset.to < wait.from)
				.mapToInt((reset) -> reset.from)
				.max()
				.orElse(wait.from);
		}

		private void checkTimedOut(Call wait, IndexedHistory history, List<Finding> findings) {
			Call last = null;
			for (Call reset : this.resets) {
				if (reset.to > wait.to) {
					return; // still being set
				}
				last = (reset.to < wait.from) ? reset : null;
			}
			if (last == null) {
				return;
			}
			int set = last.to;
			int[] counted = this.countDowns.stream()
				.filter((call) -> call.from > set && call.to < wait.to && call.outcome == Outcome.DONE)
				.mapToInt((call) -> call.to)
				.sorted()
				.toArray();
			int count = (int) last.begun.count();
			if (count > 0 && counted.length >= count && isLate(history, counted[count - 1], wait)) {
				boolean excepted = history.disturbances().forgotValues(history.time(last.from), history.time(wait.to));
				findings.add(Finding.of(
						"latch", "the time of operation %d is over at '%s', which is open"
							.formatted(wait.begun.operation(), this.name),
						excepted, last.from, counted[count - 1], wait.from, wait.to));
			}
		}

		private static boolean isLate(IndexedHistory history, int opened, Call wait) {
			long from = history.time(opened);
			long to = history.time(wait.to);
			return to - from > history.bounds().callTime()
					&& history.disturbances().disturbed(wait.process, from, to) == 0;
		}

	}

}
