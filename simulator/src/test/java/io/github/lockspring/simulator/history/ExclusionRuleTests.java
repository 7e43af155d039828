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
import io.github.lockspring.simulator.history.LockFact.Change;
import io.github.lockspring.simulator.history.LockFact.ChangeBegun;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.ReleaseEnded;
import io.github.lockspring.simulator.history.PrimitiveFact.CheckedLeader;
import io.github.lockspring.simulator.history.PrimitiveFact.StoppedLeading;

/**
 * Tests for {@link ExclusionRule}.
 */
class ExclusionRuleTests {

	private final RuleTester rule = new RuleTester(new ExclusionRule());

	private final HistoryBuilder history = new HistoryBuilder();

	@Test
	void oneAfterTheOther() {
		this.rule.assertKept(
				this.history.request(11, "a").grant(11, 1).request(21, "a").check(11, true).release(11).grant(21, 2));
	}

	@Test
	void anotherIsGrantedBeforeTheRelease() {
		this.rule.assertBroken(this.history.request(11, "a").grant(11, 1).request(21, "a").grant(21, 2).release(11));
	}

	@Test
	void anotherIsGrantedBeforeTheHolderLooked() {
		this.rule.assertBroken(two().check(11, true));
	}

	@Test
	void anotherIsGrantedBeforeTheHolderReenters() {
		this.rule.assertBroken(two().fact(11, new LockFact.Reentered(11, 1)));
	}

	@Test
	void holderFindsOutAfterwards() {
		this.rule.assertKept(two().check(11, false));
	}

	@Test
	void holderIsToldAfterwards() {
		this.rule.assertKept(two().releaseBegun(11).fact(11, new ReleaseEnded(11, Outcome.LOST)));
	}

	@Test
	void keysOfSeveral() {
		this.rule.assertKept(this.history.request(11, "a", "b").grant(11, 1).lock(21, "c", 1).release(11));
	}

	@Test
	void oneKeyOfSeveral() {
		this.rule.assertBroken(this.history.request(11, "a", "b").grant(11, 1).lock(21, "b", 2).release(11));
	}

	@Test
	void readers() {
		this.rule.assertKept(this.history.read(11, 1).read(21, 2).release(11).release(21));
	}

	@Test
	void writerAmongReaders() {
		this.rule.assertBroken(this.history.read(11, 1)
			.request(21, Mode.WRITE, LockFact.FOREVER, false, "a")
			.grant(21, 2)
			.release(11));
	}

	@Test
	void readerBesideWriter() {
		this.rule.assertBroken(this.history.write(11, 1).read(21, 2).release(11));
	}

	@Test
	void readerBesideDowngradedWriter() {
		this.rule.assertKept(
				this.history.write(11, 1).fact(11, new ChangeBegun(11, Change.DOWNGRADE, 0)).read(21, 2).release(11));
	}

	@Test
	void writerBesideDowngradedWriter() {
		this.rule.assertBroken(this.history.write(11, 1)
			.fact(11, new ChangeBegun(11, Change.DOWNGRADE, 0))
			.request(21, Mode.WRITE, LockFact.FOREVER, false, "a")
			.grant(21, 2)
			.release(11));
	}

	@Test
	void permits() {
		this.rule.assertKept(this.history.requestPermits(11, "a", 2, 3)
			.grant(11, 1)
			.requestPermits(21, "a", 1, 3)
			.grant(21, 2)
			.release(11)
			.release(21));
	}

	@Test
	void tooManyPermits() {
		this.rule.assertBroken(this.history.requestPermits(11, "a", 2, 3)
			.grant(11, 1)
			.requestPermits(21, "a", 2, 3)
			.grant(21, 2)
			.release(11));
	}

	@Test
	void permitsThatWereReleasedInPart() {
		this.rule.assertKept(this.history.requestPermits(11, "a", 2, 3)
			.grant(11, 1)
			.fact(11, new ChangeBegun(11, Change.PARTIAL_RELEASE, 1))
			.requestPermits(21, "a", 2, 3)
			.grant(21, 2)
			.release(11));
	}

	@Test
	void overlapAfterFailover() {
		this.rule
			.assertExcepted(two().at(5).fault(1, FaultKind.FAILED_OVER, "*").lock(31, "a", 3).at(1000).check(21, true));
	}

	@Test
	void overlapLongerThanTheExceptedLease() {
		this.rule.assertBroken(two().at(5)
			.fault(1, FaultKind.FAILED_OVER, "*")
			.request(31, "a")
			.grant(31, 3)
			.at(1200)
			.check(21, true)
			.check(31, true));
	}

	@Test
	void overlapThatBeginsLaterThanTheExceptedLease() {
		this.rule
			.assertBroken(two().at(5).fault(1, FaultKind.FAILED_OVER, "*").at(1106).lock(31, "a", 3).check(21, true));
	}

	@Test
	void overlapBeforeFailover() {
		this.rule.assertBroken(two().at(1).check(11, true).at(5).fault(1, FaultKind.FAILED_OVER, "*"));
	}

	@Test
	void overlapAfterFaultThatForgetsNothing() {
		this.rule.assertBroken(this.history.fault(1, FaultKind.CLOCK_JUMPED_BACK, "*")
			.request(11, "a")
			.grant(11, 1)
			.lock(21, "a", 2)
			.release(11));
	}

	@Test
	void leaderAfterLeader() {
		this.rule.assertKept(this.history.lead(11, 1)
			.fact(11, new CheckedLeader(11, true))
			.fact(11, new StoppedLeading(11))
			.lead(21, 2));
	}

	@Test
	void twoLeaders() {
		this.rule.assertBroken(this.history.lead(11, 1).lead(21, 2).fact(11, new CheckedLeader(11, true)));
	}

	private HistoryBuilder two() {
		return this.history.request(11, "a").grant(11, 1).request(21, "a").grant(21, 2);
	}

}
