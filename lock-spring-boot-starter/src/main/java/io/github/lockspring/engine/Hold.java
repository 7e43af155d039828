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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;

/**
 * Acquisition of one key, from waiting in the local queue to its release or loss.
 * <p>
 * Thread-safe.
 */
public final class Hold extends QueueNode<Hold> {

	private final Listener listener;

	private final String key;

	private AcquireOptions options;

	private @Nullable LocalQueue queue;

	private @Nullable Lease lease;

	/**
	 * The fencing token; before this is held, the monotonic time at which it began to
	 * wait, because another field would add 8 bytes to every hold.
	 */
	private long token;

	/**
	 * Create a hold for which the current thread waits.
	 */
	Hold(Listener listener, String key, AcquireOptions options, Object owner) {
		this(listener, key, options, owner, Thread.currentThread());
	}

	/**
	 * Create a hold for which no thread waits.
	 */
	Hold(Listener listener, String key, AcquireOptions options, Object owner, Waiter waiter) {
		this(listener, key, options, owner, (Object) waiter);
	}

	private Hold(Listener listener, String key, AcquireOptions options, Object owner, Object waiter) {
		super((owner == waiter) ? owner : new OwnedWaiter(owner, waiter));
		this.listener = listener;
		this.key = key;
		this.options = options;
	}

	/**
	 * Create another hold with the same waiter.
	 */
	Hold anew() {
		return new Hold(this.listener, this.key, this.options, owner(), waiter());
	}

	/**
	 * Create a hold by which this process retains the lease of this one.
	 */
	Hold retainedBy(Retention retention) {
		return new Hold(engine(), this.key, this.options, retention, retention);
	}

	/**
	 * Return whether this process retains the lease for its next owner.
	 */
	boolean isRetained() {
		return owner() instanceof Retention;
	}

	/**
	 * Release a lease that is retained, unless it has been granted to its next owner or
	 * was lost. Does not block.
	 */
	void releaseRetained() {
		lease().recall();
		if (endIfHeld()) {
			engine().onReleasedAsync(this);
		}
	}

	/**
	 * Return the key, as used in the store.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return the fencing token, which never changes. Whether the lock is still held is
	 * returned by {@link #isHeld()}. A reader that entered while its owner held the write
	 * lock has the token of the writer, also after the writer was released.
	 * @return the token, or 0 if the backend has none
	 */
	public long token() {
		return this.token;
	}

	/**
	 * Set when this began to wait. Called before it enters a queue.
	 */
	void waitFrom(long nanos) {
		this.token = nanos;
	}

	/**
	 * Return when this began to wait, as long as it {@linkplain #isPending() waits}. The
	 * caller owns the queue's monitor.
	 */
	long waitStartNanos() {
		return this.token;
	}

	/**
	 * Return the token of the next holder of the same lease.
	 */
	long nextToken() {
		return (this.token != 0) ? this.token + 1 : 0;
	}

	/**
	 * Return the name of the backend that granted this hold.
	 * @return the name
	 */
	public String backendName() {
		return engine().backendName();
	}

	private Engine engine() {
		return this.listener.engine();
	}

	/**
	 * Return whether this acquisition is neither released nor lost, and the connection to
	 * the store is not suspended. Checks both clocks.
	 * @return whether it is held
	 */
	public boolean isHeld() {
		return hasLease() && !engine().isInDoubt(this);
	}

	/**
	 * Return whether this acquisition is neither released nor lost as far as is known,
	 * although the connection to the store may be suspended. Checks both clocks.
	 * @return whether it has a lease
	 */
	public boolean hasLease() {
		if (this.state <= ENDED) {
			return false;
		}
		if (lease().isExpired(engine().time())) {
			engine().onExpired(this);
			return false;
		}
		return true;
	}

	/**
	 * Return whether the lease was lost and then never released, so that the engine has
	 * discarded this hold.
	 * @return whether it can only be forgotten
	 */
	public boolean isDiscarded() {
		return isLost() && !queue().isHolder(this);
	}

	/**
	 * Return the time for which the lease is certain to last.
	 * @return the time, zero if not held
	 */
	public Duration remaining() {
		return isHeld() ? Duration.ofNanos(Math.max(0, lease().remainingNanos(engine().time()))) : Duration.ZERO;
	}

