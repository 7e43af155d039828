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

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.LockFact.Change;
import io.github.lockspring.simulator.history.LockFact.ChangeBegun;
import io.github.lockspring.simulator.history.LockFact.ChangeEnded;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.ReleaseEnded;
import io.github.lockspring.simulator.history.LockFact.Requested;

/**
 * Tests for {@link LossRule} and {@link FalseLossRule}.
 */
class LossRuleTests {

	private final RuleTester rule = new RuleTester(new LossRule());

	private final RuleTester cause = new RuleTester(new FalseLossRule());

	private final HistoryBuilder history = new HistoryBuilder().request(11, "a").grant(11, 1);

	@Test
	void toldOnce() {
		this.rule.assertKept(this.history.check(11, false).at(10).lossTold(11).check(11, false));
	}

	@Test
	void toldTwice() {
		this.rule.assertBroken(this.history.lossTold(11).lossTold(11));
	}

	@Test
	void neverTold() {
		this.rule.assertBroken(this.history.check(11, false).at(1301).request(21, "b"));
	}

	@Test
	void toldLate() {
		this.rule.assertBroken(this.history.check(11, false).at(1301).lossTold(11));
	}

	@Test
	void toldLateAfterPause() {
		this.rule.assertKept(this.history.check(11, false)
			.process(1, ProcessChange.PAUSED)
			.at(5000)
			.process(1, ProcessChange.RESUMED)
			.lossTold(11));
	}

	@Test
	void notHeldWhileSuspended() {
		this.rule.assertKept(this.history.check(11, false).at(500).check(11, true).at(5000).check(11, true));
	}

	@Test
	void heldAfterLoss() {
		this.rule.assertBroken(this.history.lossTold(11).check(11, true));
	}

	@Test
	void heldAfterRelease() {
		this.rule.assertBroken(this.history.release(11).check(11, true));
	}

	@Test
	void reenteredAfterLoss() {
		this.rule.assertBroken(this.history.lossTold(11).fact(11, new LockFact.Reentered(11, 1)));
	}

	@Test
	void lostAtRelease() {
		this.rule.assertKept(releaseLost().at(10).lossTold(11).at(1000).request(21, "b"));
	}

	@Test
	void lostAtReleaseAndNeverTold() {
		this.rule.assertBroken(releaseLost().at(1000).request(21, "b"));
	}

	@Test
	void lostAndReleased() {
		this.rule.assertBroken(this.history.lossTold(11).release(11));
	}

	@Test
	void learnsThatAnotherOwnsTheKey() {
		this.rule.assertKept(this.history.request(21, "a").grant(21, 2).at(1300).lossTold(11).release(21));
	}

	@Test
	void doesNotLearnThatAnotherOwnsTheKey() {
		this.rule.assertBroken(this.history.request(21, "a").grant(21, 2).release(21).at(1301).lossTold(11));
	}

	@Test
	void anotherThatRequestedTheKeyBeforeLearnsThatItLostIt() {
		this.rule.assertKept(requestedBefore().lossTold(21).at(1301).lossTold(11));
	}

	@Test
	void noneOfTwoThatRequestedTheKeyBeforeLearnsThatItLostIt() {
		this.rule.assertBroken(requestedBefore().at(1301).lossTold(21).lossTold(11));
	}

	@Test
	void oneThatRequestedTheKeyBeforeWasKilled() {
		this.rule.assertKept(requestedBefore().process(1, ProcessChange.KILLED).at(1301).release(21));
	}

	private HistoryBuilder requestedBefore() {
		return new HistoryBuilder().request(21, "a", "b").request(11, "a").grant(11, 2).grant(21, 1);
	}

	@Test
	void lossHasACause() {
		this.cause.assertKept(this.history.fault(1, FaultKind.PARTITIONED, "p1").at(500).heal(1).at(900).lossTold(11));
	}

	@Test
	void lossWithoutACause() {
		this.cause.assertBroken(this.history.at(900).lossTold(11));
	}

