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

package io.github.lockspring.spi.state;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseTerms;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KeyState} in all states that three requests can reach, whatever their
 * terms.
 */
class KeyStateExhaustiveTests {

	private static final Instant NOW = Instant.ofEpochSecond(1_000);

	private static final Duration LEASE_TIME = Duration.ofHours(1);

	private static final List<LeaseMode> MODES = List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(1, 2),
			LeaseMode.permits(2, 2), LeaseMode.permits(1, 3, 1), LeaseMode.permits(1, 1, 2));

	private static final List<LeaseTerms> TERMS = MODES.stream()
		.flatMap((mode) -> Stream.of(true, false).map((fair) -> new LeaseTerms(mode, fair, LEASE_TIME, 1)))
		.toList();

	/**
	 * Which of the owners has which terms makes no difference.
	 */
	@ParameterizedTest
	@EnumSource
	void rulesHoldInEveryState(Kind kind) {
		int states = 0;
		for (int a = 0; a < TERMS.size(); a++) {
			for (int b = a; b < TERMS.size(); b++) {
				for (int c = b; c < TERMS.size(); c++) {
					states += explore(kind, requests(a, b, c));
				}
			}
		}
		assertThat(states).isGreaterThan(10_000);
	}

	private static List<Request> requests(int a, int b, int c) {
		return List.of(new Request("a", TERMS.get(a)), new Request("b", TERMS.get(b)), new Request("c", TERMS.get(c)));
	}

	private int explore(Kind kind, List<Request> requests) {
		Set<KeyState> known = new HashSet<>();
		Deque<KeyState> open = new ArrayDeque<>();
		open.add(KeyState.free(NOW, 1));
		while (!open.isEmpty()) {
			KeyState state = open.remove();
			if (known.add(state)) {
				checkLiveness(kind, state, requests);
				for (Request request : requests) {
					open.addAll(successors(kind, state, request));
				}
				open.add(state.at(NOW.plus(KeyState.RESERVATION_TIME)).at(NOW));
			}
		}
		return known.size();
	}

	private List<KeyState> successors(Kind kind, KeyState state, Request request) {
		List<KeyState> successors = new ArrayList<>();
		if (state.holder(request.owner()) != null) {
			assertThat(state.renewed(request.owner(), LEASE_TIME)).isEqualTo(state);
			KeyState delayed = state.releasedWithDelay(request.owner(), LEASE_TIME);
			assertThat(delayed.holders()).hasSameSizeAs(state.holders());
			successors.add(delayed);
			successors.add(released(state, request.owner()));
		}
		else if (state.holder(KeyState.placeholder(request.owner())) == null) {
			successors.add(requested(kind, state, request));
			successors.add(released(state, request.owner()));
		}
		successors.add(released(state, KeyState.placeholder(request.owner())));
		return successors;
	}

	private KeyState requested(Kind kind, KeyState state, Request request) {
		boolean inTurn = kind.isInTurn(state, request.terms());
		if (state.admits(request.owner(), request.terms().mode(), inTurn)) {
			KeyState granted = state.granted(new KeyEntry(request.owner(), request.terms().mode(), false, 1,
					state.end(request.terms().leaseTime()), "p"));
			checkExclusion(granted, request.terms().mode());
			checkOrder(state, request, inTurn);
			return granted;
		}
		KeyState waiting = kind.enter(state, request);
		assertThat(kind.enter(waiting, request)).isSameAs(waiting);
		assertThat(waiting.holders()).isEqualTo(state.holders());
		return waiting;
	}

	private static void checkExclusion(KeyState granted, LeaseMode mode) {
		List<LeaseMode> held = granted.holders().stream().map(KeyEntry::mode).toList();
		if (mode instanceof Permits permits) {
			assertThat(held).allMatch(Permits.class::isInstance);
			assertThat(held.stream().mapToInt((other) -> ((Permits) other).permits()).sum())
				.isLessThanOrEqualTo(permits.limit());
			assertThat(held).noneMatch((other) -> permits.isSupersededBy((Permits) other));
		}
		else if (mode.equals(LeaseMode.SHARED)) {
			assertThat(held).containsOnly(LeaseMode.SHARED);
		}
		else {
			assertThat(held).hasSize(1);
		}
		assertThat(granted.holders().stream().map(KeyEntry::owner)).doesNotHaveDuplicates();
		assertThat(granted.queue().stream().map(KeyEntry::owner))
			.doesNotContainAnyElementsOf(granted.holders().stream().map(KeyEntry::owner).toList());
	}

	private static void checkOrder(KeyState state, Request request, boolean inTurn) {
		List<KeyEntry> before = state.queue().stream().takeWhile((entry) -> !entry.isOwnedBy(request.owner())).toList();
		if (inTurn) {
			assertThat(before).allMatch((entry) -> (entry.isShared() && request.terms().mode().equals(LeaseMode.SHARED))
					|| state.superseding(entry.mode()).isPresent());
		}
	}

	private KeyState released(KeyState state, String owner) {
		boolean known = Stream.concat(state.holders().stream(), state.queue().stream())
			.anyMatch((entry) -> entry.isOwnedBy(owner)) || state.waiting().contains(owner);
		KeyState released = state.released(owner);
		if (!known) {
			assertThat(released).isSameAs(state);
			return state;
		}
		boolean last = state.holders().size() == 1 && state.holders().get(0).isOwnedBy(owner);
		List<String> waiting = state.waiting().stream().filter((other) -> !other.equals(owner)).toList();
		if (last && state.queue().stream().allMatch((entry) -> entry.isOwnedBy(owner)) && !waiting.isEmpty()) {
			assertThat(released.exclusive()).matches(KeyEntry::isReservation)
				.matches((next) -> next.isOwnedBy(waiting.get(0)));
		}
		else {
			assertThat(released.holders())
				.isEqualTo(state.holders().stream().filter((holder) -> !holder.isOwnedBy(owner)).toList());
		}
		return released;
	}

	/**
	 * Of those that wait for a free key, one is granted it; a reserved key is granted to
	 * the one for which it is reserved, and to no other.
	 */
	private static void checkLiveness(Kind kind, KeyState state, List<Request> requests) {
		List<Request> admitted = requests.stream()
			.filter((request) -> state.holder(request.owner()) == null
					&& state.holder(KeyState.placeholder(request.owner())) == null)
			.filter((request) -> state.admits(request.owner(), request.terms().mode(),
					kind.isInTurn(state, request.terms())))
			.toList();
		KeyEntry exclusive = state.exclusive();
		if (exclusive != null && exclusive.isReservation()) {
			assertThat(admitted).extracting(Request::owner).isSubsetOf(exclusive.owner());
		}
		boolean isWaitedFor = state.queue().stream().anyMatch((entry) -> state.superseding(entry.mode()).isEmpty());
		if (state.holders().isEmpty() && isWaitedFor) {
			assertThat(admitted).extracting(Request::owner)
				.containsAnyElementsOf(state.queue().stream().map(KeyEntry::owner).toList());
		}
	}

	/**
	 * Kind of queue.
	 */
	private enum Kind {

		/**
		 * Of all requests.
		 */
		COMPLETE {

			@Override
			boolean isInTurn(KeyState state, LeaseTerms terms) {
				return state.isInTurn(terms, true);
			}

			@Override
			KeyState enter(KeyState state, Request request) {
				return state.queued(request.owner(), request.terms().mode(), "p", LEASE_TIME);
			}

		},

		/**
		 * Of fair requests, while the key is handed off to the others.
		 */
		FAIR {

			@Override
			boolean isInTurn(KeyState state, LeaseTerms terms) {
				return terms.fair();
			}

			@Override
			KeyState enter(KeyState state, Request request) {
				return request.terms().fair() ? COMPLETE.enter(state, request) : state.waitedFor(request.owner());
			}

		};

		abstract boolean isInTurn(KeyState state, LeaseTerms terms);

		abstract KeyState enter(KeyState state, Request request);

	}

	private record Request(String owner, LeaseTerms terms) {
	}

}
