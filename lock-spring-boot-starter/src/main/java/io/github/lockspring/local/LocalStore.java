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

import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;

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
 * Thread-safe.
 */
public final class LocalStore {

	private final InstantSource clock;

	/**
	 * The keys, and the monitor that guards them.
	 */
	private final LocalKeys keys = new LocalKeys();

	private final LocalValues values;

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
		call((keys) -> keys.end(lease.ownerText()));
	}

	/**
	 * End all leases of a key immediately, as {@link #expire(LeaseRequest)} does.
	 * @param key the key
	 * @return whether there was one
	 */
	public boolean expire(String key) {
		return call((keys) -> keys.endAll(key));
	}

	/**
	 * Return the holders of a key.
	 * @param key the key
	 * @return the holders, empty if the key is free
	 */
	public List<LeaseHolder> holders(String key) {
		return call((keys) -> keys.state(key).inspect());
	}

	/**
	 * Return the keys that are held.
	 * @return the keys, sorted
	 */
	public Set<String> heldKeys() {
		return call(LocalKeys::held);
	}

	/**
	 * Return whether there are neither leases nor waiting requests nor values.
	 * @return whether this store is empty
	 */
	public boolean isEmpty() {
		return call(LocalKeys::size) == 0 && this.values.isEmpty();
	}

	/**
	 * Remove all leases, waiting requests and values, without notification. Must be
	 * called while no backend on this store is open.
	 */
	public void clear() {
		call(LocalKeys::clear);
		this.values.clear();
	}

	LocalValues values() {
		return this.values;
	}

	/**
	 * Return how much is stored.
	 */
	int size() {
		return call(LocalKeys::size) + this.values.size();
	}

	/**
	 * Make one step.
	 */
	<T> T call(Function<LocalKeys, T> action) {
		try {
			return inOneStep(action);
		}
		finally {
			this.keys.notifyGranted((unwanted) -> inOneStep((keys) -> keys.release(unwanted)));
			this.keys.notifyOthers();
		}
	}

	private <T> T inOneStep(Function<LocalKeys, T> action) {
		synchronized (this.keys) {
			this.keys.endExpired(this.clock.instant());
			return action.apply(this.keys);
		}
	}

}
