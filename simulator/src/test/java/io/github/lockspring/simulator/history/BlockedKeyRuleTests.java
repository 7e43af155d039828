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

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.ReleaseEnded;

/**
 * Tests for {@link BlockedKeyRule}: a hand-off takes at most 500 ms, and 1600 ms after a
 * fault.
 */
class BlockedKeyRuleTests {

	private final RuleTester rule = new RuleTester(new BlockedKeyRule());

	private final HistoryBuilder history = new HistoryBuilder();

	@Test
	void grantedInTime() {
		this.rule.assertKept(waiting().release(11).at(500).grant(21, 2));
	}

	@Test
	void grantedLate() {
		this.rule.assertBroken(waiting().release(11).at(501).grant(21, 2));
	}

	@Test
	void neverGranted() {
		this.rule.assertBroken(waiting().release(11).at(501).request(31, "b"));
	}

	@Test
	void heldMeanwhile() {
		this.rule.assertKept(waiting().at(9000).release(11).at(9500).grant(21, 2));
	}

	@Test
	void afterReleaseOfUnknownOutcome() {
		this.rule.assertKept(
				waiting().releaseBegun(11).fact(11, new ReleaseEnded(11, Outcome.UNKNOWN)).at(1600).grant(21, 2));
	}

	@Test
	void longAfterReleaseOfUnknownOutcome() {
		this.rule.assertBroken(
				waiting().releaseBegun(11).fact(11, new ReleaseEnded(11, Outcome.UNKNOWN)).at(1601).grant(21, 2));
	}

	@Test
	void afterTheEndOfTheHolder() {
		this.rule.assertKept(waiting().process(1, ProcessChange.KILLED).at(1600).grant(21, 2));
	}

	@Test
	void longAfterTheEndOfTheHolder() {
		this.rule.assertBroken(waiting().process(1, ProcessChange.KILLED).at(1601).grant(21, 2));
	}

	@Test
	void longAfterThePauseOfTheHolder() {
		this.rule.assertBroken(waiting().process(1, ProcessChange.PAUSED).at(1601).grant(21, 2));
	}

	@Test
	void processWithoutOperationsStartsAndEnds() {
		this.rule.assertKept(this.history.process(1, ProcessChange.STARTED)
			.process(2, ProcessChange.KILLED)
			.process(3, ProcessChange.PAUSED)
			.lossTold(21));
	}

	@Test
	void waiterIsPaused() {
		this.rule.assertKept(waiting().process(2, ProcessChange.PAUSED)
			.release(11)
			.at(5000)
			.process(2, ProcessChange.RESUMED)
			.at(5500)
			.grant(21, 2));
	}

	@Test
	void storeIsAway() {
		this.rule.assertKept(away().at(6600).grant(21, 2));
	}

	@Test
	void storeIsBack() {
		this.rule.assertBroken(away().at(6601).grant(21, 2));
	}

	@Test
	void partitionOfAnotherProcessIsNoExcuse() {
		this.rule.assertBroken(this.history.lock(31, "b", 1)
			.fault(1, FaultKind.PARTITIONED, "p3")
			.request(11, "a")
			.request(21, "a")
			.at(600)
			.grant(11, 1));
	}

	@Test
	void partitionedProcessMayBeGrantedTheKeyWithoutKnowing() {
		this.rule.assertKept(grantedToPartitioned().at(6600).grant(21, 2));
	}

	@Test
	void longAfterThePartitionOfOneThatMayHaveTheKey() {
		this.rule.assertBroken(grantedToPartitioned().at(6601).grant(21, 2));
	}

	@Test
	void requestLeftByAPartitionedProcessMayLastAsLongAsThePartition() {
		this.rule.assertKept(leftByPartitioned().at(6600).grant(21, 2));
	}

	@Test
	void longAfterThePartitionOfOneThatHasLeftARequest() {
		this.rule.assertBroken(leftByPartitioned().at(6601).grant(21, 2));
	}

	private HistoryBuilder leftByPartitioned() {
		return this.history.lock(41, "b", 1)
			.fault(1, FaultKind.PARTITIONED, "p3")
			.request(31, "a")
			.at(100)
			.deny(31)
			.at(4600)
			.request(21, "a")
			.at(5000)
			.heal(1);
	}

	private HistoryBuilder grantedToPartitioned() {
		return this.history.lock(41, "b", 1)
			.fault(1, FaultKind.PARTITIONED, "p3")
			.request(31, "a")
			.request(21, "a")
			.at(5000)
			.heal(1)
			.deny(31);
	}

	@Test
	void lostNotificationIsNoExcuse() {
		this.rule.assertBroken(waiting().fault(1, FaultKind.NOTIFICATION_LOST, "*").release(11).at(501).grant(21, 2));
	}

