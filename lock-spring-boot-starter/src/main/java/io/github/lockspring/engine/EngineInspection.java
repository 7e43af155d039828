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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.KeyFormat;

/**
 * What operators and tests see of an engine and its store, and the release of a key on
 * behalf of an operator. Thread-safe.
 */
public final class EngineInspection {

	private static final Log logger = LogFactory.getLog(EngineInspection.class);

	private final EngineContext context;

	private final Store store;

	private final RenewalPlan plan;

	private final LossHandler lossHandler;

	private final AsyncDispatcher dispatcher;

	private final BooleanSupplier renewing;

	private final RetainedLeases retainedLeases;

	private final Duration timeout;

	EngineInspection(EngineContext context, RenewalPlan plan, LossHandler lossHandler, AsyncDispatcher dispatcher,
			BooleanSupplier renewing, RetainedLeases retainedLeases) {
		this.context = context;
		this.store = context.store();
		this.plan = plan;
		this.lossHandler = lossHandler;
		this.dispatcher = dispatcher;
		this.renewing = renewing;
		this.retainedLeases = retainedLeases;
		this.timeout = context.settings().operationTimeout();
	}

	/**
	 * Return what this process holds and waits for. Does not access the store, and
	 * changes nothing: an expired lease is reported as lost here, and handled as lost
	 * where it is used.
	 * @return a snapshot
	 */
	public Snapshot snapshot() {
		List<Snapshot.Held> held = new ArrayList<>();
		List<Snapshot.Waiting> waiting = new ArrayList<>();
		this.context.queues()
			.all()
			.forEach((queue) -> queue.read((hold) -> held.add(held(hold)),
					(hold, position) -> waiting.add(waiting(hold, position))));
		return new Snapshot(held, waiting);
	}

	private Snapshot.Held held(Hold hold) {
		Lease lease = hold.lease();
		LeaseMode mode = hold.isBorrowing() ? LeaseMode.SHARED : lease.request().terms().mode();
		Snapshot.State state = stateOf(hold);
		long remaining = (state != Snapshot.State.LOST) ? lease.remainingNanos(this.context.time()) : 0;
		return new Snapshot.Held(hold.key(), mode, Snapshot.Owner.of(hold.owner()), state, at(lease.grantedNanos()),
				Duration.ofNanos(Math.max(0, remaining)), hold.token(), hold.acquisitions(),
				lease.request().ownerText());
	}

	private Snapshot.State stateOf(Hold hold) {
		if (hold.isLost() || hold.lease().isExpired(this.context.time())) {
			return Snapshot.State.LOST;
		}
		if (this.plan.isInDoubt(hold)) {
			return Snapshot.State.IN_DOUBT;
		}
		return hold.isRetained() ? Snapshot.State.RETAINED : Snapshot.State.HELD;
	}

	private Snapshot.Waiting waiting(Hold hold, int position) {
		return new Snapshot.Waiting(hold.key(), hold.options().mode(), Snapshot.Owner.of(hold.owner()),
				at(hold.waitStartNanos()), position);
	}

	private Instant at(long nanos) {
		TimeSource time = this.context.time();
		return Instant.ofEpochMilli(time.currentTimeMillis()).minusNanos(Math.max(0, time.nanoTime() - nanos));
	}

	/**
	 * Return how many leases this process retains, none of which is held.
	 * @return the number of leases
	 */
	public int retained() {
		return this.retainedLeases.count();
	}

	/**
	 * Return the identifier of this process, with which the owners of all its leases
	 * begin.
	 * @return the identifier
	 */
	public String instance() {
		return this.store.instance();
	}

	/**
	 * Return the name of this process, as recorded in the store.
	 * @return the name
	 */
	public ProcessName processName() {
		return this.store.processName();
	}

	/**
	 * Return the warnings about the configuration of the store that weakens the locks.
	 * @return the warnings, as sentences for display
	 */
	public List<String> warnings() {
		return this.store.warnings();
	}

	/**
	 * Check the store by the operations that a lock needs, with a
	 * {@linkplain EngineSettings.Names#probeKey() key} that is used for nothing else.
	 * @return the time that the store took to answer an attempt to acquire
	 * @throws EngineException if the store failed
	 */
	public Duration probe() {
		return this.store
			.orUnavailable(() -> this.store.probe(this.context.settings().names().probeKey(), this.timeout));
	}

