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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.lockspring.simulator.history.Fact.Outcome;

/**
 * Losses are told exactly once: in time after a look that found the lock not held, after
 * a release that found the lease gone, and one lease time after another exclusive owner
 * was granted the key. Of two that requested it before either had it, one learns it. What
 * was released or lost is never held again.
 */
final class LossRule implements Rule {

	@Override
	public List<Finding> check(IndexedHistory history) {
		List<Finding> findings = new ArrayList<>();
		Map<String, Operation> owners = new HashMap<>();
		for (Operation operation : history.grants()) {
			checkEnd(operation, findings);
			if (operation.notHeld >= 0) {
				checkTold(operation, operation.notHeld, history, findings);
			}
			if (operation.release == Outcome.LOST && operation.lossTold < 0) {
				checkToldAfterRelease(operation, history, findings);
			}
			if (operation.request.mode().isExclusive()) {
				operation.request.keys()
					.forEach((key) -> owners.merge(key, operation,
							(before, after) -> checkOverlap(before, after, history, findings)));
			}
		}
		return findings;
	}

	private static void checkEnd(Operation operation, List<Finding> findings) {
		if (operation.lossToldAgain >= 0) {
			add(findings, operation + " is told its loss twice", operation.lossTold, operation.lossToldAgain);
		}
		if (operation.heldAfterEnd >= 0) {
			add(findings, operation + " is held after its end", Math.max(operation.lossTold, operation.releaseEnded),
					operation.heldAfterEnd);
		}
		if (operation.lossTold >= 0 && operation.release == Outcome.DONE) {
			add(findings, operation + " is told a loss, and released", operation.lossTold, operation.releaseEnded);
		}
	}

	/**
	 * Check that one of two owners learns its loss.
	 * @return the other one
	 */
	private static Operation checkOverlap(Operation before, Operation after, IndexedHistory history,
			List<Finding> findings) {
		int end = end(before, history);
		boolean ordered = after.requested > before.granted || end <= end(after, history);
		if (end > after.granted) {
			checkTold(ordered ? before : after, after.granted, history, findings);
		}
		return ordered ? after : before;
	}

	private static void checkTold(Operation operation, int lost, IndexedHistory history, List<Finding> findings) {
		int end = end(operation, history);
		long time = (end < Integer.MAX_VALUE) ? history.time(end) : history.endTime();
		long limit = history.bounds().leaseTime() + history.bounds().lateness();
		if (time - history.time(lost) > limit
				&& time > history.disturbances().running(operation.process, history.time(lost), limit)) {
			add(findings, operation + " does not learn its loss in time", operation.granted, lost,
					(end < Integer.MAX_VALUE) ? end : -1);
		}
	}

	/**
	 * Return the line at which an operation ends by itself, or with its process.
	 */
	private static int end(Operation operation, IndexedHistory history) {
		return Math.min(operation.endBegun(), history.disturbances().endAfter(operation.process, operation.granted));
	}

	private static void checkToldAfterRelease(Operation operation, IndexedHistory history, List<Finding> findings) {
		long released = history.time(operation.releaseEnded);
		long due = history.disturbances().running(operation.process, released, history.bounds().lateness());
		if (history.endTime() > due
				&& history.disturbances().endAfter(operation.process, operation.releaseEnded) == Integer.MAX_VALUE) {
			add(findings, operation + " was lost at its release, and is not told", operation.granted,
					operation.releaseEnded);
		}
	}

	private static void add(List<Finding> findings, String message, int... lines) {
		findings.add(Finding.violation("losses", message, lines));
	}

}
