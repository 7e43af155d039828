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
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * A backend on a {@link LocalStore} that records what it is asked, and fails as a test
 * wants it to.
 */
final class FaultyBackend implements LockBackend {

	private final LocalLockBackend backend;

	private final Set<Capability> capabilities = EnumSet
		.complementOf(EnumSet.of(Capability.NOTIFICATIONS, Capability.POLLED_QUEUE));

	private final ValueBackend values = new FaultyValues();

	private final List<Call> calls = new CopyOnWriteArrayList<>();

	private final List<Throwable> callsOfTimer = new CopyOnWriteArrayList<>();

	private final Map<Kind, Fault> faults = new EnumMap<>(Kind.class);

	private final Map<Kind, ConcurrentLinkedQueue<Fault>> nextFaults = new EnumMap<>(Kind.class);

	private final List<Supplier<Boolean>> heldNotifications = new ArrayList<>();

	private final Set<String> watched = ConcurrentHashMap.newKeySet();

	private volatile Delivery delivery = Delivery.PASS;

	private volatile UnaryOperator<@Nullable Renewal> renewalAnswer = (renewal) -> renewal;

	private volatile UnaryOperator<@Nullable Map<LeaseRequest, Denial>> pollAnswer = (denials) -> denials;

	private volatile boolean keepingValues = true;

	private volatile @Nullable String unreadable;

	private volatile int renewalBatchSize = 500;

	private volatile Duration longestLease = UNLIMITED;

	private final AtomicInteger longestLeaseFailure = new AtomicInteger();

	private volatile long lastAttemptId;

	private volatile @Nullable Duration claimTime;

	private volatile @Nullable Duration lastDelay;

	private volatile boolean recording = true;

	private volatile boolean polling = true;

	private volatile Runnable starting = () -> {
	};

	private volatile Runnable closing = () -> {
	};

	private volatile @Nullable BackendListener listener;

	FaultyBackend(LocalStore store) {
		this.backend = new LocalLockBackend(store);
		for (Kind kind : Kind.values()) {
			this.nextFaults.put(kind, new ConcurrentLinkedQueue<>());
		}
	}

	/**
	 * Takes capabilities away: without {@link Capability#QUEUE} the engine polls.
	 */
	FaultyBackend without(Capability... capabilities) {
		this.capabilities.removeAll(List.of(capabilities));
		return this;
	}

	/**
	 * Claims capabilities that there are not by default.
	 */
	FaultyBackend with(Capability... capabilities) {
		this.capabilities.addAll(List.of(capabilities));
		return this;
	}

	/**
	 * Answers nothing when it is asked for all that wait, as stores do that cannot.
	 */
	FaultyBackend withoutPoll() {
		this.polling = false;
		return this;
	}

	/**
	 * Keeps no values.
	 */
	FaultyBackend withoutValues() {
		this.keepingValues = false;
		return this;
	}

	/**
	 * Counts nothing from now on, for tests with very many calls.
	 */
	FaultyBackend withoutRecording() {
		this.recording = false;
		return this;
	}

	/**
	 * Has something done first when this is started.
	 */
	void onStart(Runnable starting) {
		this.starting = starting;
	}

	/**
	 * Has something done first when this is closed.
	 */
	void onClose(Runnable closing) {
		this.closing = closing;
	}

	/**
	 * Has all calls of a kind fail from now on.
	 */
	void always(Kind kind, Fault fault) {
		synchronized (this.faults) {
			this.faults.put(kind, fault);
		}
	}

	/**
	 * Has the next call of a kind fail, after those that were notified so before.
	 */
	void next(Kind kind, Fault fault) {
		this.nextFaults.get(kind).add(fault);
	}

	/**
	 * Has no call fail any more.
	 */
	void heal() {
		synchronized (this.faults) {
			this.faults.clear();
		}
		this.nextFaults.values().forEach(ConcurrentLinkedQueue::clear);
	}

	/**
	 * Has renewals answered otherwise than they are.
	 */
	void setRenewalAnswer(UnaryOperator<@Nullable Renewal> answer) {
		this.renewalAnswer = answer;
	}

	/**
	 * Has those who look after many be answered otherwise than they are.
	 */
	void setPollAnswer(UnaryOperator<@Nullable Map<LeaseRequest, Denial>> answer) {
		this.pollAnswer = answer;
	}

	/**
	 * The keys of the values that are watched.
	 */
	Set<String> watched() {
		return this.watched;
	}