	/**
	 * Return the holders of a key, as recorded in the store. Those of this process have
	 * their own fencing token instead of the last one of their lease.
	 * @param key the key
	 * @return the holders, of all processes
	 * @throws EngineException if the store failed
	 */
	public List<LeaseHolder> holders(String key) {
		Map<String, Long> tokens = this.context.queues().tokensOf(key);
		return storedHolders(key).stream()
			.map((holder) -> new LeaseHolder(holder.owner(), holder.process(), holder.mode(),
					tokens.getOrDefault(holder.owner(), holder.token()), holder.remaining()))
			.toList();
	}

	/**
	 * Return the holders of a key like {@link #holders(String)}, without blocking the
	 * calling thread.
	 * @param key the key
	 * @return the holders, of all processes; fails with an {@link EngineException} if the
	 * store failed
	 */
	public CompletableFuture<List<LeaseHolder>> holdersAsync(String key) {
		return this.dispatcher.call(() -> holders(key));
	}

	List<LeaseHolder> storedHolders(String key) {
		this.context.requireOpen();
		return this.store.orUnavailable(() -> this.store.inspect(key, this.timeout));
	}

	/**
	 * Return the owners that wait for a key, as recorded in the store, without blocking
	 * the calling thread. The owners of one process wait behind a single one.
	 * @param key the key
	 * @return the waiting owners of all processes, in the order of the store, if it
	 * records them; fails with an {@link EngineException} if the store failed
	 */
	public CompletableFuture<List<LeaseWaiter>> queueAsync(String key) {
		return this.dispatcher.call(() -> queue(key));
	}

	/**
	 * Return the owners that wait for a key, like {@link #queueAsync(String)}.
	 * @param key the key
	 * @return the waiting owners of all processes, in the order of the store
	 * @throws EngineException if the store failed
	 */
	public List<LeaseWaiter> queue(String key) {
		this.context.requireOpen();
		return this.store.orUnavailable(() -> this.store.inspectQueue(key, this.timeout));
	}

	/**
	 * Release a key for its holder, in any process, without blocking the calling thread.
	 * A holder in this process loses its lock immediately, one in another process as soon
	 * as it is notified, or with its next renewal. Owners that wait for the key acquire
	 * it as after a release. A successor of the holder is not released, unless another
	 * process has handed off the lease to it inside that process.
	 * @param key the key
	 * @param holder the holder, as returned by {@link #holders(String)}
	 * @return whether the holder held the key until now; fails with an
	 * {@link EngineException} if the store failed, in which case it is unknown
	 */
	public CompletableFuture<Boolean> forceReleaseAsync(String key, LeaseHolder holder) {
		return this.dispatcher.call(() -> forceRelease(key, holder));
	}

	private boolean forceRelease(String key, LeaseHolder holder) {
		this.context.requireOpen();
		if (!holder.isOf(this.store.instance()) || holder.isReleased()) {
			return forceReleaseInStore(key, holder);
		}
		LeaseTerms terms = new LeaseTerms(holder.mode(), false, holder.remaining(), 1);
		return this.lossHandler.forceRelease(new LeaseRequest(List.of(key), terms, OwnerId.parse(holder.owner())),
				holder.token(), () -> forceReleaseInStore(key, holder));
	}

	private boolean forceReleaseInStore(String key, LeaseHolder holder) {
		boolean released = this.store.orUnavailable(() -> this.store.forceRelease(key, holder, this.timeout));
		if (released) {
			logger.warn("Released the lock on " + KeyFormat.quote(key) + " for its holder " + holder.owner()
					+ ((holder.process() != null) ? " of " + holder.process() : "") + ", on behalf of an operator");
		}
		return released;
	}

	/**
	 * Return the number of acquisitions of this process that wait for a key or contend
	 * for it in the store.
	 * @param key the key
	 * @return the number, which may have changed when this returns
	 */
	public int waitingCount(String key) {
		return this.context.queues().waitingCount(key);
	}

