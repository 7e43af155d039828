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

import java.util.stream.IntStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.history.Fact.Audited;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.PrimitiveFact.BarrierStep;
import io.github.lockspring.simulator.history.PrimitiveFact.BarrierStepped;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterAction;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterBegun;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterEnded;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchAction;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchBegun;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchEnded;

/**
 * Tests for {@link CounterRule}, {@link LatchRule}, {@link BarrierRule} and
 * {@link AuditRule}.
 */
class PrimitiveRulesTests {

	private final HistoryBuilder history = new HistoryBuilder();

	@Nested
	class Counters {

		private final RuleTester rule = new RuleTester(new CounterRule());

		@Test
		void increments() {
			this.rule.assertKept(add(11).end(11, 1).add(21).add(31).end(31, 3).end(21, 2));
		}

		@Test
		void incrementIsAppliedTwice() {
			this.rule.assertBroken(add(11).end(11, 1).add(21).end(21, 3));
		}

		@Test
		void incrementIsLost() {
			this.rule.assertBroken(add(11).end(11, 1).add(21).end(21, 1));
		}

		@Test
		void resultsAreInAnOrderThatTimeForbids() {
			this.rule.assertBroken(add(11).end(11, 2).add(21).end(21, 1));
		}

		@Test
		void unknownIncrementTakesEffectLater() {
			this.rule.assertKept(add(11).unknown(11).get(21).end(21, 0).get(22).end(22, 1).get(23).end(23, 1));
		}

		@Test
		void unknownIncrementTakesEffectTwice() {
			this.rule.assertBroken(add(11).unknown(11).get(21).end(21, 1).get(22).end(22, 2));
		}

		@Test
		void failedIncrementTakesEffect() {
			this.rule.assertBroken(add(11).failed(11).get(21).end(21, 1));
		}

		@Test
		void valueGoesBack() {
			this.rule.assertBroken(add(11).get(21).end(21, 1).get(22).end(22, 0).end(11, 1));
		}

		@Test
		void comparesAndSets() {
			this.rule
				.assertKept(compareAndSet(11, 0, 5).compareAndSet(21, 0, 7).end(11, 0).end(21, 1).get(12).end(12, 7));
		}

		@Test
		void twoCompareAndSetOneValue() {
			this.rule.assertBroken(compareAndSet(11, 0, 5).compareAndSet(21, 0, 7).end(11, 1).end(21, 1));
		}

		@Test
		void valueIsForgotten() {
			this.rule.assertKept(add(11).end(11, 1).fault(FaultKind.RESTARTED_WITHOUT_DATA).add(21).end(21, 1));
		}

		@Test
		void valueIsForgottenWithoutAFault() {
			this.rule.assertBroken(add(11).end(11, 1).fault(FaultKind.CLOCK_JUMPED_FORWARD).add(21).end(21, 1));
		}

		@Test
		void manyUnknownIncrements() {
			Steps steps = new Steps();
			IntStream.range(100, 200).forEach((i) -> steps.add(i).unknown(i));
			this.rule.assertKept(steps.get(11).end(11, 60).get(12).end(12, 100));
		}

		private Steps add(long operation) {
			return new Steps().add(operation);
		}

		private Steps compareAndSet(long operation, long expected, long value) {
			return new Steps().compareAndSet(operation, expected, value);
		}

	}

	private static final class Steps extends HistoryBuilder {

		Steps add(long operation) {
			return begin(operation, CounterAction.ADD, 1, 0);
		}

		Steps get(long operation) {
			return begin(operation, CounterAction.GET, 0, 0);
		}

		Steps compareAndSet(long operation, long expected, long value) {
			return begin(operation, CounterAction.COMPARE_AND_SET, value, expected);
		}

		private Steps begin(long operation, CounterAction action, long argument, long expected) {
			return step(operation, new CounterBegun(operation, "c", action, argument, expected));
		}

		Steps end(long operation, long result) {
			return step(operation, new CounterEnded(operation, Outcome.DONE, result));
		}

