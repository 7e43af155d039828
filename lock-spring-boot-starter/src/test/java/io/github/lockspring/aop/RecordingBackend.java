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

package io.github.lockspring.aop;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.Renewal;

/**
 * A backend on a {@link LocalStore} that records which keys it was asked for, and can be
 * taken down.
 */
public final class RecordingBackend implements LockBackend {

	private final LocalLockBackend backend;

	private final List<LeaseRequest> requests = new CopyOnWriteArrayList<>();

	private final List<String> released = new CopyOnWriteArrayList<>();

	private final AtomicLong renewals = new AtomicLong();

	private final Set<Capability> capabilities;

	private volatile boolean down;

	private volatile @Nullable BackendListener listener;

	private final String name;

	public RecordingBackend(LocalStore store) {
		this(store, "recording");
	}

	public RecordingBackend(LocalStore store, String name) {
		this.backend = new LocalLockBackend(store);
		this.name = name;
		this.capabilities = EnumSet.copyOf(this.backend.capabilities());
	}

	/**
	 * Takes capabilities away, before it is used.
	 */
	public void without(Capability... capabilities) {
		this.capabilities.removeAll(List.of(capabilities));
	}

	/**
	 * The keys that were asked for, in order.
	 */
	public List<String> keys() {
		return this.requests.stream().flatMap((request) -> request.keys().stream()).toList();
	}

	/**
	 * The requests that were made, in order.
	 */
	public List<LeaseRequest> requests() {
		return this.requests;
	}

	/**
	 * The keys that were released, in order.
	 */
	public List<String> released() {
		return this.released;
	}

	/**
	 * How many times leases were renewed.
	 */
	public long renewals() {
		return this.renewals.get();
	}

	public void setDown(boolean down) {
		this.down = down;
	}

	/**
	 * Notifies the engine that the store cannot be asked at present, or that it can.
	 */
	public void setSuspended(boolean suspended) {
		BackendListener listener = this.listener;
		Assert.state(listener != null, "Not started");
		if (suspended) {
			listener.onSuspended();
		}
		else {
			listener.onResumed();
		}
	}

	private void requireUp() {
		if (this.down) {
			throw new BackendUnavailableException("connection refused", null);
		}
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public Set<Capability> capabilities() {
		return this.capabilities;
	}

	@Override
	public void start(BackendListener listener) {
		this.listener = listener;
		this.backend.start(listener);
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		requireUp();
		this.requests.add(request);
		return this.backend.tryAcquire(request, timeout);
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		requireUp();
		this.requests.add(request);
		return this.backend.contend(request, timeout);
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		requireUp();
		this.renewals.incrementAndGet();
		return this.backend.renew(leases, timeout);
	}

	@Override
	public void declineRecall(LeaseRequest lease, Duration timeout) {
		this.backend.declineRecall(lease, timeout);
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		requireUp();
		this.released.addAll(lease.keys());
		return this.backend.release(lease, timeout);
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		requireUp();
		this.released.addAll(lease.keys());
		return this.backend.releaseWithDelay(lease, delay, timeout);
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		requireUp();
		return this.backend.inspect(key, timeout);
	}

	@Override
	public Duration probe(LeaseRequest request, Duration timeout) {
		requireUp();
		return this.backend.probe(request, timeout);
	}

	@Override
	public void close() {
		this.backend.close();
	}

}
