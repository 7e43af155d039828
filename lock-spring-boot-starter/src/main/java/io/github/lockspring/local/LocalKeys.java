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

package io.github.lockspring.local;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.spi.state.KeyState;
import io.github.lockspring.spi.state.KeyStates;
import io.github.lockspring.support.Durations;

/**
 * Keys of a {@link LocalStore}, by their states, with the leases and the contenders by
 * their owners. A key without holders and contenders has no state; all keys share one
 * counter of fencing tokens.
 * <p>
 * Guarded by the monitor of the store, which begins each step with {@link #endExpired},
 * and sends the notifications after it.
 */
final class LocalKeys {

	private final Map<String, KeyState> states = new HashMap<>();

	private final LocalLeases leases = new LocalLeases();

	private final Map<String, LocalContender> contenders = new HashMap<>();

	/**
	 * Contenders that became holders and have not been notified yet.
	 */
	private final Queue<Promotion> granted = new ConcurrentLinkedQueue<>();

	private final Queue<Runnable> notifications = new ConcurrentLinkedQueue<>();

	private Instant now = Instant.EPOCH;

	private long lastToken;

	private long lastAttemptId;

	/**
	 * Notify the contenders that became holders. Called outside the monitor.
	 * @param unwanted called with those that are no longer wanted
	 */
	void notifyGranted(Consumer<LeaseRequest> unwanted) {
		for (Promotion next = this.granted.poll(); next != null; next = this.granted.poll()) {
			if (!next.contender().notifyOfGrant(next.grant(), next.time())) {
				unwanted.accept(next.contender().request());
			}
		}
	}

	/**
	 * Send the other notifications. Called outside the monitor.
	 */
	void notifyOthers() {
		for (Runnable next = this.notifications.poll(); next != null; next = this.notifications.poll()) {
			next.run();
		}
	}

	/**
	 * Begin a step: end the leases that are over.
	 * @param now the time of the step
	 */
	void endExpired(Instant now) {
		this.now = now;
		for (LocalLease lease = this.leases.overdue(now); lease != null; lease = this.leases.overdue(now)) {
			end(lease, lease.request());
		}
	}

	/**
	 * End a lease. Its backend is notified of the loss.
	 */
	boolean end(String owner) {
		LocalLease lease = this.leases.get(owner);
		return lease != null && end(lease, lease.request());
	}

	/**
	 * End all leases of a key.
	 * @return whether there was one
	 */
	boolean endAll(String key) {
		List<KeyEntry> held = state(key).holders();
		held.forEach((holder) -> end(holder.owner()));
		return !held.isEmpty();
	}

	/**
	 * Release a key for its holder, whose backend is notified of the loss.
	 * @return whether it was held
	 */
	boolean forceRelease(String key, String owner) {
		LocalLease lease = (state(key).holder(owner) != null) ? this.leases.get(owner) : null;
		return lease != null && end(lease, lease.request().part(List.of(key)));
	}

	private boolean end(LocalLease lease, LeaseRequest ended) {
		this.notifications.add(lease::notifyOfLoss);
		return release(lease.owner(), ended, (state) -> state.released(lease.owner()));
	}

	/**
	 * Acquire all keys of a request, or none of them.
	 * @param queueing whether the request is queued if it is denied
	 */
	Attempt acquire(LocalNotifier notifier, LeaseRequest request, boolean queueing) {
		KeyStates states = states(request);
		if (isHeld(request, states)) {
			discardNotificationOf(request.ownerText()); // the result reports it
			return withRecall(states.grantOf(request), request);
		}
		states.checkLimit(request.terms().mode());
		if (states.admit(request, queueing)) {
			Grant grant = grant(notifier, request, states);
			if (!state(request.key()).queue().isEmpty()) {
				keep(request);
			}
			return withRecall(grant, request);
		}
		if (this.leases.get(request.ownerText()) != null) {
			release(request); // it lost one of its keys
		}
		return queueing ? enqueue(notifier, request, states(request))
				: new Denial(states.denial().retryAfter(), 0, recall(request));
	}

