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
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.Renewal;

/**
 * {@link LockBackend} that keeps leases in the memory of this process, for tests and for
 * applications that run on a single node. It does not exclude other processes, and logs a
 * warning about that when it is first used.
 * <p>
 * Backends on the same {@link LocalStore} compete with each other as processes do.
 * Timeouts are ignored, because no call ever waits. Thread-safe.
 */
public final class LocalLockBackend implements LockBackend {

	private static final Log logger = LogFactory.getLog(LocalLockBackend.class);

	private final LocalStore store;

	private final LocalNotifier notifier = new LocalNotifier();

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
		this.store = store;
	}

	@Override
	public String name() {
		return "local";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.allOf(Capability.class);
	}

	@Override
	public void start(BackendListener listener) {
		logger.warn("Locks are kept in the memory of this process: other processes are not excluded");
		this.notifier.setListener(listener);
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		return this.store.tryAcquire(this.notifier, request);
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		return this.store.contend(this.notifier, request);
	}

	@Override
	public Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		return this.store.poll(this.notifier, waiting);
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return this.store.renew(leases);
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return this.store.release(lease);
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		return this.store.releaseWithDelay(lease, delay);
	}

	@Override
	public Attempt downgrade(LeaseRequest exclusive, LeaseRequest shared, Duration timeout) {
		return this.store.downgrade(this.notifier, exclusive, shared);
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return this.store.holders(key);
	}

	@Override
	public void close() {
		this.notifier.setListener(null);
		this.store.removeContendersOf(this.notifier);
	}

}