	void setDelivery(Delivery delivery) {
		this.delivery = delivery;
	}

	/**
	 * Delivers the notifications that were kept, or delivers them again.
	 * @return how many were taken
	 */
	long deliverNotifications() {
		List<Supplier<Boolean>> all;
		synchronized (this.heldNotifications) {
			all = List.copyOf(this.heldNotifications);
		}
		return all.stream().filter(Supplier::get).count();
	}

	/**
	 * The engine, for notifications that a test makes up.
	 */
	BackendListener listener() {
		BackendListener listener = this.listener;
		Assert.state(listener != null, "Not started");
		return listener;
	}

	/**
	 * Has grants that the store sends without a request be notified as valid for this
	 * long only.
	 */
	void setClaimTime(Duration claimTime) {
		this.claimTime = claimTime;
	}

	/**
	 * Has the store keep no lease for longer of which it does not hear.
	 */
	void setLongestLease(Duration longestLease) {
		this.longestLease = longestLease;
	}

	/**
	 * Has one of the next calls that ask for that time fail.
	 */
	void failLongestLease(int number) {
		this.longestLeaseFailure.set(number);
	}

	/**
	 * The attempt id of the last attempt in the queue, zero if it was granted.
	 */
	long lastAttemptId() {
		return this.lastAttemptId;
	}

	/**
	 * The delay of the last release of this kind.
	 */
	@Nullable Duration lastDelay() {
		return this.lastDelay;
	}

	int keptNotifications() {
		synchronized (this.heldNotifications) {
			return this.heldNotifications.size();
		}
	}

	long count(Kind... kinds) {
		Set<Kind> wanted = Set.of(kinds);
		return this.calls.stream().filter((call) -> wanted.contains(call.kind())).count();
	}

	/**
	 * How many calls were made for leases: values are also read in the background.
	 */
	long countWithoutValues() {
		return this.calls.size() - count(Kind.READ, Kind.UPDATE);
	}

	/**
	 * How many attempts were made to acquire.
	 */
	long attempts() {
		return count(Kind.TRY, Kind.CONTEND);
	}

	List<Call> calls(Kind kind) {
		return this.calls.stream().filter((call) -> call.kind() == kind).toList();
	}

	Call lastCall(Kind kind) {
		List<Call> calls = calls(kind);
		return calls.get(calls.size() - 1);
	}

	void clearCalls() {
		this.calls.clear();
	}

	/**
	 * The calls that were made in the thread of a timer, although a store that blocks it
	 * stops all engines of the process. An executor that a test has run its tasks in that
	 * thread does not count.
	 */
	List<Throwable> callsOfTimer() {
		return this.callsOfTimer;
	}

	private void checkThread() {
		Thread thread = Thread.currentThread();
		if (thread.getName().startsWith("lock-timer") && !DirectExecutor.isRunning()) {
			this.callsOfTimer.add(new AssertionError("The store is asked in the thread " + thread.getName()));
		}
	}

	private <T> T call(Kind kind, Collection<LeaseRequest> requests, Duration timeout, Supplier<T> action) {
		checkThread();
		if (this.recording) {
			this.calls.add(new Call(kind, List.copyOf(requests), timeout));
		}
		Fault fault = this.nextFaults.get(kind).poll();
		synchronized (this.faults) {
			fault = (fault != null) ? fault : this.faults.getOrDefault(kind, Fault.NONE);
		}
		fault.before();
		T result = action.get();
		fault.after();
		return result;
	}

	@Override
	public String name() {
		return "faulty";
	}

	@Override
	public Set<Capability> capabilities() {
		return this.capabilities;
	}

	@Override
	public Duration maxLeaseTime() {
		if (this.longestLeaseFailure.getAndDecrement() == 1) {
			throw new IllegalStateException("a test");
		}
		return this.longestLease;
	}

	@Override
	public int renewalBatchSize() {
		return this.renewalBatchSize;
	}

	/**
	 * Has every read of a value fail.
	 */
	void failReadsOf(String key) {
		this.unreadable = key;
	}

	/**
	 * Has a renewal take no more keys than this.
	 */
	void setRenewalBatchSize(int renewalBatchSize) {
		this.renewalBatchSize = renewalBatchSize;
	}

