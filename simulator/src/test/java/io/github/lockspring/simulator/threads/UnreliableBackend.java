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

package io.github.lockspring.simulator.threads;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;

import io.github.lockspring.simulator.machine.Replaced;
import io.github.lockspring.simulator.threads.Trial.Speed;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * Backend whose calls take time, before and after they have an effect, and fail, before
 * or after that, as random numbers decide.
 */
final class UnreliableBackend implements LockBackend {

	/**
	 * Maximum time before and after a call has its effect.
	 */
	static final long MAX_NANOS = 5_000_000;

	private static final int FAILS_ONE_OF = 6;

	private static final int HANGS_ONE_OF = 30;

	private final LockBackend backend;

	private final Trial trial;

	private final SplittableRandom random;

	private boolean failing;

	UnreliableBackend(LockBackend backend, Trial trial) {
		this.backend = backend;
		this.trial = trial;
		this.random = trial.scheduler.random().split();
		this.failing = trial.isFailing();
	}

	/**
	 * Let no call fail from now on.
	 */
	void heal() {
		this.failing = false;
	}

	/**
	 * Make a call, during which no thread may have to wait for a monitor of its caller.
	 */
	private <T> T call(Supplier<T> call) {
		if (Replaced.holdsMonitor()) {
			this.trial.violated("A call to the store is made under a monitor");
		}
		delay(nextDelay());
		if (fails(HANGS_ONE_OF)) {
			delay(Trial.OPERATION_TIMEOUT.toNanos());
			throw new OutcomeUnknownException("no answer in time", null);
		}
		if (fails(FAILS_ONE_OF)) {
			throwError();
			throw new BackendUnavailableException("not sent", null);
		}
		T result = call.get();
		delay(nextDelay());
		if (fails(FAILS_ONE_OF)) {
			throwError();
			throw new OutcomeUnknownException("answer lost", null);
		}
		return result;
	}

	private void throwError() {
		if (this.trial.speed == Speed.THROWING && this.random.nextBoolean()) {
			throw new StoreError();
		}
	}

	private boolean fails(int oneOf) {
		return this.failing && this.random.nextInt(oneOf) == 0;
	}

	private long nextDelay() {
		return this.random.nextInt(6) * MAX_NANOS / 5;
	}

	private static void delay(long nanos) {
		boolean interrupted = Thread.interrupted();
		long end = Replaced.nanoTime() + nanos;
		for (long left = end - Replaced.nanoTime(); left > 0; left = end - Replaced.nanoTime()) {
			Replaced.parkNanos(UnreliableBackend.class, left);
			interrupted |= Thread.interrupted();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public String name() {
		return this.backend.name();
	}

	@Override
	public Set<Capability> capabilities() {
		return this.backend.capabilities();
	}

	@Override
	public void identify(String instance, ProcessName name) {
		this.backend.identify(instance, name);
	}

	@Override
	public void start(BackendListener listener) {
		this.backend.start(listener);
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		return call(() -> this.backend.tryAcquire(request, timeout));
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		return call(() -> this.backend.contend(request, timeout));
	}

	@Override
	public Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		return call(() -> this.backend.poll(waiting, timeout));
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return call(() -> this.backend.renew(leases, timeout));
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return call(() -> {
			boolean held = this.backend.release(lease, timeout);
			if (held) {
				lease.keys().forEach(this.trial::busy); // perhaps long after its holder
														// ended
			}
			return held;
		});
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		return call(() -> this.backend.releaseWithDelay(lease, delay, timeout));
	}

	@Override
	public void declineRecall(LeaseRequest lease, Duration timeout) {
		call(() -> {
			this.backend.declineRecall(lease, timeout);
			return true;
		});
	}

	@Override
	public Attempt downgrade(LeaseRequest held, LeaseRequest weaker, Duration timeout) {
		return call(() -> this.backend.downgrade(held, weaker, timeout));
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return call(() -> this.backend.inspect(key, timeout));
	}

	@Override
	public List<LeaseWaiter> inspectQueue(String key, Duration timeout) {
		return call(() -> this.backend.inspectQueue(key, timeout));
	}

	@Override
	public boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		return call(() -> this.backend.forceRelease(key, holder, timeout));
	}

	@Override
	public Optional<ValueBackend> values() {
		return this.backend.values().map(UnreliableValues::new);
	}

	@Override
	public void close() {
		this.backend.close();
	}

	/**
	 * Values of this backend.
	 */
	private final class UnreliableValues implements ValueBackend {

		private final ValueBackend values;

		private UnreliableValues(ValueBackend values) {
			this.values = values;
		}

		@Override
		public Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout) {
			return call(() -> this.values.read(keys, watch, timeout));
		}

		@Override
		public void unwatch(String key) {
			this.values.unwatch(key);
		}

		@Override
		public boolean notifiesOfChanges() {
			return this.values.notifiesOfChanges();
		}

		@Override
		public boolean expiresValues() {
			return this.values.expiresValues();
		}

		@Override
		public ValueUpdateResult update(ValueUpdate update, Duration timeout) {
			return call(() -> this.values.update(update, timeout));
		}

	}

	/**
	 * Thrown by a call to the store, before or after it has its effect, like an error of
	 * a client library.
	 */
	@SuppressWarnings("serial")
	static final class StoreError extends Error {

		StoreError() {
			super("error of the client");
		}

	}

}
