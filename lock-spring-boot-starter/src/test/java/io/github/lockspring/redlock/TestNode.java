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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Renewal;

/**
 * Node in this process that fails on demand.
 */
final class TestNode implements LockBackend {

	final String name;

	final LocalLockBackend store;

	final AtomicInteger attempts = new AtomicInteger();

	final AtomicInteger releases = new AtomicInteger();

	/**
	 * Delays of the releases that this node received.
	 */
	final List<Duration> delays = new CopyOnWriteArrayList<>();

	volatile boolean down;

	/**
	 * Calls are made, but not answered.
	 */
	volatile boolean mute;

	/**
	 * What attempts wait for before they begin.
	 */
	volatile CountDownLatch attemptsHeld = new CountDownLatch(0);

	volatile Duration attemptsDelayed = Duration.ZERO;

	volatile Duration inspectionsDelayed = Duration.ZERO;

	/**
	 * A release whose answer does not come, and which has not come either.
	 */
	volatile boolean keepNextRelease;

	volatile LeaseRequest keptRelease;

	/**
	 * An attempt whose answer does not come, and which has not come either.
	 */
	volatile boolean keepNextAttempt;

	volatile LeaseRequest keptAttempt;

	volatile Supplier<String> runId;

	TestNode(String name, LocalStore store) {
		this.name = name;
		this.store = new LocalLockBackend(store);
		this.runId = () -> name;
	}

	RedlockNode node() {
		return new RedlockNode(this.name, this,
				(timeout) -> List.of("# Server\r\nrun_id:" + this.runId.get() + "\r\n"));
	}

	boolean isFree(String key) {
		return this.store.inspect(key, Duration.ofSeconds(1)).isEmpty();
	}

	private <T> T answer(Supplier<T> call) {
		if (this.down) {
			throw new BackendUnavailableException("connection refused", null);
		}
		T answer = call.get();
		if (this.mute) {
			throw new OutcomeUnknownException("no answer", null);
		}
		return answer;
	}

	@Override
	public String name() {
		return "test";
	}

	@Override
	public Set<Capability> capabilities() {
		return this.store.capabilities();
	}

	@Override
	public void start(BackendListener listener) {
		this.store.start(listener);
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		this.attempts.incrementAndGet();
		if (this.keepNextAttempt) {
			this.keepNextAttempt = false;
			this.keptAttempt = request;
			throw new OutcomeUnknownException("no answer", null);
		}
		return answer(() -> {
			pause(this.attemptsDelayed, this.attemptsHeld);
			return this.store.tryAcquire(request, timeout);
		});
	}

	private static void pause(Duration delay, CountDownLatch held) {
		try {
			Thread.sleep(delay.toMillis());
			held.await(5, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return answer(() -> this.store.renew(leases, timeout));
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		this.releases.incrementAndGet();
		if (this.keepNextRelease) {
			this.keepNextRelease = false;
			this.keptRelease = lease;
			throw new OutcomeUnknownException("no answer", null);
		}
		return answer(() -> this.store.release(lease, timeout));
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		this.delays.add(delay);
		this.releases.incrementAndGet();
		if (this.keepNextRelease) {
			this.keepNextRelease = false;
			this.keptRelease = lease;
			throw new OutcomeUnknownException("no answer", null);
		}
		return answer(() -> this.store.releaseWithDelay(lease, delay, timeout));
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return answer(() -> {
			pause(this.inspectionsDelayed, new CountDownLatch(0));
			return this.store.inspect(key, timeout);
		});
	}

	@Override
	public Duration probe(LeaseRequest request, Duration timeout) {
		return answer(() -> Duration.ZERO);
	}

	@Override
	public List<String> warnings() {
		return List.of("it is a test");
	}

	@Override
	public void close() {
		this.store.close();
	}

}
