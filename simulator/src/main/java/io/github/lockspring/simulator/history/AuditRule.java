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

import io.github.lockspring.simulator.history.Fact.Audited;

/**
 * Nothing is left behind: no audit at the end counts more than before the first
 * operation.
 */
final class AuditRule implements Rule {

	@Override
	public List<Finding> check(IndexedHistory history) {
		List<Finding> findings = new ArrayList<>();
		for (int line = 0; line < history.events().size(); line++) {
			if (history.events().get(line).fact() instanceof Audited audit && audit.now() > audit.before()) {
				findings.add(Finding.violation("audit",
						"%d of '%s' are left behind".formatted(audit.now() - audit.before(), audit.item()), line));
			}
		}
		return findings;
	}

}
