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
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.spi.state.KeyState;
import io.github.lockspring.spi.state.KeyStates;
import io.github.lockspring.support.Durations;

/**
 * In-memory store of leases and values. Several {@linkplain LocalNotifier notifiers} on
 * one store see each other's leases, like processes that share a server.
 * <ol>
 * <li>Every call is one step under one monitor, at one time of the store's clock.</li>
 * <li>The step first ends all expired leases.</li>
 * <li>When a lease or a queue entry is removed, contenders that are admitted now become
 * holders in the same step, in the order of the queue.</li>
 * <li>After the step, outside the monitor, their backends are notified. A grant that is
 * no longer wanted is released, which may admit further contenders.</li>
 * </ol>
 * A key without holders and contenders has no state; all keys share one counter of
 * fencing tokens. Thread-safe.
 */
public final class LocalStore {

	private final InstantSource clock;

	private final Object monitor = new Object();

	private final Map<String, KeyState> keys = new HashMap<>();

	private final LocalLeases leases = new LocalLeases();

	private final Map<String, LocalContender> contenders = new HashMap<>();

	private final Queue<Promotion> granted = new ConcurrentLinkedQueue<>();

	private final Queue<Runnable> notifications = new ConcurrentLinkedQueue<>();

	private final LocalValues values;

	private Instant now = Instant.EPOCH;

	private long lastToken;

	private long lastAttemptId;

	/**
	 * Create an empty store with the clock of the machine.
	 */
	public LocalStore() {
		this(InstantSource.system());
	}

	/**
	 * Create an empty store with the given clock.
	 * @param clock the clock by which leases expire
	 */
	public LocalStore(InstantSource clock) {
		this.clock = clock;
		this.values = new LocalValues(clock);
	}

	/**
	 * End a lease immediately, as if it had expired: the holder is notified of the loss,
	 * and the next contender becomes the holder. Has no effect if the lease is not held.
	 * @param lease the granted request
	 */
	public void expire(LeaseRequest lease) {
		call(() -> end(lease.ownerText()));
	}

	/**
	 * End all leases of a key immediately, as {@link #expire(LeaseRequest)} does.
	 * @param key the key
	 * @return whether there was one
	 */
	public boolean expire(String key) {
		return call(() -> {
			List<KeyEntry> held = state(key).holders();
			held.forEach((holder) -> end(holder.owner()));
			return !held.isEmpty();
		});
	}

	/**
	 * Return the holders of a key.
	 * @param key the key
	 * @return the holders, empty if the key is free
	 */
	public List<LeaseHolder> holders(String key) {
		return call(() -> state(key).inspect());
	}

	/**
	 * Return the keys that are held.
	 * @return the keys, sorted
	 */
	public Set<String> heldKeys() {
		return call(() -> {
			Set<String> held = new TreeSet<>(this.keys.keySet());
			held.removeIf((key) -> state(key).holders().isEmpty());
			return held;
		});
	}

	/**
	 * Return whether there are neither leases nor waiting requests nor values.
	 * @return whether this store is empty
	 */
	public boolean isEmpty() {
		return call(() -> this.keys.isEmpty()) && this.values.isEmpty();
	}

	/**
	 * Remove all leases, waiting requests and values, without notification. Must be
	 * called while no backend on this store is open.
	 */
	public void clear() {
		call(() -> {
			this.keys.clear();
			this.leases.clear();
			this.contenders.clear();
			return true;
		});
		this.values.clear();
	}

	LocalValues values() {
		return this.values;
	}

	Attempt tryAcquire(LocalNotifier notifier, LeaseRequest request) {
		return call(() -> attempt(notifier, request, false));
	}

	Attempt contend(LocalNotifier notifier, LeaseRequest request) {
		return call(() -> {
			Attempt attempt = attempt(notifier, request, true);
			return (attempt instanceof Denial) ? enqueue(notifier, request, states(request)) : attempt;
		});
	}

	/**
	 * Return the contenders of a backend that must continue to wait.
	 */
	Map<LeaseRequest, Denial> poll(LocalNotifier notifier, Collection<LeaseRequest> waiting) {
		return call(() -> {
			Map<LeaseRequest, Denial> denials = new HashMap<>();
			for (LeaseRequest request : waiting) {
				KeyStates states = states(request);
				if (this.contenders.containsKey(request.ownerText()) && states.haveLimitOf(request)
						&& !isAdmitted(states, request, true)) {
					denials.put(request, enqueue(notifier, request, states));
				}
			}
			return denials;
		});
	}

