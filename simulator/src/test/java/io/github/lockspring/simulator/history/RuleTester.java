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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a rule finds in histories of tests.
 */
final class RuleTester {

	private final Rule rule;

	RuleTester(Rule rule) {
		this.rule = rule;
	}

	void assertKept(HistoryBuilder history) {
		assertThat(findings(history)).isEmpty();
	}

	void assertBroken(HistoryBuilder history) {
		assertThat(findings(history)).isNotEmpty().noneMatch(Finding::excepted);
	}

	void assertExcepted(HistoryBuilder history) {
		assertThat(findings(history)).isNotEmpty().allMatch(Finding::excepted);
	}

	private List<Finding> findings(HistoryBuilder history) {
		return this.rule.check(new IndexedHistory(history.history(), HistoryBuilder.BOUNDS));
	}

}