	/**
	 * Register a callback that is run once after a loss, immediately if the hold is lost
	 * already.
	 * @param callback the callback, run in a separate thread
	 */
	public void onLost(Runnable callback) {
		onLost(this, callback);
	}

	/**
	 * Register a callback that is run once after a loss, unless the acquisition that
	 * registered it was released before.
	 * @param handle identifies the acquisition
	 * @param callback the callback, run in a separate thread
	 * @see #release(Object)
	 */
	public void onLost(Object handle, Runnable callback) {
		synchronized (this) {
			if (this.state >= ENDED) {
				LossCallbacks callbacks = (this.attached instanceof LossCallbacks present) ? present
						: new LossCallbacks(new ArrayList<>(1));
				callbacks.all().add(new LossCallback(handle, callback));
				this.attached = callbacks;
				return;
			}
		}
		engine().runCallback(callback);
	}

	/**
	 * Renew an exclusive lease of a single key with another lease time and another
	 * minimum hold time, both of which begin now. If it is renewed automatically, only
	 * checks that it is held. Must not be called by two threads concurrently, nor
	 * concurrently with a release.
	 * @param options the options of an exclusive lease that is not renewed automatically
	 * @return {@code false} if the lease was lost, or may have been
	 * @throws EngineException if the store failed: the lease then ends when it would have
	 * ended before, or with the other lease time if that is sooner
	 */
	public boolean extend(AcquireOptions options) {
		return engine().onExtended(this, options);
	}

	private void dropLossCallbacksOf(Object handle) {
		if (this.attached instanceof LossCallbacks callbacks) {
			synchronized (this) {
				callbacks.all().removeIf((callback) -> callback.handle() == handle);
			}
		}
	}

	/**
	 * Check the current thread, which is about to release one acquisition. If it is not
	 * the owning thread, that thread may have begun other work since.
	 */
	public void warnIfForeignThread() {
		if (owner() instanceof Thread thread && thread != Thread.currentThread()) {
			engine().onForeignThread(this, thread);
		}
	}

	/**
	 * Release one acquisition. The last one ends the hold: the lease is handed off to the
	 * next one in the queue or released to the store.
	 * @return {@code false} if the lease was lost
	 * @throws IllegalStateException if it was already released
	 */
	public boolean release() {
		return release(this);
	}

	/**
	 * Release one acquisition like {@link #release()}. If others are left, loss callbacks
	 * registered with this one are removed.
	 * @param handle identifies the acquisition
	 * @return {@code false} if the lease was lost
	 * @throws IllegalStateException if it was already released
	 * @see #onLost(Object, Runnable)
	 */
	public boolean release(Object handle) {
		int left = countDown(handle);
		return left > ENDED || left == ENDED && this.listener.onReleased(this);
	}

	/**
	 * Return how many permits the semaphore has of which this hold was to have some.
	 * @return the limit, or 0 if this is a lock
	 */
	public int permitLimit() {
		return (this.options.mode() instanceof LeaseMode.Permits permits) ? permits.limit() : 0;
	}

	/**
	 * Return how many permits the lease of this hold has, and of how many.
	 * @return the mode of the lease
	 * @throws IllegalStateException if this holds no permits
	 */
	public LeaseMode.Permits permits() {
		if (lease().request().terms().mode() instanceof LeaseMode.Permits permits) {
			return permits;
		}
		throw new IllegalStateException("The hold has no permits");
	}

	/**
	 * Release some, but not all, of the permits of this hold. Must not be called by two
	 * threads concurrently, nor concurrently with a release.
	 * @param permits the number of permits to release
	 * @return {@code false} if the lease was lost
	 * @throws EngineException if the store failed, and no permit was released
	 */
	public boolean releasePermits(int permits) {
		LeaseMode.Permits held = permits();
		return engine().onReduced(this, new LeaseMode.Permits(held.permits() - permits, held.limit(), held.version()));
	}

