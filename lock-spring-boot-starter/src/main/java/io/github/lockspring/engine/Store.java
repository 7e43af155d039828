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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.support.Durations;

/**
 * Adapter for the calls to the backend. The caller's interrupt status is cleared during a
 * call and restored afterwards: an interrupt does not undo a call that was sent, and some
 * clients close their connection on one. Unexpected exceptions of a backend leave the
 * outcome unknown; an {@link IllegalArgumentException} of an attempt is a rejection.
 */
final class Store {

	private static final AcquireOptions PROBE = AcquireOptions.exclusive(Duration.ofSeconds(5), false);

	private volatile LockBackend backend;

	private final String instance = OwnerId.newInstance();

	private final AtomicLong sequence = new AtomicLong();

	private volatile Set<Capability> capabilities;

	Store(LockBackend backend) {
		this.backend = backend;
		this.capabilities = Set.copyOf(backend.capabilities());
	}

	/**
	 * Open the backend.
	 */
	void open(BackendListener listener) {
		this.backend.start(listener);
	}

	/**
	 * Reopen the closed backend.
	 */
	void reopen(BackendListener listener) {
		LockBackend backend = this.backend.reopened();
		this.backend = backend;
		this.capabilities = Set.copyOf(backend.capabilities());
		backend.start(listener);
	}

	String name() {
		return this.backend.name();
	}

	/**
	 * Return the longest lease time that the store supports.
	 */
	Duration maxLeaseTime() {
		return this.backend.maxLeaseTime();
	}

	/**
	 * Return how long the store currently keeps a lease without contact.
	 */
	long leaseNanos(LeaseRequest lease) {
		return Math.min(lease.terms().leaseTime().toNanos(), maxLeaseNanos());
	}

	/**
	 * Return the longest time after which nothing is left in the store of a request
	 * without contact. A lease that is bound to a session ends no sooner than that.
	 */
	long lifeNanos(LeaseRequest request) {
		long longest = maxLeaseNanos();
		long lease = request.terms().leaseTime().toNanos();
		return (longest < Durations.LONGEST_NANOS) ? Math.max(lease, longest) : lease;
	}

	private long maxLeaseNanos() {
		return Durations.nanos(maxLeaseTime());
	}

	boolean hasQueue() {
		return this.capabilities.contains(Capability.QUEUE);
	}

	/**
	 * Return whether waiting requests are notified when to retry, with or without a
	 * queue.
	 */
	boolean hasNotifications() {
		return hasQueue() || this.capabilities.contains(Capability.NOTIFICATIONS);
	}

	/**
	 * Return whether a waiting request has a queue entry in the store: a fair one has it
	 * even if it must be polled.
	 */
	boolean hasQueueEntriesFor(AcquireOptions terms) {
		return terms.isFair() || keepsTurns();
	}

	/**
	 * Return whether processes that want a key get it in turns.
	 */
	boolean keepsTurns() {
		return hasQueue() || this.capabilities.contains(Capability.PLACES);
	}

	/**
	 * Return whether a waiting request enters the queue of the store with its first
	 * attempt. Without notifications, a queue entry costs more than another attempt if
	 * the wait is short.
	 */
	boolean isQueueEnteredAtOnce(AcquireOptions terms) {
		return terms.isFair() || hasNotifications() || !this.capabilities.contains(Capability.PLACES);
	}

	boolean hasMultiKey() {
		return this.capabilities.contains(Capability.MULTI_KEY);
	}

	boolean hasReaders() {
		return this.capabilities.contains(Capability.SHARED);
	}

	/**
	 * Reject options that the backend does not support.
	 */
	void requireSupport(AcquireOptions terms) {
		if (terms.isFair()) {
			require(Capability.FAIR, "fair locks");
		}
		if (terms.mode() == LeaseMode.SHARED) {
			require(Capability.SHARED, "read locks");
		}
		if (terms.mode() instanceof LeaseMode.Permits) {
			require(Capability.PERMITS, "semaphores");
		}
	}