		Steps unknown(long operation) {
			return step(operation, new CounterEnded(operation, Outcome.UNKNOWN, 0));
		}

		Steps failed(long operation) {
			return step(operation, new CounterEnded(operation, Outcome.FAILED, 0));
		}

		Steps fault(FaultKind kind) {
			fault(1, kind, "*");
			return this;
		}

		private Steps step(long operation, Fact fact) {
			fact(operation, fact);
			return this;
		}

	}

	@Nested
	class Latches {

		private final RuleTester rule = new RuleTester(new LatchRule());

		private final LatchSteps latch = new LatchSteps().set(11);

		@Test
		void passesWhenAllHaveCounted() {
			this.rule.assertKept(this.latch.await(12).countDown(21).countDown(31).end(12, Outcome.DONE));
		}

		@Test
		void passesEarly() {
			this.rule.assertBroken(this.latch.await(12).countDown(21).end(12, Outcome.DONE));
		}

		@Test
		void passesByCountDownOfUnknownOutcome() {
			this.rule.assertKept(this.latch.begin(21, LatchAction.COUNT_DOWN)
				.end(21, Outcome.UNKNOWN)
				.countDown(31)
				.await(12)
				.end(12, Outcome.DONE));
		}

		@Test
		void passesByCountDownsBeforeItWasSetAgain() {
			this.rule.assertBroken(this.latch.countDown(21).countDown(31).set(13).await(12).end(12, Outcome.DONE));
		}

		@Test
		void passesBecauseTheLatchIsForgotten() {
			this.latch.await(12).fault(1, FaultKind.FAILED_OVER, "*");
			this.rule.assertExcepted(this.latch.end(12, Outcome.DONE));
		}

		@Test
		void timeIsOverWhileTheLatchIsClosed() {
			this.latch.await(12).countDown(21).at(500);
			this.rule.assertKept(this.latch.end(12, Outcome.TIMED_OUT));
		}

		@Test
		void timeIsOverThoughTheLatchIsOpen() {
			this.latch.await(12).countDown(21).countDown(31).at(500);
			this.rule.assertBroken(this.latch.end(12, Outcome.TIMED_OUT));
		}

	}

	private static final class LatchSteps extends HistoryBuilder {

		LatchSteps set(long operation) {
			return begin(operation, LatchAction.RESET).end(operation, Outcome.DONE);
		}

		LatchSteps countDown(long operation) {
			return begin(operation, LatchAction.COUNT_DOWN).end(operation, Outcome.DONE);
		}

		LatchSteps await(long operation) {
			return begin(operation, LatchAction.AWAIT);
		}

		LatchSteps begin(long operation, LatchAction action) {
			fact(operation, new LatchBegun(operation, "l", action, 2));
			return this;
		}

		LatchSteps end(long operation, Outcome outcome) {
			fact(operation, new LatchEnded(operation, outcome));
			return this;
		}

	}

	@Nested
	class Barriers {

		private static final String PASSED = "11 ARRIVED, 21 ARRIVED, 21 PASSED, 11 PASSED, 21 LEAVING";

		private static final String LEFT_ALONE = "21 LEFT, 11 LEAVING, 11 WITHDREW";

		private final RuleTester rule = new RuleTester(new BarrierRule());

		@Test
		void passesTogether() {
			this.rule
				.assertKept(steps("11 ARRIVED, 21 ARRIVED, 21 PASSED, 11 PASSED, 12 ARRIVED, 22 ARRIVED, 12 PASSED"));
		}

		@Test
		void passesAlone() {
			this.rule.assertBroken(steps("11 ARRIVED, 11 PASSED, 21 ARRIVED, 21 PASSED"));
		}

		@Test
		void passesByOneThatIsGone() {
			this.rule.assertBroken(steps("11 ARRIVED, 11 WITHDREW, 21 ARRIVED, 21 PASSED"));
		}

		@Test
		void passesByOneOfTheRoundBefore() {
			this.rule.assertBroken(steps("11 ARRIVED, 21 ARRIVED, 21 PASSED, 11 PASSED, 12 ARRIVED, 12 PASSED"));
		}

