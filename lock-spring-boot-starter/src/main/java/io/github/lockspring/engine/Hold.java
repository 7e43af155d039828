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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * One acquisition of one key, from waiting in the local queue to its release or loss. The
 * ledger of its re-entries is a single number, so that re-entry, release and loss exclude
 * each other without a lock: positive while held, negative once lost, zero at the end.
 * <p>
 * Safe for use by many threads.
 */
public final class Hold {

	static final int WAITING = Integer.MIN_VALUE;

	static final int TRYING = Integer.MIN_VALUE + 1;

	static final int LEADING = Integer.MIN_VALUE + 2;

	static final int ENDED = 0;

	private static final VarHandle STATE = Fields.varHandle(MethodHandles.lookup(), "state", int.class);

	private static final VarHandle NOTIFICATION = Fields.varHandle(MethodHandles.lookup(), "news", Object.class);

	private final LeaseReleaser leaseReleaser;

	private final String key;

	private final AcquireOptions terms;

	private final Object owner;

	/**
	 * Whoever waits: a thread, or an {@link Acquisition} without one.
	 */
	private final Object waiter;

	/**
	 * The hold behind this one, in the row of those that wait or of those that hold.
	 * Belongs to the queue and is written under its monitor.
	 */
	@Nullable Hold next;

	private @Nullable LocalQueue queue;

	private @Nullable Lease lease;

	private long token;

	private volatile int state;

	private volatile @Nullable Object notification;

	private volatile @Nullable List<LossCallback> lossCallbacks;

	/**
	 * Creates one for which the current thread waits.
	 */
	Hold(LeaseReleaser leaseReleaser, String key, AcquireOptions terms, Object owner) {
		this(leaseReleaser, key, terms, owner, Thread.currentThread());
	}

	/**
	 * Creates one for which no thread waits.
	 */
	Hold(LeaseReleaser leaseReleaser, String key, AcquireOptions terms, Object owner, Acquisition acquisition) {
		this(leaseReleaser, key, terms, owner, (Object) acquisition);
	}

	private Hold(LeaseReleaser leaseReleaser, String key, AcquireOptions terms, Object owner, Object waiter) {
		this.leaseReleaser = leaseReleaser;
		this.key = key;
		this.terms = terms;
		this.owner = owner;
		this.waiter = waiter;
	}

	/**
	 * Another one for which the same waits.
	 */
	Hold anew() {
		return new Hold(this.leaseReleaser, this.key, this.terms, this.owner, this.waiter);
	}

	/**
	 * The key, as the store knows it.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * The fencing token, always the same. Whether it is still worth anything,
	 * {@link #isHeld()} tells. A reader that came in under its own writer has the token
	 * of that writer, also after the writer has gone.
	 * @return the token, or 0 if the backend has none
	 */
	public long token() {
		return this.token;
	}

	/**
	 * The token of the next holder of the same lease.
	 */
	long nextToken() {
		return (this.token != 0) ? this.token + 1 : 0;
	}

	/**
	 * The name of the backend that granted this.
	 * @return the name
	 */
	public String backendName() {
		return this.leaseReleaser.backendName();
	}

	/**
	 * Whether this acquisition is neither released nor lost, and the store can be asked
	 * whether that is so. Asks both clocks.
	 * @return whether it is held
	 */
	public boolean isHeld() {
		return hasLease() && !this.leaseReleaser.isInDoubt(this);
	}

	/**
	 * Whether this acquisition is neither released nor lost as far as is known, though
	 * the store may be out of reach. Asks both clocks.
	 * @return whether it has a lease
	 */
	public boolean hasLease() {
		if (this.state <= ENDED) {
			return false;
		}
		if (lease().isExpired(this.leaseReleaser.time())) {
			this.leaseReleaser.expire(this);
			return false;
		}
		return true;
	}

	/**
	 * How long the lease is sure to last.
	 * @return the time, zero if not held
	 */
	public Duration remaining() {
		return isHeld() ? Duration.ofNanos(Math.max(0, lease().remainingNanos(this.leaseReleaser.time())))
				: Duration.ZERO;
	}

	/**
	 * Has a callback run once after a loss, at once if it is lost already.
	 * @param callback what to run, in a thread of its own
	 */
	public void onLost(Runnable callback) {
		onLost(this, callback);
	}

