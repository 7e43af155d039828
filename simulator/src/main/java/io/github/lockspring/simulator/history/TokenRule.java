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
import java.util.Objects;

import io.github.lockspring.simulator.history.LockFact.Checked;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.Reentered;
import io.github.lockspring.simulator.history.LockFact.Written;

/**
 * Tokens grow per key in the order of the grants, belong to one acquisition, and stay the
 * same while it lasts, if the owner knew its token at the grant. Readers of a process may
 * share a token, and the tokens of readers and of permits are only compared with those of
 * exclusive owners. A resource that checks tokens accepts no write with a smaller token
 * than it has seen, and rejects no other. After two failovers within a minute tokens may
 * be smaller, and so may be those of a lease that a process retains while the store loses
 * it.
 */
final class TokenRule implements Rule {

	/**
	 * For how long tokens lead the clock after a failover. Another one may lose the time
	 * of the first.
	 */
	private static final long LEAD_NANOS = 60_000_000_000L;

	/**
	 * How often a lease is handed off at most, with the next token each time.
	 */
	private static final int MAX_HAND_OFFS = 256;

	@Override
	public List<Finding> check(IndexedHistory history) {
		return new Pass(history).run();
	}

	/**
	 * One pass over a history.
	 */
	private static final class Pass {

		private final IndexedHistory history;

		private final List<Finding> findings = new ArrayList<>();

		/**
		 * Exclusive owners with the largest tokens, by key.
		 */
		private final Map<String, Operation> exclusive = new HashMap<>();

		/**
		 * Owners with the largest tokens, by key.
		 */
		private final Map<String, Operation> any = new HashMap<>();

		/**
		 * Owners whose tokens have to be exceeded.
		 */
		private final Map<Operation, Operation> floors = new HashMap<>();

		private final Map<String, Map<Long, Operation>> owners = new HashMap<>();

		private final Map<String, Integer> accepted = new HashMap<>();

		Pass(IndexedHistory history) {
			this.history = history;
		}

		List<Finding> run() {
			for (int line = 0; line < this.history.events().size(); line++) {
				if (this.history.events().get(line).fact() instanceof Fact.OfOperation fact) {
					Operation operation = this.history.operation(fact.operation());
					if (operation != null) {
						add(fact, operation, line);
					}
				}
			}
			return this.findings;
		}

		private void add(Fact.OfOperation fact, Operation operation, int line) {
			if (line == operation.requested) {
				request(operation);
			}
			if (line == operation.granted && operation.token != LockFact.NO_TOKEN) {
				operation.request.keys().forEach((key) -> grant(key, operation));
			}
			else if (fact instanceof Reentered again) {
				same(operation, again.token(), line);
			}
			else if (fact instanceof Checked check) {
				same(operation, check.token(), line);
			}
			else if (fact instanceof Written write) {
				same(operation, write.token(), line);
				write(write, line);
			}
		}

		private void request(Operation operation) {
			Map<String, Operation> before = operation.request.mode().isExclusive() ? this.any : this.exclusive;
			operation.request.keys()
				.stream()
				.map(before::get)
				.filter(Objects::nonNull)
				.max(Comparator.comparingLong((owner) -> owner.token))
				.ifPresent((owner) -> this.floors.put(operation, owner));
		}

		private void grant(String key, Operation operation) {
			Operation floor = this.floors.remove(operation);
			if (floor != null && floor.token >= operation.token && !mayShare(floor, operation)) {
				long now = this.history.time(operation.granted);
				this.findings.add(Finding.of("tokens",
						"%s got the token %d after %s had got %d".formatted(operation, operation.token, floor,
								floor.token),
						this.history.disturbances().forgot(now - LEAD_NANOS, now) > 1
								|| isOfForgottenLease(key, operation),
						floor.granted, operation.requested, operation.granted));
			}
			Operation other = owners(key).put(operation.token, operation);
			if (other != null && !mayShare(other, operation)) {
				add("%s and %s have the token %d of '%s'".formatted(other, operation, operation.token, key),
						other.granted, operation.granted);
			}
			this.any.merge(key, operation, Pass::larger);
			if (operation.request.mode().isExclusive()) {
				this.exclusive.merge(key, operation, Pass::larger);
			}
		}

		/**
		 * Return whether a process retained the lease of an operation, and the store may
		 * have lost it.
		 */
		private boolean isOfForgottenLease(String key, Operation operation) {
			long now = this.history.time(operation.granted);
			return this.history.disturbances().forgot(now - this.history.bounds().afterFault(), now) > 0
					&& owners(key).values()
						.stream()
						.anyMatch((former) -> former.process.equals(operation.process)
								&& former.request.retainTime() > 0 && former.token < operation.token
								&& former.token >= operation.token - MAX_HAND_OFFS);
		}

		private Map<Long, Operation> owners(String key) {
			return this.owners.computeIfAbsent(key, (name) -> new HashMap<>());
		}

		/**
		 * Return whether two operations may have one lease: readers of a process, and
		 * terms of a leader that was unsure in between.
		 */
		private static boolean mayShare(Operation one, Operation other) {
			boolean readers = one.request.mode() == Mode.READ && other.request.mode() == Mode.READ;
			boolean terms = one.isElection() && other.isElection() && one.token == other.token;
			return (readers || terms) && one.process.equals(other.process);
		}

		private static Operation larger(Operation one, Operation other) {
			return (one.token >= other.token) ? one : other;
		}

		private void same(Operation operation, long token, int line) {
			if (token != LockFact.NO_TOKEN && operation.token != LockFact.NO_TOKEN && token != operation.token) {
				add("%s got the token %d and shows %d".formatted(operation, operation.token, token), operation.granted,
						line);
			}
		}

		private void write(Written write, int line) {
			Integer before = this.accepted.get(write.resource());
			long largest = (before != null) ? ((Written) this.history.events().get(before).fact()).token()
					: Long.MIN_VALUE;
			if (write.accepted() != (write.token() >= largest)) {
				add("'%s' %s a write with the token %d after one with %d".formatted(write.resource(),
						write.accepted() ? "accepted" : "rejected", write.token(), largest),
						(before != null) ? before : line, line);
			}
			if (write.accepted() && write.token() >= largest) {
				this.accepted.put(write.resource(), line);
			}
		}

		private void add(String message, int... lines) {
			this.findings.add(Finding.violation("tokens", message, lines));
		}

	}

}
