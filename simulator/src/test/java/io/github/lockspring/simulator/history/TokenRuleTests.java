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
import io.github.lockspring.simulator.history.LockFact.Checked;
import io.github.lockspring.simulator.history.LockFact.Reentered;
import io.github.lockspring.simulator.history.LockFact.Written;

/**
 * Tests for {@link TokenRule}.
 */
class TokenRuleTests {

	private final RuleTester rule = new RuleTester(new TokenRule());

	private final HistoryBuilder history = new HistoryBuilder();

	@Test
	void growingTokens() {
		this.rule.assertKept(this.history.lock(11, "a", 1).lock(21, "a", 3).lock(12, "b", 1).lock(13, "a", 4));
	}

	@Test
	void smallerToken() {
		this.rule.assertBroken(this.history.lock(11, "a", 2).lock(21, "b", 9).lock(22, "a", 1));
	}

	@Test
	void smallerTokenAfterAFailover() {
		this.rule
			.assertBroken(this.history.lock(11, "a", 2).fault(1, FaultKind.FAILED_OVER, "*").at(500).lock(21, "a", 1));
	}

	@Test
	void smallerTokenAfterTwoFailovers() {
		this.rule.assertExcepted(twoFailovers(60_000).lock(21, "a", 1));
	}

	@Test
	void smallerTokenLongAfterTheFirstOfTwoFailovers() {
		this.rule.assertBroken(twoFailovers(60_001).lock(21, "a", 1));
	}

	private HistoryBuilder twoFailovers(long millis) {
		return this.history.fault(1, FaultKind.FAILED_OVER, "*")
			.lock(11, "a", 2)
			.fault(2, FaultKind.FAILED_OVER, "*")
			.at(millis);
	}

	@Test
	void sameToken() {
		this.rule.assertBroken(this.history.request(11, "a").request(21, "a").grant(11, 2).release(11).grant(21, 2));
	}

	@Test
	void grantThatWasRequestedBeforeMayBeSmaller() {
		this.rule.assertKept(this.history.request(11, "a").lock(21, "a", 2).grant(11, 1));
	}

	@Test
	void tokenOfOneKeyOfSeveral() {
		this.rule.assertBroken(this.history.lock(11, "a", 2).request(12, "a", "b").grant(12, 1));
	}

	@Test
	void noTokens() {
		this.rule.assertKept(this.history.lock(11, "a", 0).lock(21, "a", 0));
	}

	@Test
	void readersOfOneProcessShareATokenThatIsSmallerThanThatOfAnother() {
		this.rule.assertKept(this.history.read(11, 1).read(21, 2).read(12, 1));
	}

	@Test
	void readersOfTwoProcessesDoNotShareAToken() {
		this.rule.assertBroken(this.history.read(11, 1).read(21, 1));
	}

	@Test
	void readerAfterWriter() {
		this.rule.assertBroken(this.history.lock(11, "a", 2).read(21, 1));
	}

	@Test
	void writerAfterReader() {
		this.rule.assertBroken(this.history.read(11, 2).release(11).write(21, 1));
	}

	@Test
	void tokenOfLeaseThatIsRetainedWhileTheStoreLosesItIsExcepted() {
		this.rule.assertExcepted(retainedWhileAnotherIsGranted(FaultKind.RESTARTED_WITHOUT_DATA, 5));
	}

	@Test
	void tokenOfLeaseThatIsRetained() {
		this.rule.assertBroken(retainedWhileAnotherIsGranted(FaultKind.NOTIFICATION_LOST, 5));
	}

	@Test
	void tokenOfAnotherLeaseThanIsRetained() {
		this.rule.assertBroken(retainedWhileAnotherIsGranted(FaultKind.RESTARTED_WITHOUT_DATA, 600));
	}

	private HistoryBuilder retainedWhileAnotherIsGranted(FaultKind fault, long token) {
		return this.history.requestRetained(11, "a")
			.grant(11, 4)
			.release(11)
			.fault(1, fault, "*")
			.lock(21, "a", 1000)
			.release(21)
			.lock(12, "a", token);
	}

	@Test
	void tokenStaysTheSame() {
		this.rule.assertKept(this.history.request(11, "a")
			.grant(11, 5)
			.fact(11, new Reentered(11, 5))
			.fact(11, new Checked(11, true, 5))
			.release(11));
	}

	@Test
	void tokenGrowsAtReentry() {
		this.rule.assertBroken(this.history.request(11, "a").grant(11, 5).fact(11, new Reentered(11, 6)));
	}

	@Test
	void tokenIsReadFromTheStoreAgain() {
		this.rule.assertBroken(this.history.request(11, "a").grant(11, 5).fact(11, new Checked(11, true, 6)));
	}

	@Test
	void tokenThatWasNotKnownAtTheGrant() {
		this.rule.assertKept(this.history.request(11, "a").grant(11, 0).fact(11, new Checked(11, true, 6)));
	}

	@Test
	void resourceRejectsOnlyStaleWrites() {
		this.rule.assertKept(writes(true, false));
	}

	@Test
	void resourceAcceptsStaleWrite() {
		this.rule.assertBroken(writes(true, true));
	}

	@Test
	void resourceRejectsCurrentWrite() {
		this.rule.assertBroken(writes(false, false));
	}

	private HistoryBuilder writes(boolean current, boolean stale) {
		return this.history.request(11, "a")
			.grant(11, 1)
			.fact(11, new Written(11, "r", 1, true))
			.lock(21, "a", 2)
			.fact(21, new Written(21, "r", 2, current))
			.fact(11, new Written(11, "r", 1, stale))
			.lossTold(11);
	}

}
