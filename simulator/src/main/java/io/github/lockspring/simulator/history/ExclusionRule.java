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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

import io.github.lockspring.simulator.history.Operation.Claim;

/**
 * Valid claims of incompatible modes never overlap on one key: an exclusive claim with
 * none, readers with readers, and permits up to their limit. A claim is valid from its
 * grant until the last event that shows that its holder believed in it, so that each
 * holder is judged by its own clocks. There are never two leaders either.
 */
final class ExclusionRule implements Rule {

	@Override
	public List<Finding> check(IndexedHistory history) {
		Map<String, List<Claim>> byKey = new HashMap<>();
		for (Operation operation : history.grants()) {
			for (Claim claim : operation.claims()) {
				operation.request.keys()
					.forEach((key) -> byKey.computeIfAbsent(key, (k) -> new ArrayList<>()).add(claim));
			}
		}
		List<Finding> findings = new ArrayList<>();
		byKey.forEach((key, claims) -> {
			claims.sort(Comparator.comparingInt(Claim::from));
			Active active = new Active();
			claims.forEach((claim) -> active.add(claim, key, history, findings));
		});
		return findings;
	}

	/**
	 * The claims of one key at one line.
	 */
	private static final class Active {

		private final PriorityQueue<Claim> claims = new PriorityQueue<>(Comparator.comparingInt(Claim::to));

		private final Tally tally = new Tally();

		void add(Claim claim, String key, IndexedHistory history, List<Finding> findings) {
			while (!this.claims.isEmpty() && this.claims.peek().to() <= claim.from()) {
				count(this.claims.remove(), -1);
			}
			if (!allows(claim)) {
				findings.add(overlap(claim, key, history));
			}
			this.claims.add(claim);
			count(claim, 1);
		}

		private void count(Claim claim, int sign) {
			this.tally.add(claim.mode(), claim.permits(), sign);
		}

		private boolean allows(Claim claim) {
			return this.tally.allows(claim.mode(), claim.permits(), claim.operation().request.limit());
		}

		/**
		 * The overlap lasts until so many claims have ended that the others allow the new
		 * one, or until that one has ended.
		 */
		private Finding overlap(Claim claim, String key, IndexedHistory history) {
			Active others = new Active();
			others.claims.addAll(this.claims);
			this.claims.forEach((other) -> others.count(other, 1));
			Claim last = claim;
			while (!others.allows(claim)) {
				last = others.claims.remove();
				others.count(last, -1);
			}
			int end = Math.min(last.to(), claim.to());
			boolean excepted = history.disturbances().isExcepted(history.time(claim.from()), history.time(end));
			String what = key.startsWith(IndexedHistory.ELECTION) ? "two leaders" : "exclusion";
			return Finding.of(what,
					"'%s' is held by %s and %s for %d ns".formatted(key, last.operation(), claim.operation(),
							history.time(end) - history.time(claim.from())),
					excepted, last.operation().granted, last.to(), claim.from(), claim.to());
		}

	}

}
