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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.support.Deadline;

/**
 * {@link LockBackend} on a {@link StateStore}. It supports every kind of lock and value,
 * without notifications: waiting requests are retried, and a released key is reserved for
 * the first of them.
 * <ol>
 * <li>The state of each key and of each value is a text. An operation reads it, lets
 * {@link KeyState} or {@link ValueState} decide, and replaces it.</li>
 * <li>If another process has replaced it meanwhile, the operation is repeated.</li>
 * <li>Several keys are replaced one after the other. If one of them is taken meanwhile,
 * the others are released.</li>
 * </ol>
 * Thread-safe.
 */
public final class StateBackend implements LockBackend {

	private static final Set<Capability> CAPABILITIES = Set.of(Capability.SHARED, Capability.PERMITS,
			Capability.MULTI_KEY, Capability.FAIR, Capability.FENCING, Capability.POLLED_QUEUE);

	private static final int RENEWALS_PER_CALL = 50;

	private final String name;

	private final StateStore store;

	private final ValueBackend values;

	private volatile String process = "";

	/**
	 * Create a backend.
	 * @param name a short name in lower case, for messages, health and metrics
	 * @param store the store
	 */
	public StateBackend(String name, StateStore store) {
		this.name = name;
		this.store = store;
		this.values = new StateValueBackend(store);
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public Set<Capability> capabilities() {
		return CAPABILITIES;
	}

	@Override
	public void identify(String instance, ProcessName name) {
		this.process = name.toString();
	}

	@Override
	public void start(BackendListener listener) {
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		return acquire(request, false, timeout);
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		return acquire(request, true, timeout);
	}

	private Attempt acquire(LeaseRequest request, boolean queueing, Duration timeout) {
		KeyStates after = change(request.keys(), Deadline.after(timeout),
				(states) -> acquired(states, request, queueing))
			.after();
		return after.areHeldBy(request.ownerText()) ? after.grantOf(request) : after.denial(request);
	}

	/**
	 * Grant a request, or let it wait. It may hold some of several keys, written by an
	 * attempt that was overtaken at another key.
	 */
	private KeyStates acquired(KeyStates states, LeaseRequest request, boolean queueing) {
		if (states.areHeldBy(request.ownerText())) {
			return states;
		}
		states.checkLimit(request.terms().mode());
		if (states.admit(request)) {
			return states.granted(request, this.process);
		}
		KeyStates denied = states.denied(request);
		return queueing ? denied.changed((state) -> state.entered(request, this.process, true)) : denied;
	}

	@Override
	public int renewalBatchSize() {
		return RENEWALS_PER_CALL;
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		long deadline = Deadline.after(timeout);
		Set<LeaseRequest> held = new HashSet<>();
		Set<LeaseRequest> lost = new HashSet<>();
		for (LeaseRequest lease : leases) {
			String owner = lease.ownerText();
			boolean whole = !lease.hasMultipleKeys() || read(lease.keys(), deadline, new HashMap<>()).areHeldBy(owner);
			boolean renewed = whole
					&& changeEach(lease, deadline, (state) -> state.renewed(owner, lease.terms().leaseTime()));
			(renewed ? held : lost).add(lease);
		}
		return new Renewal(held, lost);
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return changeEach(lease, Deadline.after(timeout), (state) -> state.released(lease.ownerText()));
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		return changeEach(lease, Deadline.after(timeout), (state) -> state.releasedWithDelay(lease.ownerText(), delay));
	}

	@Override
	public Attempt downgrade(LeaseRequest held, LeaseRequest weaker, Duration timeout) {
		KeyStates after = change(weaker.keys(), Deadline.after(timeout), (states) -> {
			boolean replaces = !states.areHeldBy(weaker.ownerText()) && states.areHeldBy(held.ownerText());
			return replaces ? states.downgraded(held, weaker, this.process) : states;
		}).after();
		return after.areHeldBy(weaker.ownerText()) ? after.grantOf(weaker) : after.denial();
	}

	@Override
	public boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		Change change = change(List.of(key), Deadline.after(timeout),
				(states) -> states.changed((state) -> state.released(holder.owner())));
		return change.before().areHeldBy(holder.owner());
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return state(key, timeout).inspect();
	}

	@Override
	public List<LeaseWaiter> inspectQueue(String key, Duration timeout) {
		return state(key, timeout).inspectQueue();
	}

	@Override
	public Optional<ValueBackend> values() {
		return Optional.of(this.values);
	}

	@Override
	public String address() {
		return this.store.address();
	}

	@Override
	public void close() {
		this.store.close();
	}

	/**
	 * Change the states of the keys of a lease, one after the other.
	 * @return whether the owner held all of them
	 */
	private boolean changeEach(LeaseRequest lease, long deadline, UnaryOperator<KeyState> change) {
		boolean held = true;
		for (String key : lease.keys()) {
			Change changed = change(List.of(key), deadline, (states) -> states.changed(change));
			held &= changed.before().areHeldBy(lease.ownerText());
		}
		return held;
	}

	/**
	 * Change the states of keys. Repeated if another process changes one of them
	 * meanwhile.
	 */
	private Change change(List<String> keys, long deadline, UnaryOperator<KeyStates> change) {
		do {
			Map<String, @Nullable String> texts = new HashMap<>();
			KeyStates before = read(keys, deadline, texts);
			KeyStates after = change.apply(before);
			if (write(texts, before, after, deadline)) {
				return new Change(before, after);
			}
		}
		while (!Deadline.isOver(deadline));
		throw new OutcomeUnknownException("The state of the key changed too often to be replaced", null);
	}

	private KeyState state(String key, Duration timeout) {
		return read(List.of(key), Deadline.after(timeout), new HashMap<>()).states().get(0);
	}

	private KeyStates read(List<String> keys, long deadline, Map<String, @Nullable String> texts) {
		return KeyStates.of(keys, (key) -> {
			StateStore.Snapshot read = this.store.read(id(key), Deadline.remaining(deadline));
			texts.put(key, read.text());
			return StateText.key(read);
		});
	}

	/**
	 * Write the states that were changed.
	 * @return {@code false} if another process has changed one of them
	 */
	private boolean write(Map<String, @Nullable String> texts, KeyStates before, KeyStates after, long deadline) {
		int written = 0;
		try {
			for (int i = 0; i < after.keys().size(); i++) {
				String key = after.keys().get(i);
				KeyState state = after.states().get(i);
				if (state != before.states().get(i) && !this.store.compareAndSet(id(key), texts.get(key),
						StateText.of(state), Deadline.remaining(deadline))) {
					return false;
				}
				written++;
			}
			return true;
		}
		catch (BackendException ex) {
			throw (written > 0) ? new OutcomeUnknownException("Only some of several keys were written", ex) : ex;
		}
	}

	private static String id(String key) {
		return "k:" + key;
	}

	/**
	 * Change of the states of keys.
	 *
	 * @param before the states as read
	 * @param after the states as written
	 */
	private record Change(KeyStates before, KeyStates after) {
	}

}