	/**
	 * Release one acquisition of each of several holds. Holds that end and share one
	 * lease are released in one call to the store.
	 * @param holds the holds, by the handle of the acquisition
	 * @return the holds whose lease was lost
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
		releaseEnded(ended, lost);
		return lost;
	}

	/**
	 * Release the leases of holds that have ended, those of one engine together. If an
	 * engine fails, those of the others are released nevertheless.
	 */
	private static void releaseEnded(List<Hold> ended, List<Hold> lost) {
		if (!ended.isEmpty()) {
			Engine engine = ended.get(0).engine();
			List<Hold> others = ended.stream().filter((hold) -> hold.engine() != engine).toList();
			try {
				lost.addAll(releaseEnded(engine,
						others.isEmpty() ? ended : ended.stream().filter((hold) -> hold.engine() == engine).toList()));
			}
			finally {
				releaseEnded(others, lost);
			}
		}
	}

	private static List<Hold> releaseEnded(Engine engine, List<Hold> ended) {
		long startNanos = engine.time().nanoTime();
		List<Hold> lost = List.of();
		try {
			lost = engine.onAllReleased(ended);
			return lost;
		}
		finally {
			Set<Hold> gone = Set.copyOf(lost);
			for (Hold hold : ended) {
				if (!gone.contains(hold)) {
					hold.listener.afterRelease(startNanos);
				}
			}
		}
	}

	/**
	 * Release one acquisition of each of several holds, as {@link #releaseAll(Map)} does.
	 * @param holds the holds, without duplicates
	 * @return the holds whose lease was lost
	 */
	public static List<Hold> releaseAll(Collection<Hold> holds) {
		Map<Hold, Hold> own = new LinkedHashMap<>();
		holds.forEach((hold) -> own.put(hold, hold));
		return releaseAll(own);
	}

	/**
	 * Release one acquisition like {@link #release()}, but without waiting for the store,
	 * which is called by another thread.
	 * @return a stage completed with {@code false} if the lease was lost, or
	 * exceptionally with an {@link IllegalStateException} if it was already released
	 */
	public CompletionStage<Boolean> releaseAsync() {
		return releaseAsync(this);
	}

	/**
	 * Release one acquisition like {@link #release(Object)}, but without waiting for the
	 * store, which is called by another thread.
	 * @param handle identifies the acquisition
	 * @return a stage completed with {@code false} if the lease was lost, or
	 * exceptionally with an {@link IllegalStateException} if it was already released
	 */
	public CompletionStage<Boolean> releaseAsync(Object handle) {
		int left;
		try {
			left = countDown(handle);
		}
		catch (IllegalStateException ex) {
			return CompletableFuture.failedStage(ex);
		}
		return (left != ENDED) ? CompletableFuture.completedStage(left > ENDED) : this.listener.onReleasedAsync(this);
	}

	/**
	 * Run an action that may wait for the store in another thread.
	 * @param action the action to run
	 * @return a stage completed with the result or failure of the action
	 */
	public CompletableFuture<Void> runAsync(Runnable action) {
		return engine().callAsync(() -> {
			action.run();
			return null;
		});
	}

	/**
	 * Notify that the acquisition must wait, or fails, because another owner holds the
	 * lock.
	 */
	void notifyContended() {
		this.listener.onContended();
	}

	/**
	 * Notify that this is returned by the acquisition.
	 */
	void notifyAcquired() {
		this.listener.onAcquired(this);
	}

