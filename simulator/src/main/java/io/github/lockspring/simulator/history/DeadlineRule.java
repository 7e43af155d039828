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

import io.github.lockspring.simulator.history.LockFact.NotAcquired;

/**
 * No request waits longer than its wait time and one call to the store, while its process
 * runs, and none is denied before its wait time is over. A request for several keys may
 * begin another call one call later, and releases what it has with one more. Time in
 * which the machine of the process is suspended does not count. A clock may be wrong by a
 * hundredth.
 */
final class DeadlineRule implements Rule {

	@Override
	public List<Finding> check(IndexedHistory history) {
		List<Finding> findings = new ArrayList<>();
		for (Operation operation : history.operations()) {
			if (operation.request.waitTime() != LockFact.FOREVER && !endedWithItsProcess(operation, history)) {
				check(operation, history, findings);
			}
		}
		return findings;
	}

	private static boolean endedWithItsProcess(Operation operation, IndexedHistory history) {
		int end = history.disturbances().endAfter(operation.process, operation.requested);
		return end < Integer.MAX_VALUE && (operation.answered < 0 || end < operation.answered);
	}

	private static void check(Operation operation, IndexedHistory history, List<Finding> findings) {
		Bounds bounds = history.bounds();
		long wait = operation.request.waitTime();
		long drift = wait / 100;
		long lateness = bounds.lateness() + drift + ((operation.request.keys().size() > 1) ? 2 * bounds.callTime() : 0);
		long deadline = history.time(operation.requested) + wait;
		long end = (operation.answered >= 0) ? history.time(operation.answered) : history.endTime();
		long due = deadline
				+ history.disturbances().suspended(operation.process, history.time(operation.requested), end);
		if (end - due > lateness && end > history.disturbances().running(operation.process, due, lateness)) {
			findings.add(Finding.violation("deadline",
					"%s waits %d ns longer than its wait time of %d ns".formatted(operation, end - deadline, wait),
					operation.requested, operation.answered));
		}
		else if (operation.answered >= 0 && history.events().get(operation.answered).fact() instanceof NotAcquired
				&& deadline - end > drift + bounds.slackTime()) {
			findings.add(Finding.violation("deadline", "%s is denied %d ns before its wait time of %d ns is over"
				.formatted(operation, deadline - end, wait), operation.requested, operation.answered));
		}
	}

}