	Renewal renew(Collection<LeaseRequest> requests) {
		return call(() -> {
			Set<LeaseRequest> held = requests.stream().filter(this::extend).collect(Collectors.toSet());
			Set<LeaseRequest> lost = new HashSet<>(requests);
			lost.removeAll(held);
			return new Renewal(held, lost);
		});
	}

	private boolean extend(LeaseRequest request) {
		String owner = request.ownerText();
		Duration leaseTime = request.terms().leaseTime();
		KeyStates states = states(request);
		LocalLease lease = this.leases.get(owner);
		if (lease == null || !states.areHeldBy(owner)) {
			return false;
		}
		put(states.changed((state) -> state.renewed(owner, leaseTime)));
		this.leases.put(lease.until(this.now.plus(leaseTime)));
		return true;
	}

	boolean release(LeaseRequest request) {
		return call(() -> release(request.ownerText(), request));
	}

	/**
	 * Release a key for its holder, whose backend is notified of the loss.
	 * @return whether it was held
	 */
	boolean forceRelease(String key, String owner) {
		return call(() -> {
			LocalLease lease = (state(key).holder(owner) != null) ? this.leases.get(owner) : null;
			if (lease == null) {
				return false;
			}
			this.notifications.add(lease::notifyOfLoss);
			return release(owner, lease.request().part(List.of(key)));
		});
	}

	/**
	 * Replace the owner of a lease by a placeholder owner until the delay is over. The
	 * next contenders are notified to retry.
	 */
	boolean releaseWithDelay(LocalNotifier notifier, LeaseRequest request, Duration delay) {
		return call(() -> {
			String owner = request.ownerText();
			KeyStates states = states(request);
			List<String> kept = request.keys().stream().filter((key) -> state(key).holder(owner) != null).toList();
			put(states.changed((state) -> state.releasedWithDelay(owner, delay)));
			remove(owner, request);
			if (!kept.isEmpty()) {
				this.leases.put(new LocalLease(KeyState.placeholder(owner), notifier, request.part(kept),
						this.now.plus(delay)));
			}
			kept.forEach((key) -> hintNextOf(state(key)));
			makeWay(request);
			return kept.size() == states.keys().size();
		});
	}

	private void hintNextOf(KeyState state) {
		if (!state.queue().isEmpty()) {
			LocalContender next = contender(state.queue().get(0));
			this.notifications.add(next::notifyToRetry);
		}
	}

	Attempt downgrade(LocalNotifier notifier, LeaseRequest stronger, LeaseRequest weaker) {
		return call(() -> {
			KeyStates states = states(weaker);
			if (states.areHeldBy(weaker.ownerText())) {
				return states.grantOf(weaker);
			}
			if (!states.areHeldBy(stronger.ownerText())) {
				return states.denial();
			}
			remove(stronger.ownerText(), stronger);
			Grant grant = hold(notifier, weaker, states.downgraded(stronger, weaker, notifier.process()));
			makeWay(stronger); // for owners that fit beside the weaker lease
			return grant;
		});
	}

	void removeContendersOf(LocalNotifier notifier) {
		List<LocalContender> former = call(
				() -> this.contenders.values().stream().filter((waiting) -> waiting.notifier() == notifier).toList());
		former.forEach((contender) -> release(contender.request()));
	}

	List<LeaseWaiter> queue(String key) {
		return call(() -> state(key).inspectQueue());
	}

	int size() {
		return call(() -> this.keys.size() + this.leases.size() + this.contenders.size()) + this.values.size();
	}

	private <T> T call(Supplier<T> action) {
		try {
			return inOneStep(action);
		}
		finally {
			notifyGranted();
			for (Runnable next = this.notifications.poll(); next != null; next = this.notifications.poll()) {
				next.run();
			}
		}
	}

	private <T> T inOneStep(Supplier<T> action) {
		synchronized (this.monitor) {
			this.now = this.clock.instant();
			for (String owner = this.leases.overdue(this.now); owner != null; owner = this.leases.overdue(this.now)) {
				end(owner);
			}
			return action.get();
		}
	}