	/**
	 * Notify that the acquisition ends without the lock.
	 */
	void notifyNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure) {
		this.listener.onNotAcquired(outcome, failure);
	}

	/**
	 * Notify that the lease was lost.
	 */
	void notifyLost() {
		this.listener.onLost(this);
	}

	/**
	 * Decrement the hold count. If others are left, loss callbacks registered with this
	 * acquisition are removed.
	 * @return the remaining count: positive if still held, {@link #ENDED} if this was the
	 * last one and the lease must be released, negative if the lease was lost
	 */
	int countDown(Object handle) {
		int before = decrement();
		if (before == -1) {
			engine().onLostReleased(this);
		}
		int left = (before > ENDED) ? before - 1 : -1;
		if (left > ENDED) {
			dropLossCallbacksOf(handle);
		}
		return left;
	}

	/**
	 * Return how often this is held: the number of acquisitions that were not released.
	 * @return the number, zero once the lease is lost
	 */
	public int count() {
		return hasLease() ? Math.max(this.state, 0) : 0;
	}

	/**
	 * Return whether the owner has acquired this again without having released that
	 * acquisition.
	 * @return whether this is held more than once
	 */
	public boolean isReentered() {
		return this.state > 1;
	}

	synchronized List<Runnable> takeLossCallbacks() {
		if (!(this.attached instanceof LossCallbacks callbacks)) {
			return List.of();
		}
		this.attached = null;
		return callbacks.all().stream().map(LossCallback::callback).toList();
	}

	/**
	 * Mark this as held. The caller owns the queue's monitor and has added this to the
	 * holders: a waiting thread that sees the new state may reenter before it is woken.
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
	 * Continue to hold under another lease. The caller owns the queue's monitor. A thread
	 * that sees the state after this sees the lease as well.
	 * @return {@code false} if this is no longer held, and will not release the lease
	 */
	boolean changeLease(Lease lease) {
		if (this.state <= ENDED) {
			return false;
		}
		this.lease = lease;
		return publish();
	}

	/**
	 * Return whether this reads under the lease of a writer. Without the queue's monitor,
	 * only {@code false} is reliable.
	 */
	boolean isBorrowing() {
		return !this.options.isExclusive() && lease().isExclusive();
	}

	/**
	 * Return whether this has the lease of a request, or is about to hand it off or
	 * release it, and does not just borrow it.
	 */
	boolean mayHaveLeaseOf(LeaseRequest request) {
		return mayHaveLease() && !isBorrowing() && lease().request().equals(request);
	}

	/**
	 * End the lease of a request, if this has it.
	 * @param token the only token with which to end it, or {@code null} for every token
	 * @return whether this has the lease, or is about to release it
	 */
	boolean endLease(LeaseRequest request, @Nullable Long token) {
		boolean present = mayHaveLeaseOf(request) && (token == null || token == this.token);
		if (present) {
			lease().end();
		}
		return present;
	}

	/**
	 * End the lease of a request that the lease of this is the replacement of, or is
	 * being replaced by.
	 */
	boolean endIfReplaced(LeaseRequest request) {
		return mayHaveLease() && lease().endIfReplaced(request);
	}

	/**
	 * Return whether this has made a request, and not another one since.
	 */
	boolean hasRequested(LeaseRequest request) {
		Lease lease = this.lease;
		return lease != null && lease.request().equals(request);
	}

	/**
	 * Return whether a reader can share the lease of this one.
	 * @param suitable whether the lease of a holder is suitable
	 */
	boolean canShareWith(Hold reader, BiPredicate<Hold, AcquireOptions> suitable) {
		return isActive() && lease().isShareable() && reader.options.canShareWith(this.options)
				&& suitable.test(this, reader.options);
	}

	boolean canHandOffTo(Hold other) {
		return this.options.canHandOffTo(other.options, lease().request().terms().mode());
	}

	/**
	 * Return the number of permits to acquire, or 0 if this is a lock.
	 */
	int wantedPermits() {
		return (this.options.mode() instanceof LeaseMode.Permits permits) ? permits.permits() : 0;
	}

	@Nullable Lease leaseOrNull() {
		return this.lease;
	}

	Lease lease() {
		Lease lease = this.lease;
		if (lease == null) {
			throw new IllegalStateException("No lease has been requested yet");
		}
		return lease;
	}

	/**
	 * Enter a queue. The caller owns the queue's monitor.
	 * @param state {@link #WAITING}, {@link #TRYING} once beside the leader,
	 * {@link #LEADING}, or {@link #ENDED} to become a holder without having contended
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

	AcquireOptions options() {
		return this.options;
	}

	/**
	 * Replace the options. The caller then sets the watch of the lease, which is an
	 * ordered write: the task that watches leases sees the new options, or watches the
	 * lease anew.
	 */
	void setOptions(AcquireOptions options) {
		this.options = options;
	}

	/**
	 * Return the owner.
	 * @return the owner
	 */
	public Object owner() {
		return (this.waiter instanceof OwnedWaiter owned) ? owned.owner() : this.waiter;
	}

	/**
	 * Return the {@link Thread} or {@link Waiter} that waits, or has waited, for this.
	 */
	Object waiter() {
		return (this.waiter instanceof OwnedWaiter owned) ? owned.waiter() : this.waiter;
	}

	/**
	 * Return the remaining minimum hold time. It is counted from the arrival of the
	 * grant, which is the same for all holds with such options, because their leases are
	 * not handed off.
	 */
	long remainingMinimumNanos(TimeSource time) {
		long minimum = this.options.minimumHoldNanos();
		return (minimum > 0) ? minimum - (time.nanoTime() - lease().grantedNanos()) : 0;
	}

	/**
	 * Listener of the acquisition, the release and the loss of a hold.
	 */
	interface Listener {

		/**
		 * Return the engine of the hold.
		 */
		Engine engine();

		/**
		 * Called when the acquisition of the hold was denied at first.
		 */
		default void onContended() {
		}

		/**
		 * Called when a hold is returned by its acquisition.
		 */
		default void onAcquired(Hold hold) {
		}

		/**
		 * Called when the acquisition of the hold ends without the lock.
		 */
		default void onNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure) {
		}

		/**
		 * Called by a separate thread when a hold was lost.
		 */
		default void onLost(Hold hold) {
		}

		/**
		 * Called when a hold has ended, to release its lease.
		 * @return {@code false} if its lease turned out to be lost
		 */
		boolean onReleased(Hold hold);

		/**
		 * Called when a hold has ended whose owner does not wait for the store.
		 * @return a stage completed with {@code false} if the lease turned out to be lost
		 */
		CompletionStage<Boolean> onReleasedAsync(Hold hold);

		/**
		 * Called after the hold was released together with others.
		 * @param startNanos the time at which the release began
		 */
		default void afterRelease(long startNanos) {
		}

	}

	/**
	 * Engine of a hold, which releases its lease and handles its loss. It is also the
	 * listener of all holds that are not observed.
	 */
	interface Engine extends Listener {

		@Override
		default Engine engine() {
			return this;
		}

		String backendName();

		TimeSource time();

		/**
		 * Return whether it is currently unknown if the lease of a hold still exists.
		 */
		boolean isInDoubt(Hold hold);

		/**
		 * Called if the lease of a hold is found to have expired.
		 */
		void onExpired(Hold hold);

		/**
		 * Called when the lease of a hold is to be renewed with other options.
		 * @return {@code false} if it was lost, or may have been
		 */
		boolean onExtended(Hold hold, AcquireOptions options);

		/**
		 * Called to release some of the permits of a hold.
		 * @param fewer the mode with the permits to keep
		 * @return {@code false} if the lease turned out to be lost
		 */
		boolean onReduced(Hold hold, LeaseMode.Permits fewer);

		/**
		 * Called when several holds have ended.
		 * @return the holds whose lease turned out to be lost
		 */
		List<Hold> onAllReleased(List<Hold> holds);

		/**
		 * Called when the owner of a lost hold has released it.
		 */
		void onLostReleased(Hold hold);

		/**
		 * Called if a hold is released by another thread than its owner.
		 */
		void onForeignThread(Hold hold, Thread owner);

		/**
		 * Run a callback in another thread, so that it cannot block the engine.
		 */
		void runCallback(Runnable callback);

		/**
		 * Run an action that may wait for the store in another thread.
		 */
		<T> CompletableFuture<T> callAsync(Supplier<T> action);

	}

	/**
	 * Callback to run after a loss.
	 *
	 * @param handle identifies the acquisition with which it was registered
	 * @param callback the callback
	 */
	private record LossCallback(Object handle, Runnable callback) {
	}

	private record LossCallbacks(List<LossCallback> all) {
	}

	/**
	 * Waiter of a hold whose owner is not the waiter itself. Most owners are the thread
	 * that waits, so that a hold needs no field for both.
	 *
	 * @param owner the owner
	 * @param waiter the {@link Thread} or {@link Waiter} that waits
	 */
	record OwnedWaiter(Object owner, Object waiter) implements Waiter {

		@Override
		public void wakeUp() {
			QueueNode.wake(this.waiter);
		}

	}

}
