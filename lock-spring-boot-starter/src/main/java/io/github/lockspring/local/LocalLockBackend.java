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
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.ValueBackend;

/**
 * {@link LockBackend} that keeps leases and values in the memory of this process, for
 * tests and for applications that run on a single node. It does not exclude other
 * processes, and logs a warning about that when it is first used.
 * <p>
 * Backends on the same {@link LocalStore} compete with each other as processes do.
 * Timeouts are ignored, because no call ever waits. Thread-safe.
 */
public final class LocalLockBackend implements LockBackend {

	private static final Log logger = LogFactory.getLog(LocalLockBackend.class);

	private static final String NAME = "local";

	private final String name;

	private final LocalStore store;

	private final boolean announced;

	private final LocalNotifier notifier = new LocalNotifier();

	private final LocalValueBackend values;

	/**
	 * Create a backend with a new store.
	 */
	public LocalLockBackend() {
		this(new LocalStore());
	}

	/**
	 * Create a backend with a store that may be shared with other backends.
	 * @param store the store of the leases
	 */
	public LocalLockBackend(LocalStore store) {
		this(NAME, store, true);
	}

	/**
	 * Create a backend that replaces another one under its name, for a test. It logs no
	 * warning.
	 * @param name the name of the backend
	 * @param store the store of the leases
	 */
	public LocalLockBackend(String name, LocalStore store) {
		this(name, store, false);
	}

	private LocalLockBackend(String name, LocalStore store, boolean announced) {
		this.name = name;
		this.store = store;
		this.announced = announced;
		this.values = new LocalValueBackend(store.values(), this.notifier);
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.allOf(Capability.class);
	}

	@Override
	public void identify(String instance, ProcessName name) {
		this.notifier.setProcess(name);
	}

	@Override
	public void start(BackendListener listener) {
		if (this.announced) {
			logger.warn("Locks are kept in the memory of this process: other processes are not excluded");
		}
		this.notifier.setListener(listener);
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		return this.store.call((keys) -> keys.acquire(this.notifier, request, false));
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		return this.store.call((keys) -> keys.acquire(this.notifier, request, true));
	}

	@Override
	public Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		return this.store.call((keys) -> keys.poll(this.notifier, waiting));
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return this.store.call((keys) -> keys.renew(leases));
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return this.store.call((keys) -> keys.release(lease));
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		return this.store.call((keys) -> keys.releaseWithDelay(this.notifier, lease, delay));
	}

	@Override
	public void declineRecall(LeaseRequest lease, Duration timeout) {
		this.store.call((keys) -> keys.declineRecall(lease));
	}

	@Override
	public Attempt downgrade(LeaseRequest held, LeaseRequest weaker, Duration timeout) {
		return this.store.call((keys) -> keys.downgrade(this.notifier, held, weaker));
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return this.store.holders(key);
	}

	@Override
	public List<LeaseWaiter> inspectQueue(String key, Duration timeout) {
		return this.store.call((keys) -> keys.state(key).inspectQueue());
	}

	@Override
	public boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		return this.store.call((keys) -> keys.forceRelease(key, holder.owner()));
	}

	@Override
	public Optional<ValueBackend> values() {
		return Optional.of(this.values);
	}

	@Override
	public void close() {
		this.notifier.setListener(BackendListener.NONE);
		this.store.call((keys) -> keys.removeContendersOf(this.notifier));
		this.store.values().removeWatchesOf(this.notifier);
	}

}
