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

/**
 * Facts about counters, latches, barriers and elections.
 */
public sealed interface PrimitiveFact extends Fact.OfOperation {

	/**
	 * Begin of an operation of a counter.
	 *
	 * @param operation the number of the operation
	 * @param counter the counter
	 * @param action the action
	 * @param argument what to add or to set
	 * @param expected the expected value of {@link CounterAction#COMPARE_AND_SET}
	 */
	record CounterBegun(long operation, String counter, CounterAction action, long argument,
			long expected) implements PrimitiveFact {
	}

	/**
	 * End of an operation of a counter.
	 *
	 * @param operation the number of the operation
	 * @param outcome the outcome
	 * @param result the value afterwards, or 1 and 0 for
	 * {@link CounterAction#COMPARE_AND_SET}
	 */
	record CounterEnded(long operation, Fact.Outcome outcome, long result) implements PrimitiveFact {
	}

	/**
	 * Begin of an operation of a latch, or of a barrier that is set and removed, which is
	 * a latch with the count 1.
	 *
	 * @param operation the number of the operation
	 * @param latch the latch
	 * @param action the action
	 * @param count the count of {@link LatchAction#RESET}
	 */
	record LatchBegun(long operation, String latch, LatchAction action, long count) implements PrimitiveFact {
	}

	/**
	 * End of an operation of a latch; waiting ends with {@link Fact.Outcome#DONE} if the
	 * latch was open.
	 */
	record LatchEnded(long operation, Fact.Outcome outcome) implements PrimitiveFact {
	}

	/**
	 * Step of a participant of a barrier or a double barrier. The operation is the visit
	 * of this participant.
	 *
	 * @param operation the number of the operation
	 * @param barrier the barrier
	 * @param step the step
	 * @param parties the number of participants
	 */
	record BarrierStepped(long operation, String barrier, BarrierStep step, int parties) implements PrimitiveFact {
	}

	/**
	 * Begin of a term as leader. The operation is the term.
	 */
	record BecameLeader(long operation, String election, long token) implements PrimitiveFact {
	}

	/**
	 * The leader looked whether it leads.
	 */
	record CheckedLeader(long operation, boolean leads) implements PrimitiveFact {
	}

	/**
	 * End of a term as leader.
	 */
	record StoppedLeading(long operation) implements PrimitiveFact {
	}

	/**
	 * Actions of counters.
	 */
	enum CounterAction {

		ADD, GET, SET, COMPARE_AND_SET

	}

	/**
	 * Actions of latches.
	 */
	enum LatchAction {

		RESET, COUNT_DOWN, AWAIT

	}

	/**
	 * Steps of participants of barriers; a double barrier is entered by {@link #ARRIVED}
	 * and {@link #PASSED}.
	 */
	enum BarrierStep {

		ARRIVED, PASSED, LEAVING, LEFT, WITHDREW

	}

}
