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
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.PermitLimitException;
import io.github.lockspring.support.Durations;

/**
 * States of the keys of a request, which are granted together or not at all. Immutable:
 * the lists must not be modified.
 *
 * @param keys the keys, at least one
 * @param states the state of each key
 */
public record KeyStates(List<String> keys, List<KeyState> states) {

	/**
	 * Return the states of keys.
	 * @param keys the keys, at least one
	 * @param read returns the state of a key
	 * @return the states
	 */
	public static KeyStates of(List<String> keys, Function<String, KeyState> read) {
		return new KeyStates(keys, mapped(keys, read));
	}

	private static <T> List<KeyState> mapped(List<T> list, Function<T, KeyState> function) {
		return (list.size() == 1) ? List.of(function.apply(list.get(0))) : list.stream().map(function).toList();
	}

	/**
	 * Call a consumer with each key and its state.
	 * @param consumer the consumer
	 */
	public void forEach(BiConsumer<String, KeyState> consumer) {
		for (int i = 0; i < this.keys.size(); i++) {
			consumer.accept(this.keys.get(i), this.states.get(i));
		}
	}

	/**
	 * Return whether a lease has not ended: its owner holds all keys, under one token.
	 * @param owner the text of the owner
	 * @return whether the lease is held
	 */
	public boolean areHeldBy(String owner) {
		KeyEntry first = this.states.get(0).holder(owner);
		for (KeyState state : this.states) {
			if (first == null || !holds(state, owner, first.token())) {
				return false;
			}
		}
		return true;
	}

	private static boolean holds(KeyState state, String owner, long token) {
		KeyEntry holder = state.holder(owner);
		return holder != null && holder.token() == token;
	}

	/**
	 * Return the grant of a lease that has not ended.
	 * @param lease the granted request
	 * @return the grant, with the time until the lease ends at the first of its keys
	 */
	public Grant grantOf(LeaseRequest lease) {
		KeyState state = this.states.get(0);
		KeyEntry holder = holder(state, lease);
		Instant end = holder.end();
		for (int i = 1; i < this.states.size(); i++) {
			Instant other = holder(this.states.get(i), lease).end();
			end = other.isBefore(end) ? other : end;
		}
		return new Grant(holder.token() - lease.terms().tokens() + 1, Duration.between(state.now(), end));
	}

	private static KeyEntry holder(KeyState state, LeaseRequest lease) {
		return Objects.requireNonNull(state.holder(lease.ownerText()), "holder");
	}

	/**
	 * Reject permits whose limit is superseded by that of another request.
	 * @param mode the wanted mode
	 * @throws PermitLimitException if another limit applies
	 */
	public void checkLimit(LeaseMode mode) {
		if (mode instanceof Permits wanted) {
			this.states.forEach((state) -> state.superseding(mode).ifPresent((superseding) -> {
				throw new PermitLimitException(wanted, superseding.limit(), superseding.version());
			}));
		}
	}

	/**
	 * Return whether the limit of a request applies.
	 * @param request the request
	 * @return whether {@link #checkLimit} accepts it
	 */
	public boolean haveLimitOf(LeaseRequest request) {
		LeaseMode mode = request.terms().mode();
		return this.states.stream().allMatch((state) -> state.superseding(mode).isEmpty());
	}

	/**
	 * Return whether a request that does not hold all of the keys can be granted.
	 * @param request the request
	 * @return whether all keys {@linkplain KeyState#admits admit} it
	 */
	public boolean admit(LeaseRequest request) {
		String owner = request.ownerText();
		LeaseTerms terms = request.terms();
		return this.states.stream().allMatch((state) -> state.admits(owner, terms.mode(), terms.fair()));
	}

	/**
	 * Return whether a request that does not hold all of the keys can be granted by a
	 * store with a {@linkplain KeyState#isInTurn queue of all requests}.
	 * @param request the request
	 * @param queueing whether the request is queued if it is denied
	 * @return whether all keys admit it
	 */
	public boolean admit(LeaseRequest request, boolean queueing) {
		LeaseTerms terms = request.terms();
		for (KeyState state : this.states) {
			if (!state.admits(request.ownerText(), terms.mode(), state.isInTurn(terms, queueing))) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Grant a request. Keys that it holds already remain as they are, unless their token
	 * is too small for the others.
	 * @param request the request
	 * @param process the name of the process, or an empty text
	 * @return the new states
	 */
	public KeyStates granted(LeaseRequest request, String process) {
		String owner = request.ownerText();
		LeaseTerms terms = request.terms();
		long held = (this.keys.size() > 1) ? tokenOf(owner, terms.tokens()) : 0;
		long token = (held > 0) ? held : nextToken(terms.tokens());
		return changed((state) -> (held > 0 && holds(state, owner, token)) ? state : state
			.granted(new KeyEntry(owner, terms.mode(), false, token, state.end(terms.leaseTime()), process)));
	}

	/**
	 * Return the last token with which an owner holds some of the keys, or 0 if it is not
	 * larger than those of the others.
	 */
	private long tokenOf(String owner, int tokens) {
		long held = 0;
		long others = 0;
		for (KeyState state : this.states) {
			KeyEntry holder = state.holder(owner);
			held = (holder != null) ? Math.max(held, holder.token()) : held;
			others = (holder != null) ? others : Math.max(others, state.token());
		}
		return (held - tokens >= others) ? held : 0;
	}

	private long nextToken(int tokens) {
		long next = 0;
		for (KeyState state : this.states) {
			next = Math.max(next, state.nextToken());
		}
		return next + tokens - 1;
	}

	/**
	 * Replace a lease that has not ended by a weaker one: an exclusive one by a shared
	 * one with a new token, or permits by fewer permits.
	 * @param held the granted request
	 * @param weaker the request that replaces it
	 * @param process the name of the process, or an empty text
	 * @return the new states
	 */
	public KeyStates downgraded(LeaseRequest held, LeaseRequest weaker, String process) {
		String owner = held.ownerText();
		return (weaker.terms().mode() instanceof Permits)
				? changed((state) -> state.replaced(owner, weaker.ownerText(), weaker.terms()))
				: changed((state) -> state.without(owner)).granted(weaker, process);
	}

	/**
	 * Change all states.
	 * @param change returns the new state of a key
	 * @return the new states
	 */
	public KeyStates changed(UnaryOperator<KeyState> change) {
		return new KeyStates(this.keys, mapped(this.states, change));
	}

	/**
	 * Release what a request has of some of its keys, because it is denied.
	 * @param request the request
	 * @return the new states
	 */
	public KeyStates denied(LeaseRequest request) {
		String owner = request.ownerText();
		return !request.hasMultipleKeys() ? this
				: changed((state) -> (state.holder(owner) != null) ? state.released(owner) : state);
	}

	/**
	 * Return the denial of a request.
	 * @return a denial with the time until the first of the leases ends
	 */
	public Denial denial() {
		return this.states.stream()
			.flatMap((state) -> state.holders().stream().map((holder) -> Duration.between(state.now(), holder.end())))
			.min(Comparator.naturalOrder())
			.map(Denial::new)
			.orElse(Denial.UNKNOWN_DURATION);
	}

	/**
	 * Return the denial of a request that is among the {@linkplain KeyState#waiting()
	 * waiting} ones.
	 * @param request the request
	 * @return a denial with the time after which it retries, in case the key was handed
	 * off to it
	 */
	public Denial denial(LeaseRequest request) {
		Denial denial = denial();
		Duration pause = this.states.get(0).pause(request.ownerText());
		return (pause != null) ? new Denial(Durations.min(pause, denial.retryAfter())) : denial;
	}

}