	/**
	 * Return whether an acquisition that parks its thread waits for a key.
	 * @param blocker the object that was passed to
	 * {@link TimeSource#parkNanos(Object, long)}
	 * @param key the key
	 * @return whether the thread waits for that key
	 */
	public boolean isWaitingFor(Object blocker, String key) {
		return this.context.queues().isQueueOf(blocker, key);
	}

	/**
	 * Return whether everything that was due has been done: no timed task is due, and no
	 * renewal is in progress. A test that moves the clock waits for it.
	 * @return whether nothing happens before the clock advances, except for what threads
	 * of the application do
	 */
	public boolean isSettled() {
		return this.context.isSettled(this.renewing);
	}

	/**
	 * Return the time until something is due, such as a renewal.
	 * @return the time in nanoseconds, not positive if a task is due
	 */
	public long nanosToNextTask() {
		return this.context.nanosToNextTask();
	}

	/**
	 * Locks that a process holds and waits for: each key is consistent, but keys may be
	 * from different times. Immutable.
	 *
	 * @param held the acquisitions that are held, or lost and not released yet, and the
	 * leases that are retained
	 * @param waiting the acquisitions that wait, those of one key in the order of its
	 * queue
	 */
	public record Snapshot(List<Held> held, List<Waiting> waiting) {

		public Snapshot {
			held = List.copyOf(held);
			waiting = List.copyOf(waiting);
		}

		/**
		 * Acquisition that is held, or lost and not released yet, or a lease that is
		 * retained.
		 *
		 * @param key the key, as used in the store
		 * @param mode the mode of the lease, or {@link LeaseMode#SHARED} of a reader that
		 * entered under the lease of its own writer
		 * @param owner the owner in this process
		 * @param state whether it is held
		 * @param since since when the lease is held in this process, or when it was last
		 * extended; a lease that was handed off has been held by another thread at first
		 * @param remaining the time for which the lease is certain to last unless it is
		 * renewed, zero if it is lost
		 * @param token the fencing token, 0 if the backend has none
		 * @param count how often the owner has acquired and not released it
		 * @param leaseOwner the text of the owner in the store
		 */
		public record Held(String key, LeaseMode mode, Owner owner, State state, Instant since, Duration remaining,
				long token, int count, String leaseOwner) {
		}

		/**
		 * Acquisition that waits.
		 *
		 * @param key the key, as used in the store
		 * @param mode the wanted mode
		 * @param owner the owner in this process
		 * @param since since when it waits
		 * @param position the position in the queue of this process, counted from 1: the
		 * first one contends in the store, unless this process holds the key
		 */
		public record Waiting(String key, LeaseMode mode, Owner owner, Instant since, int position) {
		}

		/**
		 * Owner in this process.
		 *
		 * @param name the name of the thread, or the type of another object and a number
		 * that distinguishes it
		 * @param threadId the id of the thread, or {@code null}
		 * @param threadState the state of the thread, which may have ended without
		 * releasing, or {@code null}
		 */
		public record Owner(String name, @Nullable Long threadId, Thread.@Nullable State threadState) {

			/**
			 * Describe an owner, without calling a method of the application.
			 */
			static Owner of(Object owner) {
				if (owner instanceof Retention) {
					return new Owner("retained", null, null);
				}
				if (owner instanceof Thread thread) {
					String name = thread.getName();
					return new Owner(name.isEmpty() ? "thread-" + thread.getId() : name, thread.getId(),
							thread.getState());
				}
				String type = owner.getClass().getName();
				return new Owner(type.substring(type.lastIndexOf('.') + 1) + '@'
						+ Integer.toHexString(System.identityHashCode(owner)), null, null);
			}

		}

		/**
		 * State of an acquisition that was granted.
		 */
		public enum State {

			/**
			 * The lock is held.
			 */
			HELD,

			/**
			 * The lock is not held, but the process retains the lease for its next
			 * acquisition.
			 */
			RETAINED,

			/**
			 * It is unknown whether the lease still exists, because the connection to the
			 * store is suspended, or the store failed over.
			 */
			IN_DOUBT,

			/**
			 * The lease was lost or has expired, and the owner has not released it yet.
			 */
			LOST

		}

	}

}