	@Test
	void readerWaitsForReader() {
		this.rule.assertBroken(
				this.history.read(11, 1).request(21, Mode.READ, LockFact.FOREVER, false, "a").at(501).grant(21, 2));
	}

	@Test
	void readerWaitsBehindWriter() {
		this.rule.assertKept(this.history.read(11, 1)
			.request(31, Mode.WRITE, LockFact.FOREVER, false, "a")
			.request(21, Mode.READ, LockFact.FOREVER, false, "a")
			.at(5000)
			.release(11)
			.grant(31, 2));
	}

	@Test
	void permitsAreLeft() {
		this.rule.assertBroken(permits(1));
	}

	@Test
	void tooFewPermitsAreLeft() {
		this.rule.assertKept(permits(2));
	}

	@Test
	void deniedWhatNobodyHas() {
		this.rule.assertBroken(this.history.at(5).request(11, Mode.EXCLUSIVE, 0, false, "a").deny(11));
	}

	@Test
	void deniedWhatAnotherHad() {
		this.rule.assertKept(this.history.at(5)
			.lock(11, "a", 1)
			.request(21, "a")
			.grant(21, 2)
			.request(12, Mode.EXCLUSIVE, 0, false, "a")
			.release(21)
			.deny(12));
	}

	@Test
	void deniedWhatAnotherRequested() {
		this.rule.assertKept(
				this.history.at(5).request(11, "a").request(21, Mode.EXCLUSIVE, 0, false, "a").deny(21).grant(11, 1));
	}

	@Test
	void deniedWhatTheProcessMayHaveAcquiredAmongSeveral() {
		this.rule.assertKept(this.history.at(5)
			.lock(21, "b", 1)
			.request(11, "a", "b")
			.request(12, Mode.EXCLUSIVE, 0, false, "a")
			.deny(12)
			.grant(11, 2));
	}

	@Test
	void deniedWhatTheProcessIsHandedOff() {
		this.rule.assertKept(handedOff(210));
	}

	@Test
	void deniedWhatTheProcessWasHandedOff() {
		this.rule.assertBroken(handedOff(211));
	}

	@Test
	void deniedWhatTheProcessMayHaveBeenHandedOffWithoutNotice() {
		this.history.fault(1, FaultKind.NOTIFICATION_LOST, "*");
		this.rule.assertKept(handedOff(211));
	}

	@Test
	void deniedWhatNobodyHasAfterALostNotification() {
		this.rule.assertBroken(this.history.fault(1, FaultKind.NOTIFICATION_LOST, "*")
			.at(5)
			.request(11, "a")
			.request(12, Mode.EXCLUSIVE, 0, false, "a")
			.deny(12)
			.at(106)
			.grant(11, 1));
	}

	@Test
	void deniedWhatTheProcessIsJustGranted() {
		this.rule.assertKept(this.history.at(5)
			.request(11, "a")
			.request(12, Mode.EXCLUSIVE, 0, false, "a")
			.deny(12)
			.at(105)
			.grant(11, 1));
	}

	@Test
	void deniedWhatIsReservedForOneThatHasEnded() {
		this.rule.assertKept(deniedAfterOneThatWaitedHasEnded(5500));
	}

	@Test
	void deniedWhatWasReservedForOneThatHasEnded() {
		this.rule.assertBroken(deniedAfterOneThatWaitedHasEnded(5501));
	}

	@Test
	void deniedWhatIsReservedAgainForOneThatEndedBeforeAFailover() {
		this.rule.assertKept(deniedAfterAFailover(5510));
	}

	@Test
	void deniedWhatWasReservedAgainForOneThatEndedBeforeAFailover() {
		this.rule.assertBroken(deniedAfterAFailover(5511));
	}

	private HistoryBuilder deniedAfterAFailover(long millis) {
		return this.history.lock(11, "a", 1)
			.release(11)
			.fault(1, FaultKind.FAILED_OVER, "*")
			.at(millis)
			.request(21, Mode.EXCLUSIVE, 0, false, "a")
			.deny(21);
	}

	@Test
	void deniedWhatIsReservedForOneThatEndedBeforeItsRequestArrived() {
		this.rule.assertKept(deniedAfterOneWhoseRequestWasDelayed(7500));
	}

	@Test
	void deniedWhatWasReservedForOneThatEndedBeforeItsRequestArrived() {
		this.rule.assertBroken(deniedAfterOneWhoseRequestWasDelayed(7501));
	}

