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

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.history.Fact.FaultKind;

/**
 * Fair requests for one key are granted in their order. A request is in the queue when
 * that was confirmed, or one call to the store after it began, unless another of its
 * process was there before; it may be overtaken if something disturbed its process while
 * it waited, or if it may have received no notifications. Requests for several keys are
 * left out.
 */
final class OrderRule implements Rule {

	/**
	 * Longest time until a process notices that it receives no notifications. The store
	 * takes it for dead until then.
	 */
	private static final long UNNOTICED = Duration.ofSeconds(7).toNanos();

	@Override
	public List<Finding> check(IndexedHistory history) {
		Map<String, List<Operation>> byKey = new HashMap<>();
		for (Operation operation : history.grants()) {
			if (operation.request.fair() && operation.request.keys().size() == 1) {
				byKey.computeIfAbsent(operation.request.keys().get(0), (key) -> new ArrayList<>()).add(operation);
			}
		}
		List<Finding> findings = new ArrayList<>();
		byKey.values().forEach((grants) -> check(grants, history, findings));
		return findings;
	}

	/**
	 * Go back from the last grant, and remember which of the later ones was queued first.
	 */
	private static void check(List<Operation> grants, IndexedHistory history, List<Finding> findings) {
		int later = grants.size() - 1;
		Operation first = null;
		for (int i = grants.size() - 1; i >= 0; i--) {
			Operation operation = grants.get(i);
			long granted = history.time(operation.granted) + history.bounds().slackTime();
			for (; later > i && history.time(grants.get(later).granted) > granted; later--) {
				first = earlier(first, grants.get(later), history);
			}
			if (first != null && queued(first, history) < history.time(operation.requested)
					&& !waitedInItsProcess(first, history)) {
				findings.add(Finding.violation("order", operation + " overtakes " + first, first.requested,
						first.queued, operation.requested, operation.granted, first.granted));
			}
		}
	}

	/**
	 * Return whether another request of the process was there before, behind which one
	 * does not reach the store.
	 */
	private static boolean waitedInItsProcess(Operation operation, IndexedHistory history) {
		return history.operations()
			.stream()
			.anyMatch((other) -> other != operation && other.process.equals(operation.process)
					&& other.request.keys().containsAll(operation.request.keys())
					&& other.requested < operation.requested && (other.end() < 0 || other.end() > operation.requested));
	}

	private static @Nullable Operation earlier(@Nullable Operation first, Operation other, IndexedHistory history) {
		if (mayHaveLostItsPlace(other, history)) {
			return first;
		}
		return (first != null && queued(first, history) <= queued(other, history)) ? first : other;
	}

	private static boolean mayHaveLostItsPlace(Operation operation, IndexedHistory history) {
		long from = history.time(operation.requested);
		long to = history.time(operation.granted);
		return history.disturbances().disturbed(operation.process, from, to) > 0 || history.disturbances()
			.all()
			.stream()
			.anyMatch((one) -> one.kind() == FaultKind.NOTIFICATION_LOST && one.affects(operation.process)
					&& one.from() <= to && one.from() >= from - UNNOTICED);
	}

	private static long queued(Operation operation, IndexedHistory history) {
		return (operation.queued >= 0) ? history.time(operation.queued)
				: history.time(operation.requested) + history.bounds().callTime();
	}

}