	private void notifyGranted() {
		for (Promotion next = this.granted.poll(); next != null; next = this.granted.poll()) {
			LeaseRequest request = next.contender().request();
			if (!next.contender().notifyOfGrant(next.grant(), next.time())) {
				inOneStep(() -> release(request.ownerText(), request));
			}
		}
	}

	private boolean end(String owner) {
		LocalLease lease = this.leases.get(owner);
		if (lease == null) {
			return false;
		}
		this.notifications.add(lease::notifyOfLoss);
		return release(owner, lease.request());
	}

	private Attempt attempt(LocalNotifier notifier, LeaseRequest request, boolean queueing) {
		KeyStates states = states(request);
		if (states.areHeldBy(request.ownerText())) {
			discardNotificationOf(request.ownerText()); // the result reports it
			return states.grantOf(request);
		}
		states.checkLimit(request.terms().mode());
		if (isAdmitted(states, request, queueing)) {
			return grant(notifier, request, states);
		}
		if (this.leases.get(request.ownerText()) != null) {
			release(request.ownerText(), request); // it lost one of its keys
		}
		return states.denial();
	}

	private static boolean isAdmitted(KeyStates states, LeaseRequest request, boolean queueing) {
		LeaseTerms terms = request.terms();
		for (KeyState state : states.states()) {
			if (!state.admits(request.ownerText(), terms.mode(), state.isInTurn(terms, queueing))) {
				return false;
			}
		}
		return true;
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
		return new Denial(states.denial().retryAfter(), contender.attemptId());
	}

	/**
	 * Release what an owner has.
	 * @return whether it held all keys
	 */
	private boolean release(String owner, LeaseRequest request) {
		KeyStates states = states(request);
		put(states.changed((state) -> state.released(owner)));
		remove(owner, request);
		makeWay(request);
		return states.areHeldBy(owner);
	}

	/**
	 * Remove a contender, or the keys of a request from a lease.
	 */
	private void remove(String owner, LeaseRequest request) {
		discardNotificationOf(owner);
		LocalContender contender = this.contenders.remove(owner);
		if (contender != null) {
			put(states(contender.request()).changed((state) -> state.without(owner)));
		}
		LocalLease lease = this.leases.remove(owner);
		LeaseRequest rest = (lease != null) ? lease.request().without(request.keys()) : null;
		if (lease != null && rest != null) {
			this.leases.put(new LocalLease(owner, lease.notifier(), rest, lease.end()));
		}
	}

	private void discardNotificationOf(String owner) {
		this.granted.removeIf((next) -> next.contender().request().ownerText().equals(owner));
	}

	/**
	 * Grant the requests that are admitted after a release.
	 */
	private void makeWay(LeaseRequest released) {
		if (this.contenders.isEmpty()) {
			return;
		}
		Deque<String> keys = new ArrayDeque<>(released.keys());
		while (!keys.isEmpty()) {
			LocalContender next = nextOf(state(keys.element()));
			if (next == null) {
				keys.remove();
			}
			else {
				Grant grant = grant(next.notifier(), next.request(), states(next.request()));
				this.granted.add(new Promotion(next, grant, this.now));
				keys.addAll(next.request().keys());
			}
		}
	}

	/**
	 * Return the first contender if it is admitted. Those behind it do not pass it unless
	 * it waits for another key as well.
	 */
	private @Nullable LocalContender nextOf(KeyState state) {
		for (KeyEntry entry : state.queue()) {
			LocalContender next = contender(entry);
			if (isAdmitted(states(next.request()), next.request(), true)) {
				return next;
			}
			if (!next.request().hasMultipleKeys() && state.superseding(entry.mode()).isEmpty()) {
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

	private KeyState state(String key) {
		KeyState state = this.keys.get(key);
		if (state == null) {
			return KeyState.free(this.now, this.lastToken);
		}
		return state.now().equals(this.now) ? state : state.after(this.now);
	}

	private void put(KeyStates states) {
		states.forEach((key, state) -> {
			if (state.isUnused()) {
				this.keys.remove(key);
			}
			else {
				this.keys.put(key, state);
			}
		});
	}

	/**
	 * Contender that became a holder and has not been notified yet.
	 *
	 * @param contender the contender
	 * @param grant its lease
	 * @param time the time of the grant
	 */
	private record Promotion(LocalContender contender, Grant grant, Instant time) {
	}

}