	private HistoryBuilder deniedAfterOneWhoseRequestWasDelayed(long deniedAt) {
		return this.history.request(21, "a")
			.fault(1, FaultKind.DELAYED, "*")
			.at(5)
			.process(2, ProcessChange.KILLED)
			.at(2000)
			.heal(1)
			.at(deniedAt - 100)
			.request(11, Mode.EXCLUSIVE, 100, false, "a")
			.at(deniedAt)
			.deny(11);
	}

	@Test
	void deniedWhatAnotherProcessRetains() {
		this.rule.assertBroken(deniedAfterRetention(12, 0));
	}

	@Test
	void deniedWhatAPausedProcessRetains() {
		this.history.at(5).requestRetained(11, "a").grant(11, 1).release(11).process(1, ProcessChange.PAUSED);
		this.rule.assertKept(denied(21, 1100));
	}

	@Test
	void deniedWhatAPausedProcessRetainedForLongerThanALease() {
		this.history.at(5).requestRetained(11, "a").grant(11, 1).release(11).process(1, ProcessChange.PAUSED);
		this.rule.assertBroken(denied(21, 1106));
	}

	@Test
	void deniedWhatAKilledProcessRetained() {
		this.history.at(5).requestRetained(11, "a").grant(11, 1).release(11).process(1, ProcessChange.KILLED);
		this.rule.assertKept(denied(21, 1100));
	}

	@Test
	void deniedWhatAKilledProcessHadAndDidNotRetain() {
		this.history.at(5).lock(11, "a", 1).release(11).process(1, ProcessChange.KILLED);
		this.rule.assertBroken(denied(21, 1100));
	}

	@Test
	void deniedWhatIsRetainedByOneThatReceivesNoRecalls() {
		this.history.fault(1, FaultKind.NOTIFICATION_LOST, "*");
		this.rule.assertKept(deniedAfterRetention(21, 8999));
	}

	@Test
	void deniedWhatIsRetainedByOneThatReceivesRecallsAgain() {
		this.history.fault(1, FaultKind.NOTIFICATION_LOST, "*");
		this.rule.assertBroken(deniedAfterRetention(21, 9000));
	}

	private HistoryBuilder deniedAfterRetention(long operation, long millis) {
		this.history.at(5).requestRetained(11, "a").grant(11, 1).release(11);
		return denied(operation, Math.max(millis, 6));
	}

	private HistoryBuilder denied(long operation, long millis) {
		return this.history.at(millis).request(operation, Mode.EXCLUSIVE, 0, false, "a").deny(operation);
	}

	private HistoryBuilder deniedAfterOneThatWaitedHasEnded(long millis) {
		return this.history.request(21, "a")
			.process(2, ProcessChange.KILLED)
			.at(2000)
			.lock(11, "a", 1)
			.at(millis)
			.request(12, Mode.EXCLUSIVE, 0, false, "a")
			.deny(12);
	}

	@Test
	void deniedInsteadOfFailedWhileTheStoreIsAway() {
		this.rule.assertBroken(this.history.at(5)
			.fault(1, FaultKind.STOPPED, "*")
			.request(11, Mode.EXCLUSIVE, 100, false, "a")
			.request(12, Mode.EXCLUSIVE, 100, false, "a")
			.at(105)
			.deny(12)
			.fact(11, new LockFact.Failed(11, "X")));
	}

	@Test
	void deniedWhatMayBeLeftOfAProcessThatIsCutOff() {
		this.rule.assertKept(deniedAfterAnotherWasCutOff(1115));
	}

	@Test
	void deniedWhatWasLeftOfAProcessThatIsCutOffForALease() {
		this.rule.assertBroken(deniedAfterAnotherWasCutOff(1116));
	}

	private HistoryBuilder deniedAfterAnotherWasCutOff(long millis) {
		return this.history.at(5)
			.fault(1, FaultKind.PARTITIONED, "p2")
			.lock(21, "a", 1)
			.at(millis)
			.request(11, Mode.EXCLUSIVE, 0, false, "a")
			.deny(11);
	}

	private HistoryBuilder handedOff(long deniedAt) {
		return waiting().release(11)
			.at(deniedAt - 100)
			.request(22, Mode.EXCLUSIVE, 100, false, "a")
			.at(deniedAt)
			.deny(22)
			.at(deniedAt + 101)
			.grant(21, 2);
	}

	private HistoryBuilder waiting() {
		return this.history.request(11, "a").grant(11, 1).request(21, "a");
	}

	private HistoryBuilder away() {
		return waiting().release(11).at(100).fault(1, FaultKind.STOPPED, "*").at(5000).heal(1);
	}

	private HistoryBuilder permits(int permits) {
		return this.history.requestPermits(11, "a", 2, 3)
			.grant(11, 1)
			.requestPermits(21, "a", permits, 3)
			.at(501)
			.grant(21, 2);
	}

}
