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

import java.util.ArrayList;
import java.util.List;

/**
 * Checks histories against the guarantees. The rules are pure functions of the history
 * and the bounds: the same history gives the same findings.
 */
public final class HistoryChecker {

	private static final List<Rule> RULES = List.of(new ExclusionRule(), new TokenRule(), new DeadlineRule(),
			new BlockedKeyRule(), new LossRule(), new FalseLossRule(), new OrderRule(), new LatchRule(),
			new BarrierRule(), new CounterRule(), new AuditRule());

	private final Bounds bounds;

	/**
	 * Create a checker.
	 * @param bounds the times to which histories are held
	 */
	public HistoryChecker(Bounds bounds) {
		this.bounds = bounds;
	}

	/**
	 * Checks a history.
	 * @param history the history
	 * @return what was found
	 */
	public List<Finding> check(History history) {
		return report(history).findings();
	}

	/**
	 * Checks a history, and counts what it contains.
	 * @param history the history
	 * @return what was found, and the numbers of the history
	 */
	public Report report(History history) {
		IndexedHistory indexed = new IndexedHistory(history, this.bounds);
		List<Finding> findings = new ArrayList<>();
		RULES.forEach((rule) -> findings.addAll(rule.check(indexed)));
		return new Report(indexed, findings);
	}

}
