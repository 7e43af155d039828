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
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Renewal;

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

	private final Map<String, LocalKey> keys = new HashMap<>();

	private final LocalLeases leases = new LocalLeases();

	private final Queue<Promotion> granted = new ConcurrentLinkedQueue<>();

	private final Queue<Runnable> hints = new ConcurrentLinkedQueue<>();

	private final Queue<LocalLease> lost = new ConcurrentLinkedQueue<>();

	private final LocalValues values = new LocalValues();

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
	}

	/**
	 * End a lease immediately, as if it had expired: the holder is notified of the loss,
	 * and the next contender becomes the holder. Has no effect if the lease is not held.
	 * @param lease the granted request
	 */
	public void expire(LeaseRequest lease) {
		call(() -> {
			LocalLease held = this.leases.get(lease);
			return held != null && end(held);
		});
	}

	/**
	 * End all leases of a key immediately, as {@link #expire(LeaseRequest)} does.
	 * @param key the key
	 * @return whether there was one
	 */
	public boolean expire(String key) {
		return call(() -> {
			List<LocalLease> held = leasesOf(key).toList();
			held.forEach(this::end);
			return !held.isEmpty();
		});
	}

	/**
	 * Return the owners of a key.
	 * @param key the key
	 * @return the owners, empty if the key is free
	 */
	public List<OwnerId> owners(String key) {
		return call(() -> leasesOf(key).map((lease) -> lease.request().owner()).toList());
	}

	/**
	 * Return the keys that are held.
	 * @return the keys, sorted
	 */
	public Set<String> heldKeys() {
		return call(() -> {
			Set<String> held = new TreeSet<>(this.keys.keySet());
			held.removeIf((name) -> leasesOf(name).findAny().isEmpty());
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
			return true;
		});
		this.values.clear();
	}

	/**
	 * Release a key for its holder, whose backend is notified of the loss.
	 * @param name the key
	 * @param owner the text of the owner
	 * @return whether it was held
	 */
	boolean forceRelease(String name, String owner) {
		return call(() -> {
			Optional<LocalLease> held = leasesOf(name)
				.filter((lease) -> lease.request().owner().toString().equals(owner))
				.findFirst();
			held.ifPresent(this.lost::add);
			return held.isPresent() && releaseLease(held.get().request().part(List.of(name)));
		});
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
			return (attempt instanceof Denial denial) ? enqueue(notifier, request, denial) : attempt;
		});
	}

	/**
	 * Return the contenders of a backend that must continue to wait.
	 */
	Map<LeaseRequest, Denial> poll(LocalNotifier notifier, Collection<LeaseRequest> waiting) {
		return call(() -> waiting.stream()
			.filter((request) -> isContender(request) && !isSuperseded(request) && !isAdmitted(request, true))
			.collect(Collectors.toMap(Function.identity(), (request) -> enqueue(notifier, request, deny(request)))));
	}

	private boolean isContender(LeaseRequest request) {
		return request.keys().stream().allMatch((name) -> isContender(request, this.keys.get(name)));
	}

	private static boolean isContender(LeaseRequest request, @Nullable LocalKey key) {
		return key != null && key.queue().containsKey(request);
	}

	private boolean isSuperseded(LeaseRequest request) {
		return keysOf(request).anyMatch((key) -> key.isSuperseded(request));
	}

	Renewal renew(Collection<LeaseRequest> requests) {
		return call(() -> {
			Set<LeaseRequest> held = requests.stream().filter(this::extend).collect(Collectors.toSet());
			Set<LeaseRequest> lost = new HashSet<>(requests);
			lost.removeAll(held);
			return new Renewal(held, lost);
		});
	}

	boolean release(LeaseRequest request) {
		return call(() -> releaseLease(request));
	}

	/**
	 * Replace the owner of a lease by a placeholder owner until the delay is over. The
	 * next contenders are notified to retry.
	 */
	boolean releaseWithDelay(LeaseRequest request, Duration delay) {
		return call(() -> {
			LocalLease lease = this.leases.get(request);
			if (lease == null) {
				return releaseLease(request);
			}
			this.leases.remove(request);
			discardNotificationsOf(request);
			LocalLease former = lease.formerUntil(this.now.plus(delay));
			this.leases.put(former);
			request.keys().forEach((name) -> keyNamed(name).replace(request, former.request()));
			request.keys().forEach(this::hintNextOf);
			return true;
		});
	}

	private void hintNextOf(String name) {
		keyNamed(name).queue()
			.entrySet()
			.stream()
			.findFirst()
			.ifPresent((next) -> this.hints.add(() -> next.getValue().notifier().onRetryHint(next.getKey())));
	}

	Attempt downgrade(LocalNotifier notifier, LeaseRequest stronger, LeaseRequest weaker) {
		return call(() -> {
			LocalLease held = this.leases.get(weaker);
			if (held != null) {
				return new Grant(held.token(), held.remaining(this.now));
			}
			LocalLease former = this.leases.remove(stronger);
			if (former == null) {
				return deny(weaker);
			}
			discardNotificationsOf(stronger);
			LocalLease lease = (weaker.terms().mode() instanceof LeaseMode.Permits)
					? replace(former, former.by(weaker, this.now)) : replace(notifier, stronger, weaker);
			makeWay(stronger); // for owners that fit beside the weaker lease
			return lease.toGrant();
		});
	}

	private LocalLease replace(LocalLease former, LocalLease lease) {
		this.leases.put(lease);
		lease.request().keys().forEach((name) -> keyNamed(name).replace(former.request(), lease.request()));
		return lease;
	}

	private LocalLease replace(LocalNotifier notifier, LeaseRequest exclusive, LeaseRequest shared) {
		exclusive.keys().forEach((name) -> keyNamed(name).remove(exclusive));
		return grant(notifier, shared);
	}

	void removeContendersOf(LocalNotifier notifier) {
		call(() -> contendersOf(notifier)).forEach(this::release);
	}

	List<LeaseHolder> holders(String name) {
		return call(() -> leasesOf(name).map((lease) -> lease.toHolder(this.now)).toList());
	}

	List<LeaseWaiter> queue(String name) {
		return call(() -> (!this.keys.containsKey(name)) ? List.<LeaseWaiter>of() : keyNamed(name).queue()
			.entrySet()
			.stream()
			.map((entry) -> new LeaseWaiter(entry.getKey().owner().toString(), entry.getValue().notifier().process()))
			.toList());
	}

	int size() {
		return call(() -> this.keys.size() + this.leases.size()) + this.values.size();
	}

	private <T> T call(Supplier<T> action) {
		try {
			return inOneStep(action);
		}
		finally {
			fireGranted();
			fireHints();
			fireLost();
		}
	}

	private <T> T inOneStep(Supplier<T> action) {
		synchronized (this.monitor) {
			this.now = this.clock.instant();
			endOverdueLeases();
			return action.get();
		}
	}

	private void endOverdueLeases() {
		for (LocalLease lease = this.leases.overdue(this.now); lease != null; lease = this.leases.overdue(this.now)) {
			end(lease);
		}
	}

	private boolean end(LocalLease lease) {
		this.lost.add(lease);
		return releaseLease(lease.request());
	}

	private void fireGranted() {
		for (Promotion next = this.granted.poll(); next != null; next = this.granted.poll()) {
			LocalLease lease = next.lease();
			if (!next.contender().notifyContender(lease)) {
				inOneStep(() -> releaseLease(lease.request()));
			}
		}
	}

	private void fireHints() {
		for (Runnable hint = this.hints.poll(); hint != null; hint = this.hints.poll()) {
			hint.run();
		}
	}

	private void fireLost() {
		for (LocalLease lease = this.lost.poll(); lease != null; lease = this.lost.poll()) {
			lease.notifier().onLost(lease.request());
		}
	}

	private Attempt attempt(LocalNotifier notifier, LeaseRequest request, boolean queueing) {
		LocalLease held = this.leases.get(request);
		if (held != null) {
			discardNotificationsOf(request); // the result reports it
			return new Grant(held.token(), held.remaining(this.now));
		}
		keysOf(request).forEach((key) -> key.checkLimit(request));
		return isAdmitted(request, queueing) ? grant(notifier, request).toGrant() : deny(request);
	}

	private boolean isAdmitted(LeaseRequest request, boolean queueing) {
		return keysOf(request).allMatch((key) -> key.admits(request, queueing));
	}

	private LocalLease grant(LocalNotifier notifier, LeaseRequest request) {
		long microseconds = ChronoUnit.MICROS.between(Instant.EPOCH, this.now);
		long token = Math.max(this.lastToken + 1, microseconds);
		LocalLease lease = new LocalLease(notifier, request, token, this.now.plus(request.terms().leaseTime()));
		this.lastToken = lease.lastToken();
		this.leases.put(lease);
		request.keys().forEach((name) -> keyNamed(name).hold(request));
		return lease;
	}

	private LocalKey keyNamed(String name) {
		return this.keys.computeIfAbsent(name, (absent) -> new LocalKey());
	}

	private Denial deny(LeaseRequest request) {
		return request.keys()
			.stream()
			.flatMap(this::leasesOf)
			.map((lease) -> lease.remaining(this.now))
			.min(Comparator.naturalOrder())
			.map(Denial::new)
			.orElse(Denial.UNKNOWN_DURATION);
	}

	private Denial enqueue(LocalNotifier notifier, LeaseRequest request, Denial denial) {
		LocalContender contender = new LocalContender(notifier, ++this.lastAttemptId, this.now);
		request.keys().forEach((name) -> keyNamed(name).enqueue(request, contender));
		return new Denial(denial.retryAfter(), contender.attemptId());
	}

	private boolean extend(LeaseRequest request) {
		LocalLease lease = this.leases.get(request);
		if (lease != null) {
			this.leases.put(lease.renewed(this.now.plus(request.terms().leaseTime())));
		}
		return lease != null;
	}

	private boolean releaseLease(LeaseRequest request) {
		LocalLease lease = this.leases.remove(request);
		LeaseRequest remaining = (lease != null) ? lease.request().without(request.keys()) : null;
		if (lease != null && remaining != null) {
			this.leases.put(lease.of(remaining));
			return releasePart(lease.request(), request);
		}
		discardNotificationsOf(request);
		request.keys().forEach((name) -> leave(name, request));
		makeWay(request);
		return lease != null;
	}

	/**
	 * Release some keys of a lease, unless that was done before.
	 */
	private boolean releasePart(LeaseRequest lease, LeaseRequest part) {
		List<String> given = part.keys().stream().filter(lease.keys()::contains).toList();
		given.forEach((name) -> leave(name, part));
		makeWay(part);
		return given.size() == part.keys().size();
	}

	private void discardNotificationsOf(LeaseRequest request) {
		this.granted.removeIf((next) -> next.lease().request().equals(request));
	}

	private void leave(String name, LeaseRequest request) {
		this.keys.computeIfPresent(name, (same, key) -> key.remove(request) ? null : key);
	}

	private void makeWay(LeaseRequest request) {
		Deque<String> names = new ArrayDeque<>(request.keys());
		while (!names.isEmpty()) {
			Optional<Map.Entry<LeaseRequest, LocalContender>> next = nextOf(names.element());
			if (next.isPresent()) {
				LeaseRequest admitted = next.get().getKey();
				LocalContender contender = next.get().getValue();
				this.granted.add(new Promotion(grant(contender.notifier(), admitted), contender));
				names.addAll(admitted.keys());
			}
			else {
				names.remove();
			}
		}
	}

	private Optional<Map.Entry<LeaseRequest, LocalContender>> nextOf(String name) {
		LocalKey key = this.keys.get(name);
		if (key == null || key.isHeldExclusively()) {
			return Optional.empty();
		}
		return key.queue().entrySet().stream().filter((entry) -> isAdmitted(entry.getKey(), true)).findFirst();
	}

	private Stream<LocalKey> keysOf(LeaseRequest request) {
		return request.keys().stream().map(this.keys::get).filter(Objects::nonNull);
	}

	private Stream<LocalLease> leasesOf(String name) {
		LocalKey key = this.keys.get(name);
		return (key != null) ? key.holders().stream().map(this.leases::get) : Stream.empty();
	}

	private List<LeaseRequest> contendersOf(LocalNotifier notifier) {
		return this.keys.values()
			.stream()
			.flatMap((key) -> key.queue().entrySet().stream())
			.filter((entry) -> entry.getValue().notifier() == notifier)
			.map(Map.Entry::getKey)
			.toList();
	}

	/**
	 * Contender that became a holder and has not been notified yet.
	 *
	 * @param lease the lease
	 * @param contender the former contender
	 */
	private record Promotion(LocalLease lease, LocalContender contender) {
	}

}
