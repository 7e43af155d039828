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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;
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

	private final String application;

	private volatile Set<Capability> capabilities;

	Store(LockBackend backend, String application) {
		this.backend = backend;
		this.application = application;
		this.capabilities = Set.copyOf(backend.capabilities());
	}

	/**
	 * Open the backend.
	 */
	void open(BackendListener listener) {
		start(this.backend, listener);
	}

	private void start(LockBackend backend, BackendListener listener) {
		backend.identify(this.instance, processName());
		backend.start(listener);
	}

	/**
	 * Return the name of this process.
	 */
	ProcessName processName() {
		return ProcessName.current(this.application);
	}

	/**
	 * Return the identifier of this process in all its requests.
	 */
	String instance() {
		return this.instance;
	}

	/**
	 * Reopen the closed backend.
	 */
	void reopen(BackendListener listener) {
		LockBackend backend = this.backend.reopened();
		this.backend = backend;
		this.capabilities = Set.copyOf(backend.capabilities());
		start(backend, listener);
	}

	String name() {
		return this.backend.name();
	}

	/**
	 * Return the maximum lease time that the store supports.
	 */
	Duration maxLeaseTime() {
		return this.backend.maxLeaseTime();
	}

	/**
	 * Return how long the store currently keeps a lease without contact.
	 */
	long leaseNanos(LeaseRequest lease) {
		Duration max = this.backend.maxLeaseTime();
		long nanos = lease.terms().leaseTime().toNanos();
		return (max == LockBackend.UNLIMITED) ? nanos : Math.min(nanos, Durations.nanos(max));
	}

	/**
	 * Return the maximum time after which nothing is left in the store of a request
	 * without contact. A lease that is bound to a session ends no sooner than that.
	 */
	long lifeNanos(LeaseRequest request) {
		long longest = Durations.nanos(maxLeaseTime());
		long lease = request.terms().leaseTime().toNanos();
		return (longest < Durations.MAX_NANOS) ? Math.max(lease, longest) : lease;
	}

	/**
	 * Return whether waiting requests are notified when to retry, with or without a
	 * queue.
	 */
	boolean hasNotifications() {
		return this.capabilities.contains(Capability.QUEUE) || this.capabilities.contains(Capability.NOTIFICATIONS);
	}

	/**
	 * Return whether a waiting request has a queue entry in the store: a fair one has it
	 * even if it must be polled.
	 */
	boolean hasQueueEntriesFor(AcquireOptions options) {
		return keepsTurns() || options.isFair();
	}

	/**
	 * Return whether the store keeps a queue, so that processes acquire a key in turns.
	 */
	boolean keepsTurns() {
		return this.capabilities.contains(Capability.QUEUE) || this.capabilities.contains(Capability.POLLED_QUEUE);
	}

	/**
	 * Return whether a waiting request enters the queue of the store with its first
	 * attempt. Without notifications, a queue entry costs more than another attempt if
	 * the wait is short.
	 */
	boolean isQueueEnteredImmediately(AcquireOptions options) {
		return hasNotifications() || options.isFair() || !this.capabilities.contains(Capability.POLLED_QUEUE);
	}

	boolean hasMultiKey() {
		return this.capabilities.contains(Capability.MULTI_KEY);
	}

	boolean hasReaders() {
		return this.capabilities.contains(Capability.SHARED);
	}

	/**
	 * Return whether the backend supports options.
	 */
	boolean supports(AcquireOptions options) {
		return firstUnsupported(options) == null;
	}

	/**
	 * Reject options that the backend does not support.
	 */
	void requireSupport(AcquireOptions options) {
		String unsupported = firstUnsupported(options);
		if (unsupported != null) {
			throw new EngineException(EngineException.Reason.UNSUPPORTED,
					"The lock backend '" + name() + "' does not support " + unsupported, null);
		}
	}

	private @Nullable String firstUnsupported(AcquireOptions options) {
		if (options.isFair() && isMissing(Capability.FAIR)) {
			return "fair locks";
		}
		if (options.mode() == LeaseMode.SHARED && isMissing(Capability.SHARED)) {
			return "read locks";
		}
		if (options.isRetained() && isMissing(Capability.RECALL)) {
			return "retained leases, because it cannot recall them for other processes";
		}
		return (options.mode() instanceof LeaseMode.Permits && isMissing(Capability.PERMITS)) ? "semaphores" : null;
	}

	private boolean isMissing(Capability capability) {
		return !this.capabilities.contains(capability);
	}

	LeaseRequest newRequest(String key, AcquireOptions options, boolean contended) {
		return new LeaseRequest(key, options.leaseTerms(contended), this.instance, this.sequence.incrementAndGet());
	}

	LeaseRequest newRequest(String key, LeaseTerms terms) {
		return new LeaseRequest(key, terms, this.instance, this.sequence.incrementAndGet());
	}

	LeaseRequest newRequest(List<String> keys, AcquireOptions options) {
		return new LeaseRequest(keys, options.leaseTermsOfSeveral(),
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
			throw rejected(ex);
		}
		catch (RuntimeException ex) {
			throw unknown(ex);
		}
		finally {
			restore(interrupted);
		}
	}

	EngineException rejected(IllegalArgumentException reason) {
		return new EngineException(EngineException.Reason.REJECTED,
				"The lock backend '" + name() + "' rejected the request: " + reason.getMessage(), reason);
	}

	Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		return change(() -> this.backend.poll(waiting, timeout));
	}

	int renewalBatchSize() {
		return this.backend.renewalBatchSize();
	}

	Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return change(() -> this.backend.renew(leases, timeout));
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

	void declineRecall(LeaseRequest lease, Duration timeout) {
		change(() -> {
			this.backend.declineRecall(lease, timeout);
			return lease;
		});
	}

	Attempt downgrade(LeaseRequest held, LeaseRequest weaker, Duration timeout) {
		return change(() -> againIfInterrupted(() -> this.backend.downgrade(held, weaker, timeout)));
	}

	private static Duration delay(long nanos) {
		// stores count in milliseconds
		return Duration.ofMillis(1 + (nanos - 1) / 1_000_000);
	}

	List<LeaseHolder> inspect(String key, Duration timeout) {
		return read(() -> this.backend.inspect(key, timeout));
	}

	List<LeaseWaiter> inspectQueue(String key, Duration timeout) {
		return read(() -> this.backend.inspectQueue(key, timeout));
	}

	boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		return change(() -> this.backend.forceRelease(key, holder, timeout));
	}

	/**
	 * Make a call whose outcome is unknown if it fails unexpectedly. Acquisitions and
	 * releases are made without it, as they should allocate nothing.
	 */
	private <T> T change(Supplier<T> call) {
		return call(call, OutcomeUnknownException::new);
	}

	/**
	 * Make a call that can be repeated as it changes nothing.
	 */
	private <T> T read(Supplier<T> call) {
		return call(() -> againIfInterrupted(call), BackendUnavailableException::new);
	}

	private <T> T call(Supplier<T> call, BiFunction<String, RuntimeException, BackendException> failure) {
		boolean interrupted = Thread.interrupted();
		try {
			return call.get();
		}
		catch (BackendException | EngineException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw failure.apply(failed(ex), ex);
		}
		finally {
			restore(interrupted);
		}
	}

	/**
	 * Make a call that can be repeated, and repeat it as often as it is interrupted,
	 * which fails calls of some clients.
	 */
	private static <T> T againIfInterrupted(Supplier<T> call) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return call.get();
				}
				catch (BackendException ex) {
					if (!Thread.interrupted()) {
						throw ex;
					}
					interrupted = true;
				}
			}
		}
		finally {
			restore(interrupted);
		}
	}

	/**
	 * Return the values of the store.
	 * @throws EngineException if the backend does not have any
	 */
	ValueBackend values() {
		return this.backend.values()
			.orElseThrow(() -> new EngineException(EngineException.Reason.UNSUPPORTED,
					"The lock backend '" + name() + "' does not support counters, latches and barriers", null));
	}

	/**
	 * Throw an exception if values cannot have a time to live.
	 */
	void requireExpiringValues() {
		if (!values().expiresValues()) {
			throw new EngineException(EngineException.Reason.UNSUPPORTED,
					"The lock backend '" + name() + "' does not support a time to live of counters and latches", null);
		}
	}

	boolean hasValues() {
		return this.backend.values().isPresent();
	}

	ValueUpdate newUpdate(String key, ValueChange change) {
		return new ValueUpdate(key, change, new OwnerId(this.instance, this.sequence.incrementAndGet()));
	}

	ValueUpdateResult update(ValueUpdate update, Duration timeout) {
		return change(() -> values().update(update, timeout));
	}

	Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout) {
		return read(() -> values().read(keys, watch, timeout));
	}

	Value read(String key, Duration timeout) {
		return read(List.of(key), false, timeout).getOrDefault(key, Value.ABSENT);
	}

	Duration probe(String key, Duration timeout) {
		return read(() -> this.backend.probe(newRequest(key, PROBE, false), timeout));
	}

	/**
	 * Make a call, and throw its failure as an exception of the engine.
	 */
	<T> T orUnavailable(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (BackendException ex) {
			throw unavailable(ex);
		}
	}

	EngineException unavailable(BackendException failure) {
		return new EngineException(EngineException.Reason.UNAVAILABLE, "The lock backend " + description() + " failed",
				failure);
	}

	/**
	 * Return the failure of those who have waited for an answer for too long.
	 */
	EngineException notAnswered() {
		return unavailable(new BackendUnavailableException("The store did not answer in time", null));
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
		return new OutcomeUnknownException(failed(cause), cause);
	}

	private String failed(RuntimeException cause) {
		return "The lock backend '" + name() + "' failed: " + cause;
	}

	private static void restore(boolean interrupted) {
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