	@Test
	void lossAfterShortFault() {
		this.cause
			.assertBroken(this.history.fault(1, FaultKind.PARTITIONED, "p1").at(499).heal(1).at(900).lossTold(11));
	}

	@Test
	void lossAfterTwoShortFaults() {
		this.cause.assertKept(twoFaults(150).lossTold(11));
	}

	@Test
	void lossAfterTwoFaultsThatAreTooShort() {
		this.cause.assertBroken(twoFaults(149).lossTold(11));
	}

	private HistoryBuilder twoFaults(long millis) {
		return this.history.fault(1, FaultKind.PARTITIONED, "p1")
			.at(millis)
			.heal(1)
			.at(500)
			.fault(2, FaultKind.PARTITIONED, "p1")
			.at(500 + millis)
			.heal(2)
			.at(900);
	}

	@Test
	void lossAfterShortFaultOfALeaseThatWasHandedOff() {
		this.cause.assertExcepted(handedOff().at(1100).lossTold(12));
	}

	@Test
	void lossAfterShortFaultOfALeaseThatWasHandedOffLongAgo() {
		this.cause.assertBroken(handedOff().at(1102).lossTold(12));
	}

	@Test
	void lossWithoutACauseOfALeaseThatWasHandedOff() {
		this.cause.assertBroken(this.history.request(12, "b").at(101).grant(12, 1).at(200).lossTold(12));
	}

	private HistoryBuilder handedOff() {
		return this.history.request(12, "b").at(101).grant(12, 1).fault(1, FaultKind.PARTITIONED, "p1").at(300).heal(1);
	}

	@Test
	void lossAfterFaultOfAnotherProcess() {
		this.cause.assertBroken(this.history.process(2, ProcessChange.PAUSED).at(900).lossTold(11));
	}

	@Test
	void lossLongAfterFault() {
		this.cause.assertBroken(this.history.fault(1, FaultKind.FAILED_OVER, "*").at(1101).lossTold(11));
	}

	@Test
	void lossWhileTheProcessStops() {
		this.cause.assertKept(this.history.process(1, ProcessChange.STOPPING).at(900).lossTold(11));
	}

	@Test
	void lossAfterOneReplyWasLost() {
		this.cause.assertBroken(this.history.fault(1, FaultKind.REPLY_LOST, "p1").at(900).lossTold(11));
	}

	@Test
	void leaseThatIsNotRenewed() {
		this.cause.assertKept(
				this.history.fact(12, new Requested(12, List.of("b"), Mode.EXCLUSIVE, 1, 1, false, 1_000_000_000, 0))
					.grant(12, 1)
					.at(1000)
					.lossTold(12));
	}

	@Test
	void foundNotHeldWithoutACause() {
		this.cause.assertBroken(this.history.at(900).check(11, false).release(11));
	}

	@Test
	void foundNotHeldAfterAShortFault() {
		this.cause.assertKept(
				this.history.fault(1, FaultKind.STOPPED, "*").at(100).heal(1).at(900).check(11, false).release(11));
	}

	@Test
	void lossAfterAFaultDuringTheDowngrade() {
		this.cause.assertKept(downgraded(450));
	}

	@Test
	void lossAfterAFaultBeforeTheDowngrade() {
		this.cause.assertBroken(downgraded(600));
	}

	/**
	 * Downgrades at a time, with a fault from 400 to 500.
	 */
	private HistoryBuilder downgraded(long millis) {
		this.history.at(400).fault(1, FaultKind.STOPPED, "*");
		return ((millis > 500) ? this.history.at(500).heal(1) : this.history).at(millis)
			.fact(11, new ChangeBegun(11, Change.DOWNGRADE, 0))
			.at(millis + 1)
			.fact(11, new ChangeEnded(11, Change.DOWNGRADE, Outcome.DONE))
			.lossTold(11)
			.at(900)
			.heal(1);
	}

	private HistoryBuilder releaseLost() {
		return this.history.releaseBegun(11).fact(11, new ReleaseEnded(11, Outcome.LOST));
	}

}