	/**
	 * Has a callback run once after a loss, unless who asked for it has given its
	 * acquisition back before.
	 * @param handle stands for the acquisition
	 * @param callback what to run, in a thread of its own
	 * @see #release(Object)
	 */
	public void onLost(Object handle, Runnable callback) {
		synchronized (this) {
			if (this.state >= ENDED) {
				List<LossCallback> callbacks = this.lossCallbacks;
				callbacks = (callbacks != null) ? callbacks : new ArrayList<>(1);
				callbacks.add(new LossCallback(handle, callback));
				this.lossCallbacks = callbacks;
				return;
			}
		}
		this.leaseReleaser.callBack(callback);
	}

	private void dropLossCallbacksOf(Object handle) {
		if (this.lossCallbacks != null) {
			synchronized (this) {
				List<LossCallback> callbacks = this.lossCallbacks;
				if (callbacks != null) {
					callbacks.removeIf((callback) -> callback.handle() == handle);
				}
			}
		}
	}

	/**
	 * Takes note that the current thread is about to give one acquisition back. If it is
	 * not the thread that owns this, that one may have taken up other work since.
	 */
	public void warnIfForeignThread() {
		if (this.owner instanceof Thread thread && thread != Thread.currentThread()) {
			this.leaseReleaser.warnOfForeignThread(this, thread);
		}
	}

	/**
	 * Gives one acquisition back. The last one ends the hold: the lease goes to the next
	 * in the queue or back to the store.
	 * @return {@code false} if the lease was lost
	 * @throws IllegalStateException if it was given back already
	 */
	public boolean release() {
		return release(this);
	}

	/**
	 * Gives one acquisition back as {@link #release()} does. If others are left, nobody
	 * is told of a loss any more who asked for it with this one.
	 * @param handle stands for the acquisition
	 * @return {@code false} if the lease was lost
	 * @throws IllegalStateException if it was given back already
	 * @see #onLost(Object, Runnable)
	 */
	public boolean release(Object handle) {
		int left = countDown(handle);
		if (left != ENDED) {
			return left > ENDED;
		}
		return this.leaseReleaser.release(this);
	}

	/**
	 * Gives one acquisition of each of several holds back. Those of them that have one
	 * lease in common, and end, are one call to the store.
	 * @param holds the holds, by the handle of the acquisition
	 * @return those whose lease was lost
	 */
	public static List<Hold> releaseAll(Map<?, Hold> holds) {
		List<Hold> ended = new ArrayList<>(holds.size());
		List<Hold> lost = new ArrayList<>();
		holds.forEach((handle, hold) -> {
			int left = hold.countDown(handle);
			if (left <= ENDED) {
				((left == ENDED) ? ended : lost).add(hold);
			}
		});
		if (!ended.isEmpty()) {
			lost.addAll(ended.get(0).leaseReleaser.releaseAll(ended));
		}
		return lost;
	}

	static List<Hold> releaseAll(List<Hold> holds) {
		Map<Hold, Hold> own = new LinkedHashMap<>();
		holds.forEach((hold) -> own.put(hold, hold));
		return releaseAll(own);
	}

	/**
	 * Gives one acquisition back as {@link #release()} does, but without waiting for the
	 * store: its call is made by another thread.
	 * @return when it is given back: {@code false} if the lease was lost; fails with an
	 * {@link IllegalStateException} if it was given back already
	 */
	public CompletionStage<Boolean> releaseAsync() {
		return releaseAsync(this);
	}

	/**
	 * Gives one acquisition back as {@link #release(Object)} does, but without waiting
	 * for the store: its call is made by another thread.
	 * @param handle stands for the acquisition
	 * @return when it is given back: {@code false} if the lease was lost; fails with an
	 * {@link IllegalStateException} if it was given back already
	 */
	public CompletionStage<Boolean> releaseAsync(Object handle) {
		int left;
		try {
			left = countDown(handle);
		}
		catch (IllegalStateException ex) {
			return CompletableFuture.failedStage(ex);
		}
		return (left != ENDED) ? CompletableFuture.completedStage(left > ENDED)
				: this.leaseReleaser.releaseAsynchronously(this);
	}

	/**
	 * Has another thread do something that may wait for the store.
	 * @param action what to do
	 * @return when it is done, or how it failed
	 */
	public CompletableFuture<Void> runAsync(Runnable action) {
		return this.leaseReleaser.callAsync(() -> {
			action.run();
			return null;
		});
	}

	private int countDown(Object handle) {
		int left = countDown();
		if (left > ENDED) {
			dropLossCallbacksOf(handle);
		}
		return left;
	}

	/**
	 * Takes one off the number of re-entries.
	 * @return how many are left: positive if still held, {@link #ENDED} if this was the
	 * last one and the lease must be given back, negative if the lease was lost
	 */
	int countDown() {
		while (true) {
			int current = this.state;
			if (current == ENDED || current <= LEADING) {
				throw new IllegalStateException("The hold was given back already");
			}
			int changed = (current > ENDED) ? current - 1 : current + 1;
			if (STATE.compareAndSet(this, current, changed)) {
				if (current == -1) {
					this.leaseReleaser.forget(this);
				}
				return (current > ENDED) ? changed : -1;
			}
		}
	}

