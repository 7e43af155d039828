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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.history.Fact.FaultBegun;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterAction;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterBegun;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterEnded;

/**
 * Counters are linearizable: each operation takes effect at one instant between its begin
 * and its end; one of unknown outcome at any instant after its begin, or never. A counter
 * begins with zero, and has any value after a fault that makes a store forget values.
 * <p>
 * The search is that of Wing and Gong ("Testing and Verifying Concurrent Objects", 1993)
 * in the form of Lowe ("Testing for Linearizability", 2017): all states that are possible
 * at one line are known, and an operation takes effect no earlier than an end requires
 * it, so that the history is read once.
 */
final class CounterRule implements Rule {

	/**
	 * Number of possible states at which the search gives up, and goes on with any value.
	 */
	private static final int MOST_STATES = 20_000;

	@Override
	public List<Finding> check(IndexedHistory history) {
		Map<Long, CounterEnded> ends = new HashMap<>();
		history.events().forEach((event) -> {
			if (event.fact() instanceof CounterEnded ended) {
				ends.put(ended.operation(), ended);
			}
		});
		Map<String, Counter> counters = new LinkedHashMap<>();
		Map<Long, Counter> byOperation = new HashMap<>();
		List<Finding> findings = new ArrayList<>();
		for (int line = 0; line < history.events().size(); line++) {
			Fact fact = history.events().get(line).fact();
			if (fact instanceof CounterBegun begun) {
				Counter counter = counters.computeIfAbsent(begun.counter(), (name) -> new Counter());
				byOperation.put(begun.operation(), counter);
				counter.begin(new Call(begun, ends.get(begun.operation()), line));
			}
			else if (fact instanceof CounterEnded ended && byOperation.containsKey(ended.operation())) {
				byOperation.get(ended.operation()).end(ended, line, findings);
			}
			else if (fact instanceof FaultBegun fault && fault.kind().forgetsValues()) {
				counters.values().forEach(Counter::forget);
			}
		}
		return findings;
	}

	/**
	 * One operation.
	 */
	private record Call(CounterBegun begun, @Nullable CounterEnded ended, int line) {

		boolean isKnown() {
			return this.ended != null && this.ended.outcome() == Outcome.DONE;
		}

		boolean hasNoEffect() {
			return this.ended != null && this.ended.outcome() == Outcome.FAILED;
		}

		/**
		 * Return the state after this operation has taken effect, or {@code null} if it
		 * cannot have done so with its result.
		 */
		@Nullable State apply(State state, int slot) {
			Long before = state.value();
			Long after = switch (this.begun.action()) {
				case ADD -> (before != null) ? (Long) (before + this.begun.argument()) : null;
				case GET -> before;
				case SET -> (Long) this.begun.argument();
				case COMPARE_AND_SET -> compareAndSet(before);
			};
			if (isKnown()) {
				boolean isValue = this.begun.action() == CounterAction.ADD || this.begun.action() == CounterAction.GET;
				boolean fits = isValue ? (after == null || after == result()) : hasSet(before);
				return fits ? state.with(slot, isValue ? (Long) result() : after) : null;
			}
			return state.with(slot, after);
		}

		private long result() {
			return (this.ended != null) ? this.ended.result() : 0;
		}

		private @Nullable Long compareAndSet(@Nullable Long before) {
			if (isKnown()) {
				return (result() != 0) ? (Long) this.begun.argument() : before;
			}
			return (before == null || before == this.begun.expected()) ? (Long) this.begun.argument() : before;
		}

		private boolean hasSet(@Nullable Long before) {
			return this.begun.action() == CounterAction.SET || before == null
					|| (before == this.begun.expected()) == (result() != 0);
		}

		/**
		 * Return whether two operations of unknown outcome have the same effect, so that
		 * only one of them has to be tried.
		 */
		boolean isLike(Call other) {
			return !isKnown() && !other.isKnown() && this.begun.action() == other.begun.action()
					&& this.begun.argument() == other.begun.argument()
					&& this.begun.expected() == other.begun.expected();
		}

	}