	/**
	 * Recall the leases because of which a request is denied.
	 * @return whether there is one, and the request is the first to wait
	 */
	private boolean recall(LeaseRequest request) {
		boolean recalled = false;
		for (String key : request.keys()) {
			KeyState state = state(key);
			KeyEntry holder = state.exclusive();
			LocalLease lease = (holder != null) ? this.leases.get(holder.owner()) : null;
			if (lease != null && lease.recallable()) {
				this.notifications.add(lease::recall);
				recalled |= state.queue().isEmpty() || state.queue().get(0).owner().equals(request.ownerText());
			}
		}
		return recalled;
	}

	/**
	 * Keep a lease that was recalled.
	 * @return whether it was recallable until now
	 */
	boolean declineRecall(LeaseRequest request) {
		boolean kept = keep(request);
		if (kept) {
			hintNextOf(state(request.key()));
		}
		return kept;
	}

	private boolean keep(LeaseRequest request) {
		LocalLease lease = this.leases.get(request.ownerText());
		if (lease == null || !lease.recallable()) {
			return false;
		}
		this.leases.put(lease.notRecallable());
		return true;
	}

	private Grant withRecall(Grant grant, LeaseRequest request) {
		LocalLease lease = this.leases.get(request.ownerText());
		return new Grant(grant.token(), grant.validity(), lease != null && lease.recallable());
	}

	private boolean isHeld(LeaseRequest request, KeyStates states) {
		return this.leases.get(request.ownerText()) != null && states.areHeldBy(request.ownerText());
	}

	private Grant grant(LocalNotifier notifier, LeaseRequest request, KeyStates states) {
		return hold(notifier, request, states.granted(request, notifier.process()));
	}

	private Grant hold(LocalNotifier notifier, LeaseRequest request, KeyStates granted) {
		put(granted);
		Grant grant = granted.grantOf(request);
		String owner = request.ownerText();
		this.lastToken = Math.max(this.lastToken, grant.token() + request.terms().tokens() - 1);
		this.contenders.remove(owner);
		this.leases.put(new LocalLease(owner, notifier, request, this.now.plus(grant.validity())));
		return grant;
	}

	private Denial enqueue(LocalNotifier notifier, LeaseRequest request, KeyStates states) {
		String owner = request.ownerText();
		LocalContender contender = new LocalContender(notifier, request, ++this.lastAttemptId, this.now);
		this.contenders.put(owner, contender);
		put(states.changed((state) -> state.queued(owner, request.terms().mode(), notifier.process(), Durations.MAX)));
		return new Denial(states.denial().retryAfter(), contender.attemptId(), recall(request));
	}

	/**
	 * Return the contenders of a backend that must continue to wait.
	 */
	Map<LeaseRequest, Denial> poll(LocalNotifier notifier, Collection<LeaseRequest> waiting) {
		Map<LeaseRequest, Denial> denials = new HashMap<>();
		for (LeaseRequest request : waiting) {
			KeyStates states = states(request);
			if (this.contenders.containsKey(request.ownerText()) && states.haveLimitOf(request)
					&& !states.admit(request, true)) {
				denials.put(request, enqueue(notifier, request, states));
			}
		}
		return denials;
	}

	Renewal renew(Collection<LeaseRequest> requests) {
		Set<LeaseRequest> held = new HashSet<>();
		Set<LeaseRequest> lost = new HashSet<>();
		requests.forEach((request) -> (extend(request) ? held : lost).add(request));
		return new Renewal(held, lost);
	}

	private boolean extend(LeaseRequest request) {
		Duration leaseTime = request.terms().leaseTime();
		KeyStates states = states(request);
		LocalLease lease = this.leases.get(request.ownerText());
		if (lease == null || !states.areHeldBy(lease.owner())) {
			return false;
		}
		put(states.changed((state) -> state.renewed(lease.owner(), leaseTime)));
		this.leases.put(lease.until(this.now.plus(leaseTime)));
		return true;
	}

	/**
	 * Release what an owner has.
	 * @return whether it held all keys
	 */
	boolean release(LeaseRequest request) {
		return release(request.ownerText(), request, (state) -> state.released(request.ownerText()));
	}

	/**
	 * Replace the owner of a lease by a placeholder owner until the delay is over. The
	 * next contender is notified to retry.
	 */
	boolean releaseWithDelay(LocalNotifier notifier, LeaseRequest request, Duration delay) {
		String owner = request.ownerText();
		boolean held = release(owner, request, (state) -> state.releasedWithDelay(owner, delay));
		if (held) {
			this.leases
				.put(new LocalLease(KeyState.placeholder(owner), notifier, request, this.now.plus(delay), false));
			hintNextOf(state(request.key()));
		}
		return held;
	}