	/**
	 * Adds one to the number of re-entries.
	 * @return {@code false} if this is not held any more
	 */
	boolean countUp() {
		while (true) {
			int current = this.state;
			if (current <= ENDED) {
				return false;
			}
			if (current == Integer.MAX_VALUE) {
				throw new IllegalStateException("Acquired too often");
			}
			if (STATE.compareAndSet(this, current, current + 1)) {
				return true;
			}
		}
	}

	/**
	 * Whether the owner has acquired this again, and not given that back.
	 * @return whether it has
	 */
	public boolean isReentered() {
		return this.state > 1;
	}

	/**
	 * Marks this as lost.
	 * @return {@code true} for exactly one caller, if it was held until now
	 */
	boolean markLost() {
		while (true) {
			int current = this.state;
			if (current <= ENDED) {
				return false;
			}
			if (STATE.compareAndSet(this, current, -current)) {
				return true;
			}
		}
	}

	synchronized List<Runnable> takeLossCallbacks() {
		List<LossCallback> callbacks = this.lossCallbacks;
		this.lossCallbacks = null;
		return (callbacks != null) ? callbacks.stream().map(LossCallback::callback).toList() : List.of();
	}

	/**
	 * Begins to hold. The caller owns the queue's monitor and has put this among the
	 * holders: a waiting thread that sees the new state may come back for re-entry before
	 * it is woken.
	 */
	void begin(Lease lease, long token) {
		this.lease = lease;
		this.token = token;
		setState(1);
	}

	void setLease(@Nullable Lease lease) {
		this.lease = lease;
	}

	/**
	 * Goes on holding under another lease. The caller owns the queue's monitor. Whoever
	 * sees the state after this sees the lease as well.
	 * @return {@code false} if this is not held any more, and will not give back the
	 * lease
	 */
	boolean changeLease(Lease lease) {
		if (this.state <= ENDED) {
			return false;
		}
		this.lease = lease;
		int current = this.state;
		while (current > ENDED && !STATE.compareAndSet(this, current, current)) {
			current = this.state;
		}
		return current >= ENDED;
	}

	/**
	 * Whether this reads under the lease of a writer. Without the queue's monitor, only a
	 * denial is sure.
	 */
	boolean isBorrowing() {
		return !this.terms.isExclusive() && lease().isExclusive();
	}

	@Nullable Lease leaseOrNull() {
		return this.lease;
	}

	Lease lease() {
		Lease lease = this.lease;
		if (lease == null) {
			throw new IllegalStateException("Nothing was asked of the store yet");
		}
		return lease;
	}

	/**
	 * Enters a queue. The caller owns the queue's monitor.
	 */
	void enter(LocalQueue queue, int state) {
		this.queue = queue;
		setState(state);
	}

	LocalQueue queue() {
		LocalQueue queue = this.queue;
		if (queue == null) {
			throw new IllegalStateException("Not in a queue yet");
		}
		return queue;
	}

	int state() {
		return this.state;
	}

	/**
	 * Whether the lease was lost, and not all acquisitions are given back yet.
	 */
	boolean isLost() {
		return this.state < ENDED && hasBegun();
	}

	boolean hasBegun() {
		return this.state > LEADING;
	}

	void setState(int state) {
		STATE.setRelease(this, state);
	}

	AcquireOptions terms() {
		return this.terms;
	}

	/**
	 * Who holds.
	 * @return the owner
	 */
	public Object owner() {
		return this.owner;
	}

	/**
	 * Leaves word for whoever waits, who must then be woken.
	 */
	void signal(Object news) {
		this.notification = news;
	}

	@Nullable Object pollNotification() {
		return (this.notification != null) ? NOTIFICATION.getAndSet(this, null) : null;
	}

	boolean hasNotification() {
		return this.notification != null;
	}

	/**
	 * Wakes whoever waits. Not under a monitor, because an acquisition without a thread
	 * calls out to get one.
	 */
	void wake() {
		if (this.waiter instanceof Thread thread) {
			LockSupport.unpark(thread);
		}
		else {
			((Acquisition) this.waiter).wake();
		}
	}

	/**
	 * What is to run after a loss.
	 *
	 * @param handle stands for the acquisition with which it was asked for
	 * @param callback what to run
	 */
	private record LossCallback(Object handle, Runnable callback) {
	}

}