		@Test
		void passesByOneWhoseProcessWasKilled() {
			steps("11 ARRIVED").process(1, ProcessChange.KILLED).at(201);
			this.rule.assertBroken(steps("21 ARRIVED, 21 PASSED"));
		}

		@Test
		void passesByTheLastRequestOfAKilledProcess() {
			steps("11 ARRIVED").process(1, ProcessChange.KILLED).at(200);
			this.rule.assertKept(steps("21 ARRIVED, 21 PASSED"));
		}

		@Test
		void passesByTheLastRequestOfAKilledProcessWhenTheStoreGoesOn() {
			steps("11 ARRIVED").fault(1, FaultKind.DELAYED, "*").process(1, ProcessChange.KILLED).at(900).heal(1);
			this.rule.assertKept(steps("21 ARRIVED, 21 PASSED"));
		}

		@Test
		void passesByOneThatHasPassed() {
			this.rule.assertBroken(steps("11 ARRIVED, 21 ARRIVED, 21 PASSED, 11 PASSED, 21 LEAVING, 21 WITHDREW, "
					+ "22 ARRIVED, 22 PASSED"));
		}

		@Test
		void leavesTogether() {
			this.rule.assertKept(steps("11 ARRIVED, 21 ARRIVED, 21 PASSED, 11 PASSED, 21 LEAVING, 11 LEAVING, 21 LEFT, "
					+ "12 ARRIVED, 11 LEFT"));
		}

		@Test
		void leavesWhileOneOfTheRoundBeforeIsThere() {
			this.rule.assertKept(steps("11 ARRIVED, 21 ARRIVED, 21 PASSED, 11 PASSED, 21 LEAVING, 21 WITHDREW, "
					+ "22 ARRIVED, 31 ARRIVED, 31 PASSED, 22 PASSED, 31 LEAVING, 22 LEAVING, 22 LEFT"));
		}

		@Test
		void leavesAlone() {
			this.rule.assertBroken(
					steps("11 ARRIVED, 21 ARRIVED, 21 PASSED, 11 PASSED, 21 LEAVING, 21 LEFT, 11 LEAVING, 11 LEFT"));
		}

		@Test
		void leavesAloneAfterTheStoreForgotLeases() {
			steps(PASSED).fault(1, FaultKind.RESTARTED_WITHOUT_DATA, "*").at(1100);
			this.rule.assertExcepted(steps(LEFT_ALONE));
		}

		@Test
		void leavesAloneLongAfterTheStoreForgotLeases() {
			steps(PASSED).fault(1, FaultKind.RESTARTED_WITHOUT_DATA, "*").at(1101);
			this.rule.assertBroken(steps(LEFT_ALONE));
		}

		@Test
		void leavesAloneWhileTheOtherProcessIsPaused() {
			steps(PASSED).process(1, ProcessChange.PAUSED).at(500);
			this.rule.assertExcepted(steps(LEFT_ALONE));
		}

		@Test
		void leavesAloneSoonAfterTheOtherProcessIsPaused() {
			steps(PASSED).process(1, ProcessChange.PAUSED).at(499);
			this.rule.assertBroken(steps(LEFT_ALONE));
		}

		private HistoryBuilder steps(String steps) {
			for (String step : steps.split(", ")) {
				long operation = Long.parseLong(step.substring(0, 2));
				PrimitiveRulesTests.this.history.fact(operation,
						new BarrierStepped(operation, "b", BarrierStep.valueOf(step.substring(3)), 2));
			}
			return PrimitiveRulesTests.this.history;
		}

	}

	@Nested
	class Audits {

		private final RuleTester rule = new RuleTester(new AuditRule());

		@Test
		void nothingIsLeft() {
			this.rule.assertKept(PrimitiveRulesTests.this.history.fact(11, new Audited("threads", 5, 5)));
		}

		@Test
		void queueEntryIsLeft() {
			this.rule.assertBroken(PrimitiveRulesTests.this.history.fact(11, new Audited("queue entries", 0, 1)));
		}

	}

}
