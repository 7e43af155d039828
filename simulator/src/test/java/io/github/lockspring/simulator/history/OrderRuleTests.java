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
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.Queued;

/**
 * Tests for {@link OrderRule}.
 */
class OrderRuleTests {

	private final RuleTester rule = new RuleTester(new OrderRule());

	private final HistoryBuilder history = new HistoryBuilder().lock(31, "a", 1);

	@Test
	void inOrder() {
		this.rule.assertKept(two(true, 300).grant(11, 2).release(11).grant(21, 3));
	}

	@Test
	void overtakes() {
		this.rule.assertBroken(two(true, 300).grant(21, 2).release(21).at(900).grant(11, 3));
	}

	@Test
	void overtakesOneThatIsQueued() {
		this.rule.assertBroken(request(11, true).fact(11, new Queued(11))
			.at(11)
			.request(21, Mode.EXCLUSIVE, LockFact.FOREVER, true, "a")
			.grant(21, 2)
			.release(21)
			.at(900)
			.grant(11, 3));
	}

	@Test
	void overtakesOneThatMayNotBeQueued() {
		this.rule.assertKept(two(true, 200).grant(21, 2).release(21).at(900).grant(11, 3));
	}

	@Test
	void overtakesOneThatGaveUp() {
		this.rule.assertKept(two(true, 300).grant(21, 2).release(21).at(900).deny(11));
	}

	@Test
	void overtakesOneThatWasPaused() {
		this.rule.assertKept(request(11, true).at(20)
			.process(1, ProcessChange.PAUSED)
			.at(300)
			.process(1, ProcessChange.RESUMED)
			.request(21, Mode.EXCLUSIVE, LockFact.FOREVER, true, "a")
			.grant(21, 2)
			.release(21)
			.at(900)
			.grant(11, 3));
	}

	@Test
	void overtakesOneThatMayReceiveNoNotifications() {
		this.history.fault(1, FaultKind.NOTIFICATION_LOST, "*").at(7010);
		this.rule.assertKept(two(true, 7310).grant(21, 2).release(21).at(7910).grant(11, 3));
	}

	@Test
	void overtakesOneThatReceivesNotificationsAgain() {
		this.history.fault(1, FaultKind.NOTIFICATION_LOST, "*").at(7011);
		this.rule.assertBroken(two(true, 7311).grant(21, 2).release(21).at(7911).grant(11, 3));
	}

	@Test
	void orderIsNotPromised() {
		this.rule.assertKept(two(false, 300).grant(21, 2).release(21).at(900).grant(11, 3));
	}

	private HistoryBuilder request(long operation, boolean fair) {
		return this.history.request(operation, Mode.EXCLUSIVE, LockFact.FOREVER, fair, "a");
	}

	private HistoryBuilder two(boolean fair, long second) {
		return request(11, fair).at(second).request(21, Mode.EXCLUSIVE, LockFact.FOREVER, fair, "a").at(second + 10);
	}

}