	private void hintNextOf(KeyState state) {
		if (!state.queue().isEmpty()) {
			this.notifications.add(contender(state.queue().get(0))::notifyToRetry);
		}
	}

	private boolean release(String owner, LeaseRequest request, UnaryOperator<KeyState> change) {
		KeyStates states = states(request);
		put(states.changed(change));
		remove(owner, request);
		makeWay(request);
		return states.areHeldBy(owner);
	}

	/**
	 * Replace a lease by a weaker one.
	 */
	Attempt downgrade(LocalNotifier notifier, LeaseRequest stronger, LeaseRequest weaker) {
		KeyStates states = states(weaker);
		if (isHeld(weaker, states)) {
			return states.grantOf(weaker);
		}
		if (!isHeld(stronger, states)) {
			return states.denial();
		}
		remove(stronger.ownerText(), stronger);
		Grant grant = hold(notifier, weaker, states.downgraded(stronger, weaker, notifier.process()));
		makeWay(stronger); // for owners that fit beside the weaker lease
		return grant;
	}

	/**
	 * Remove a contender, or the keys of a request from a lease.
	 */
	private void remove(String owner, LeaseRequest request) {
		discardNotificationOf(owner);
		this.contenders.remove(owner);
		LocalLease lease = this.leases.remove(owner);
		LeaseRequest rest = (lease != null) ? lease.request().without(request.keys()) : null;
		if (lease != null && rest != null) {
			this.leases.put(new LocalLease(owner, lease.notifier(), rest, lease.end()));
		}
	}

	private void discardNotificationOf(String owner) {
		this.granted.removeIf((next) -> next.contender().request().ownerText().equals(owner));
	}

	boolean removeContendersOf(LocalNotifier notifier) {
		List<LocalContender> former = this.contenders.values()
			.stream()
			.filter((waiting) -> waiting.notifier() == notifier)
			.toList();
		former.forEach((contender) -> release(contender.request()));
		return !former.isEmpty();
	}

	/**
	 * Grant the requests that are admitted after a release.
	 */
	private void makeWay(LeaseRequest released) {
		for (String key : released.keys()) {
			for (LocalContender next = nextOf(state(key)); next != null; next = nextOf(state(key))) {
				Grant grant = grant(next.notifier(), next.request(), states(next.request()));
				keep(next.request()); // others may wait behind it
				this.granted.add(new Promotion(next, grant, this.now));
			}
		}
	}

	/**
	 * Return the first contender if it is admitted. Those behind it do not pass it.
	 */
	private @Nullable LocalContender nextOf(KeyState state) {
		for (KeyEntry entry : state.queue()) {
			LocalContender next = contender(entry);
			if (states(next.request()).admit(next.request(), true)) {
				return next;
			}
			if (state.superseding(entry.mode()).isEmpty()) {
				return null;
			}
		}
		return null;
	}

	private LocalContender contender(KeyEntry entry) {
		return Objects.requireNonNull(this.contenders.get(entry.owner()), "contender");
	}

	private KeyStates states(LeaseRequest request) {
		return KeyStates.of(request.keys(), this::state);
	}

	KeyState state(String key) {
		KeyState state = this.states.get(key);
		if (state == null) {
			return KeyState.free(this.now, this.lastToken);
		}
		return state.now().equals(this.now) ? state : state.after(this.now);
	}

	private void put(KeyStates states) {
		states.forEach((key, state) -> {
			if (state.isUnused()) {
				this.states.remove(key);
			}
			else {
				this.states.put(key, state);
			}
		});
	}

	/**
	 * Return the keys that are held, sorted.
	 */
	Set<String> held() {
		Set<String> held = new TreeSet<>(this.states.keySet());
		held.removeIf((key) -> state(key).holders().isEmpty());
		return held;
	}

	int size() {
		return this.states.size() + this.leases.size() + this.contenders.size();
	}

	boolean clear() {
		this.states.clear();
		this.leases.clear();
		this.contenders.clear();
		return true;
	}

	/**
	 * Contender that became a holder.
	 *
	 * @param contender the contender
	 * @param grant its lease
	 * @param time the time of the grant
	 */
	private record Promotion(LocalContender contender, Grant grant, Instant time) {
	}

}