	/**
	 * Possible state.
	 *
	 * @param value the value, {@code null} for any
	 * @param effective slots of the calls that have not ended and have taken effect
	 */
	private record State(@Nullable Long value, BitSet effective) {

		State with(int slot, @Nullable Long newValue) {
			BitSet more = (BitSet) this.effective.clone();
			more.set(slot);
			return new State(newValue, more);
		}

		State without(int slot) {
			BitSet fewer = (BitSet) this.effective.clone();
			fewer.clear(slot);
			return new State(this.value, fewer);
		}

	}

	/**
	 * Possible states of one counter at one line.
	 */
	private static final class Counter {

		private Set<State> states = new LinkedHashSet<>(Set.of(new State(0L, new BitSet())));

		/**
		 * The calls that have not ended, by slot.
		 */
		private final List<@Nullable Call> open = new ArrayList<>();

		private int lastEnd = -1;

		void begin(Call call) {
			if (!call.hasNoEffect() && (call.isKnown() || call.begun().action() != CounterAction.GET)) {
				int slot = this.open.indexOf(null);
				if (slot < 0) {
					this.open.add(call);
				}
				else {
					this.open.set(slot, call);
				}
			}
		}

		/**
		 * Each state remains possible as well: what was forgotten may be nothing.
		 */
		void forget() {
			List.copyOf(this.states).forEach((state) -> this.states.add(new State(null, state.effective())));
		}

		void end(CounterEnded ended, int line, List<Finding> findings) {
			int slot = slot(ended);
			if (ended.outcome() != Outcome.DONE || slot < 0) {
				return;
			}
			Call call = this.open.get(slot);
			Set<State> before = this.states;
			this.states = new LinkedHashSet<>();
			boolean searched = search(before, slot);
			this.open.set(slot, null);
			if (this.states.isEmpty() || !searched) {
				findings.add(Finding.of("counter",
						(searched ? "operation %d of '%s' has no possible order"
								: "the order of operation %d of '%s' has too many possibilities")
							.formatted(ended.operation(), call.begun().counter()),
						!searched, this.lastEnd, call.line(), line));
				restart();
			}
			this.lastEnd = line;
		}

		private int slot(CounterEnded ended) {
			for (int slot = 0; slot < this.open.size(); slot++) {
				Call call = this.open.get(slot);
				if (call != null && call.begun().operation() == ended.operation()) {
					return slot;
				}
			}
			return -1;
		}

		/**
		 * Go on with any value, and no open call that must or must not have taken effect.
		 */
		private void restart() {
			this.states = new LinkedHashSet<>(Set.of(new State(null, new BitSet())));
		}

		/**
		 * Find the states in which a call has taken effect.
		 * @return whether all were found
		 */
		private boolean search(Set<State> before, int slot) {
			Set<State> seen = new LinkedHashSet<>(before);
			Deque<State> next = new ArrayDeque<>(before);
			while (!next.isEmpty() && seen.size() < MOST_STATES) {
				State state = next.remove();
				if (state.effective().get(slot)) {
					this.states.add(state.without(slot));
					continue;
				}
				for (int i = 0; i < this.open.size(); i++) {
					State after = isCandidate(state, i) ? this.open.get(i).apply(state, i) : null;
					if (after != null && seen.add(after)) {
						next.add(after);
					}
				}
			}
			return next.isEmpty();
		}

		private boolean isCandidate(State state, int slot) {
			Call call = this.open.get(slot);
			if (call == null || state.effective().get(slot)) {
				return false;
			}
			for (int i = 0; i < slot && !call.isKnown(); i++) {
				if (this.open.get(i) != null && !state.effective().get(i) && this.open.get(i).isLike(call)) {
					return false;
				}
			}
			return true;
		}

	}

}
