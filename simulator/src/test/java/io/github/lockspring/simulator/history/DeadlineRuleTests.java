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

import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.LockFact.Failed;
import io.github.lockspring.simulator.history.LockFact.Mode;

/**
 * Tests for {@link DeadlineRule}.
 */
class DeadlineRuleTests {

	private final RuleTester rule = new RuleTester(new DeadlineRule());

	private final HistoryBuilder history = new HistoryBuilder();

	@Test
	void deniedWhenItsTimeIsOver() {
		this.rule.assertKept(request(500).at(805).deny(11));
	}

	@Test
	void failsOneCallLater() {
		this.rule.assertKept(request(500).at(805).fact(11, new Failed(11, "X")));
	}

	@Test
	void deniedLate() {
		this.rule.assertBroken(request(500).at(806).deny(11));
	}

	@Test
	void requestForSeveralKeysIsThreeCallsLate() {
		this.rule.assertKept(several().at(1205).deny(11));
	}

	@Test
	void requestForSeveralKeysIsLate() {
		this.rule.assertBroken(several().at(1206).deny(11));
	}

	@Test
	void grantedLate() {
		this.rule.assertBroken(request(500).at(806).grant(11, 1));
	}

	@Test
	void waitsUntilTheEndOfTheHistory() {
		this.rule.assertBroken(request(500).at(806).request(21, "b"));
	}

	@Test
	void deniedEarly() {
		this.rule.assertBroken(request(500).at(390).deny(11));
	}

	@Test
	void waitsForever() {
		this.rule.assertKept(this.history.request(11, "a").at(100_000).request(21, "b"));
	}

	@Test
	void pausedProcessIsLate() {
		this.rule.assertKept(paused(2000).at(2305).deny(11));
	}

	@Test
	void processIsLateAfterItsPause() {
		this.rule.assertBroken(paused(2000).at(2306).deny(11));
	}

	@Test
	void pauseBeforeTheDeadlineIsNoExcuse() {
		this.rule.assertBroken(paused(450).at(806).deny(11));
	}

	@Test
	void suspensionDoesNotCount() {
		this.rule.assertKept(suspended().at(1155).deny(11));
	}

	@Test
	void processIsLateAfterItsSuspension() {
		this.rule.assertBroken(suspended().at(1156).deny(11));
	}

	@Test
	void requestOfKilledProcess() {
		this.rule.assertKept(request(500).at(100)
			.process(1, ProcessChange.KILLED)
			.at(200)
			.process(1, ProcessChange.STARTED)
			.at(9000)
			.request(12, "a"));
	}

	private HistoryBuilder request(long wait) {
		return this.history.request(11, Mode.EXCLUSIVE, wait, false, "a");
	}

	private HistoryBuilder several() {
		return this.history.request(11, Mode.EXCLUSIVE, 500, false, "a", "b");
	}

	private HistoryBuilder suspended() {
		return request(500).at(100).process(1, ProcessChange.SUSPENDED).at(450).process(1, ProcessChange.RESUMED);
	}

	private HistoryBuilder paused(long until) {
		return request(500).at(100).process(1, ProcessChange.PAUSED).at(until).process(1, ProcessChange.RESUMED);
	}

}
