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
 * What happened in an {@link Event}. The components of the records are numbers, flags,
 * enums, texts and lists of texts, so that each fact has a text form.
 */
public sealed interface Fact {

	/**
	 * Fact about one operation or one claim. All facts from the request to the end of the
	 * release have the same number, which is unique in the history.
	 */
	sealed interface OfOperation extends Fact permits LockFact, PrimitiveFact {

		/**
		 * Return the number of the operation.
		 * @return the number, unique in the history
		 */
		long operation();

	}

	/**
	 * Change in the life of the process of the event, or in its clock.
	 *
	 * @param change the change
	 */
	record ProcessChanged(ProcessChange change) implements Fact {
	}

	/**
	 * Begin of a fault of the store or the network.
	 *
	 * @param fault number of the fault, unique in the history
	 * @param kind the kind
	 * @param target name of the only process that is affected, or any other text if the
	 * fault affects all
	 */
	record FaultBegun(long fault, FaultKind kind, String target) implements Fact {
	}

	/**
	 * End of a fault.
	 *
	 * @param fault number of the fault
	 */
	record FaultEnded(long fault) implements Fact {
	}

	/**
	 * What is left at the end of the history, for example queue entries in the store,
	 * watches, threads or keys in memory.
	 *
	 * @param item what was counted
	 * @param before the number before the first operation
	 * @param now the number now
	 */
	record Audited(String item, long before, long now) implements Fact {
	}

	/**
	 * Changes in the life of a process.
	 */
	enum ProcessChange {

		STARTED, PAUSED, SUSPENDED, RESUMED, CLOCK_JUMPED, STOPPING, KILLED, RESTARTED;

		/**
		 * Return whether the process does nothing until it is resumed. If it is
		 * suspended, its monotonic clock stands still, too.
		 * @return whether the process is paused
		 */
		public boolean isPause() {
			return this == PAUSED || this == SUSPENDED;
		}

		/**
		 * Return whether nothing remains of what the process did before.
		 * @return whether the process is a new one, or none
		 */
		public boolean isEnd() {
			return this == STARTED || this == KILLED || this == RESTARTED;
		}

	}

	/**
	 * Outcomes of operations.
	 */
	enum Outcome {

		/**
		 * Done and confirmed by the store.
		 */
		DONE,

		/**
		 * Not done in time.
		 */
		TIMED_OUT,

		/**
		 * Not done because the lease was lost.
		 */
		LOST,

		/**
		 * Done, or not done, or to be done later.
		 */
		UNKNOWN,

		/**
		 * Not done.
		 */
		FAILED

	}

	/**
	 * Kinds of faults.
	 */
	enum FaultKind {

		STOPPED(Effect.LASTS), CLOCK_STOOD(Effect.LASTS), PARTITIONED(Effect.LASTS), DELAYED(Effect.LASTS),
		CALLS_FAILED(Effect.LASTS), RESTARTED_WITHOUT_DATA(Effect.FORGETS), FAILED_OVER(Effect.FORGETS),
		CLOCK_JUMPED_FORWARD(Effect.FORGETS), EVICTED(Effect.FORGETS), RELEASED_BY_OPERATOR(Effect.FORGETS),
		CLOCK_JUMPED_BACK(Effect.STARTLES), SESSION_EXPIRED(Effect.STARTLES), REPEATED(Effect.MESSAGE),
		REPLY_LOST(Effect.MESSAGE), NOTIFICATION_LOST(Effect.MESSAGE);

		private final Effect effect;

		FaultKind(Effect effect) {
			this.effect = effect;
		}

		/**
		 * Return whether the fault lasts until its end, or happens at once.
		 * @return whether the fault lasts
		 */
		public boolean lasts() {
			return this.effect == Effect.LASTS;
		}

		/**
		 * Return whether the fault only affects one message.
		 * @return whether the fault costs no more than one call
		 */
		public boolean isOfMessage() {
			return this.effect == Effect.MESSAGE;
		}

		/**
		 * Return whether the store may forget leases by this fault, so that the
		 * documentation excepts overlaps for one lease time.
		 * @return whether leases are forgotten
		 */
		public boolean forgets() {
			return this.effect == Effect.FORGETS;
		}

		/**
		 * Return whether the store may forget values too, as counters and latches.
		 * @return whether values are forgotten
		 */
		public boolean forgetsValues() {
			return this == RESTARTED_WITHOUT_DATA || this == FAILED_OVER || this == EVICTED;
		}

		private enum Effect {

			LASTS, FORGETS, STARTLES, MESSAGE

		}

	}

}