	private void require(Capability capability, String what) {
		if (!this.capabilities.contains(capability)) {
			throw new EngineException(EngineException.Reason.UNSUPPORTED,
					"The lock backend '" + name() + "' does not support " + what, null);
		}
	}

	LeaseRequest newRequest(String key, AcquireOptions terms, boolean contended) {
		return new LeaseRequest(key, terms.leaseTerms(contended), this.instance, this.sequence.incrementAndGet());
	}

	LeaseRequest newRequest(List<String> keys, AcquireOptions terms) {
		return new LeaseRequest(keys, terms.leaseTerms(false),
				new OwnerId(this.instance, this.sequence.incrementAndGet()));
	}

	Attempt tryAcquire(LeaseRequest request, boolean queueing, Duration timeout) {
		boolean interrupted = Thread.interrupted();
		try {
			return queueing ? this.backend.contend(request, timeout) : this.backend.tryAcquire(request, timeout);
		}
		catch (BackendException ex) {
			throw ex;
		}
		catch (IllegalArgumentException ex) {
			throw new EngineException(EngineException.Reason.REFUSED,
					"The lock backend '" + name() + "' rejected the request: " + ex.getMessage(), ex);
		}
		catch (RuntimeException ex) {
			throw unknown(ex);
		}
		finally {
			restore(interrupted);
		}
	}

	/**
	 * Poll waiting requests. Called by threads that are never interrupted.
	 */
	Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		try {
			return this.backend.poll(waiting, timeout);
		}
		catch (BackendException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw unknown(ex);
		}
	}

	int renewalBatchSize() {
		return this.backend.renewalBatchSize();
	}

	Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return this.backend.renew(leases, timeout);
	}

	boolean release(LeaseRequest request, Duration timeout) {
		return release(request, 0, timeout);
	}

	/**
	 * Release a lease.
	 * @param delayNanos how long the key remains locked; not at all if not positive
	 */
	boolean release(LeaseRequest request, long delayNanos, Duration timeout) {
		boolean interrupted = Thread.interrupted();
		try {
			return (delayNanos > 0) ? this.backend.releaseWithDelay(request, delay(delayNanos), timeout)
					: this.backend.release(request, timeout);
		}
		catch (BackendException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw unknown(ex);
		}
		finally {
			restore(interrupted);
		}
	}

	Attempt downgrade(LeaseRequest exclusive, LeaseRequest shared, Duration timeout) {
		boolean interrupted = Thread.interrupted();
		try {
			return this.backend.downgrade(exclusive, shared, timeout);
		}
		catch (BackendException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw unknown(ex);
		}
		finally {
			restore(interrupted);
		}
	}

	private static Duration delay(long nanos) {
		return Duration.ofMillis(1 + (nanos - 1) / 1_000_000); // stores count in
																// milliseconds
	}

	CompletionStage<Boolean> releaseAsync(LeaseRequest request, long delayNanos, Duration timeout) {
		boolean interrupted = Thread.interrupted();
		try {
			return (delayNanos > 0) ? this.backend.releaseWithDelayAsync(request, delay(delayNanos), timeout)
					: this.backend.releaseAsync(request, timeout);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		finally {
			restore(interrupted);
		}
	}

	Duration probe(String key, Duration timeout) {
		try {
			return this.backend.probe(newRequest(key, PROBE, false), timeout);
		}
		catch (BackendException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new BackendUnavailableException("The lock backend '" + name() + "' failed: " + ex, ex);
		}
	}

	EngineException unavailable(BackendException failure) {
		return new EngineException(EngineException.Reason.UNAVAILABLE, "The lock backend " + description() + " failed",
				failure);
	}

	/**
	 * Return the name of the backend and the address of its store.
	 */
	String description() {
		String address = this.backend.address();
		return '\'' + name() + '\'' + (address.isEmpty() ? "" : " at " + address);
	}

	List<String> warnings() {
		return this.backend.warnings();
	}

	void close() {
		this.backend.close();
	}

	private OutcomeUnknownException unknown(RuntimeException cause) {
		return new OutcomeUnknownException("The lock backend '" + name() + "' failed: " + cause, cause);
	}

	private static void restore(boolean interrupted) {
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