	@Override
	public void start(BackendListener listener) {
		this.starting.run();
		this.listener = listener;
		this.backend.start(new FaultyNotifications(listener));
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		return call(Kind.TRY, List.of(request), timeout, () -> this.backend.tryAcquire(request, timeout));
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		boolean queueing = this.capabilities.contains(Capability.QUEUE);
		return call(Kind.CONTEND, List.of(request), timeout, () -> {
			Attempt attempt = queueing ? this.backend.contend(request, timeout)
					: this.backend.tryAcquire(request, timeout);
			this.lastAttemptId = (attempt instanceof Denial denial) ? denial.attemptId() : 0;
			return attempt;
		});
	}

	@Override
	public Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		if (!this.polling) {
			return LockBackend.super.poll(waiting, timeout);
		}
		boolean queueing = this.capabilities.contains(Capability.QUEUE);
		return call(Kind.POLL, waiting, timeout,
				() -> this.pollAnswer.apply(queueing ? this.backend.poll(waiting, timeout) : look(waiting, timeout)));
	}

	private Map<LeaseRequest, Denial> look(Collection<LeaseRequest> waiting, Duration timeout) {
		return waiting.stream()
			.filter((request) -> !this.backend.inspect(request.key(), timeout).isEmpty())
			.collect(Collectors.toMap(Function.identity(), (request) -> Denial.UNKNOWN_DURATION));
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return call(Kind.RENEW, leases, timeout, () -> this.renewalAnswer.apply(this.backend.renew(leases, timeout)));
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return call(Kind.RELEASE, List.of(lease), timeout, () -> this.backend.release(lease, timeout));
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		this.lastDelay = delay;
		return call(Kind.RELEASE, List.of(lease), timeout, () -> this.backend.releaseWithDelay(lease, delay, timeout));
	}

	@Override
	public void declineRecall(LeaseRequest lease, Duration timeout) {
		call(Kind.DECLINE, List.of(lease), timeout, () -> {
			this.backend.declineRecall(lease, timeout);
			return true;
		});
	}

	@Override
	public Attempt downgrade(LeaseRequest exclusive, LeaseRequest shared, Duration timeout) {
		return call(Kind.DOWNGRADE, List.of(exclusive, shared), timeout,
				() -> this.backend.downgrade(exclusive, shared, timeout));
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		checkThread();
		return this.backend.inspect(key, timeout);
	}

	@Override
	public Duration probe(LeaseRequest request, Duration timeout) {
		return call(Kind.PROBE, List.of(request), timeout, () -> Duration.ZERO);
	}

	@Override
	public Optional<ValueBackend> values() {
		checkThread();
		return this.keepingValues ? Optional.of(this.values) : Optional.empty();
	}

	@Override
	public void close() {
		this.closing.run();
		this.backend.close();
	}

	/**
	 * The kinds of calls.
	 */
	enum Kind {

		TRY, CONTEND, POLL, RENEW, RELEASE, DECLINE, DOWNGRADE, PROBE, READ, UPDATE

	}

	/**
	 * How notifications of the store are delivered.
	 */
	enum Delivery {

		/**
		 * They are handed off.
		 */
		PASS,

		/**
		 * They are lost on the way; the store does not notice.
		 */
		LOSE,

		/**
		 * One in ten is lost on the way.
		 */
		LOSE_SOME,

		/**
		 * They are late: see {@link #deliverNotifications()}. The store does not notice.
		 */
		KEEP

	}

	/**
	 * A call that was made.
	 *
	 * @param kind the kind
	 * @param requests what it was about
	 * @param timeout the time it had
	 */
	record Call(Kind kind, List<LeaseRequest> requests, Duration timeout) {

		LeaseRequest request() {
			return this.requests.get(0);
		}

	}

	/**
	 * What goes wrong with a call.
	 */
	interface Fault {

		Fault NONE = new Fault() {
		};

		/**
		 * The store cannot be reached, which is known.
		 */
		static Fault unavailable() {
			return before(() -> {
				throw new BackendUnavailableException("connection refused", null);
			});
		}

		/**
		 * The call takes effect, but its outcome is unknown.
		 */
		static Fault unknownAfterEffect() {
			return after(() -> {
				throw new OutcomeUnknownException("connection reset", null);
			});
		}

		/**
		 * The call takes no effect, but its outcome is unknown.
		 */
		static Fault unknownWithoutEffect() {
			return before(() -> {
				throw new OutcomeUnknownException("connection reset", null);
			});
		}

		/**
		 * Does something before the call takes effect.
		 */
		static Fault before(Runnable action) {
			return new Fault() {

				@Override
				public void before() {
					action.run();
				}

			};
		}

		/**
		 * Does something after the call took effect, and before the reply arrives.
		 */
		static Fault after(Runnable action) {
			return new Fault() {

				@Override
				public void after() {
					action.run();
				}

			};
		}

		default void before() {
		}

		default void after() {
		}

	}

	/**
	 * Holds up a call until the test opens it.
	 */
	static final class Gate implements Runnable {

		private final CountDownLatch arrived = new CountDownLatch(1);

		private final CountDownLatch open = new CountDownLatch(1);

		@Override
		public void run() {
			this.arrived.countDown();
			awaitUninterruptibly(this.open);
		}

		void awaitArrival() {
			awaitUninterruptibly(this.arrived);
		}

		void open() {
			this.open.countDown();
		}

		private static void awaitUninterruptibly(CountDownLatch latch) {
			boolean interrupted = false;
			boolean done = false;
			while (!done) {
				try {
					done = true;
					if (!latch.await(5, TimeUnit.MINUTES)) {
						throw new IllegalStateException("Waited too long at a gate");
					}
				}
				catch (InterruptedException ex) {
					done = false;
					interrupted = true;
				}
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

	/**
	 * Delivers notifications, or does not.
	 */
	private final class FaultyNotifications implements BackendListener {

		private final BackendListener listener;

		FaultyNotifications(BackendListener listener) {
			this.listener = listener;
		}

		@Override
		public void onRetryHint(LeaseRequest request) {
			receive(() -> {
				this.listener.onRetryHint(request);
				return true;
			});
		}

		@Override
		public boolean onGranted(LeaseRequest request, Grant made, long attemptId, Duration waited) {
			Duration claimTime = FaultyBackend.this.claimTime;
			Grant grant = (claimTime != null) ? new Grant(made.token(), claimTime) : made;
			if (arrives()) {
				return this.listener.onGranted(request, grant, attemptId, waited);
			}
			receive(() -> {
				boolean taken = this.listener.onGranted(request, grant, attemptId, waited);
				if (!taken) {
					FaultyBackend.this.backend.release(request, Duration.ofSeconds(1));
				}
				return taken;
			});
			return true;
		}

		@Override
		public void onRecall(LeaseRequest lease) {
			receive(() -> {
				this.listener.onRecall(lease);
				return true;
			});
		}

		@Override
		public void onLost(LeaseRequest lease) {
			receive(() -> {
				this.listener.onLost(lease);
				return true;
			});
		}

		@Override
		public void onValueChanged(String key) {
			receive(() -> {
				this.listener.onValueChanged(key);
				return true;
			});
		}

		@Override
		public void onSuspended() {
			this.listener.onSuspended();
		}

		@Override
		public void onResumed() {
			this.listener.onResumed();
		}

		private boolean arrives() {
			Delivery delivery = FaultyBackend.this.delivery;
			return delivery == Delivery.PASS
					|| (delivery == Delivery.LOSE_SOME && ThreadLocalRandom.current().nextInt(10) > 0);
		}

		private void receive(Supplier<Boolean> message) {
			if (arrives()) {
				message.get();
			}
			else if (FaultyBackend.this.delivery == Delivery.KEEP) {
				synchronized (FaultyBackend.this.heldNotifications) {
					FaultyBackend.this.heldNotifications.add(message);
				}
			}
		}

	}

	/**
	 * The values of the store, with the faults of this backend.
	 */
	private final class FaultyValues implements ValueBackend {

		@Override
		public Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout) {
			String unreadable = FaultyBackend.this.unreadable;
			if (unreadable != null && keys.contains(unreadable)) {
				throw new BackendUnavailableException("foreign data", null);
			}
			if (watch) {
				FaultyBackend.this.watched.addAll(keys);
			}
			return call(Kind.READ, List.of(), timeout, () -> values().read(keys, watch, timeout));
		}

		@Override
		public void unwatch(String key) {
			checkThread();
			FaultyBackend.this.watched.remove(key);
			values().unwatch(key);
		}

		@Override
		public boolean notifiesOfChanges() {
			checkThread();
			return FaultyBackend.this.capabilities.contains(Capability.QUEUE);
		}

		@Override
		public ValueUpdateResult update(ValueUpdate update, Duration timeout) {
			return call(Kind.UPDATE, List.of(), timeout, () -> values().update(update, timeout));
		}

		private ValueBackend values() {
			return FaultyBackend.this.backend.values().orElseThrow();
		}

	}

}
