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

package io.github.lockspring.test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.springframework.util.Assert;

import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.support.KeyFormat;

/**
 * Control of the locks of an application in a test: held locks, locks held by another
 * process, the expiry of leases, and the clock. A bean in a test with
 * {@link AutoConfigureTestLocks @AutoConfigureTestLocks} and in test slices.
 * <p>
 * A key consists of the name of a lock and of the key below that name: the key
 * {@code order:42} is that of {@code @DistributedLock(name = "order", key = "#id")} with
 * the id 42, and of {@code lockOperations.acquire("order:42")}. The configured prefix is
 * not part of it.
 * <p>
 * The clock runs like that of the machine. A test {@linkplain #advance(Duration)
 * advances} it in addition: renewals that are due take place, leases that are not renewed
 * expire, wait times end. A thread that waits for a lock which it
 * {@linkplain #holdElsewhere(String) holds elsewhere} does not wait: the clock is
 * advanced by its wait time.
 * <p>
 * Thread-safe.
 */
public final class TestLocks {

	private static final Duration MAX_WORK = Duration.ofSeconds(60);

	private final TestLockStores stores;

	private final LockEngines engines;

	private final LockEngine engine;

	private final UnaryOperator<String> storeKeys;

	private int runningTests;

	TestLocks(TestLockStores stores, LockEngines engines, LockEngine engine, UnaryOperator<String> storeKeys) {
		this.stores = stores;
		this.engines = engines;
		this.engine = engine;
		this.storeKeys = storeKeys;
	}

	/**
	 * Return the locks of another backend of the application, with the same clock.
	 * @param backend the name of the backend, such as {@code jdbc}
	 * @return the locks
	 * @throws IllegalArgumentException if there is no such backend; the message lists the
	 * known ones
	 */
	public TestLocks on(String backend) {
		return new TestLocks(this.stores, this.engines, this.engines.require(backend), this.storeKeys);
	}

	/**
	 * Advance the clock for all locks. Returns when all renewals that were due have taken
	 * place, so that locks with renewal remain held, however long the time is. A waiting
	 * thread whose wait time has ended may still be about to return.
	 * @param duration the duration, not negative
	 * @throws IllegalStateException if the renewals take more than a minute
	 */
	public void advance(Duration duration) {
		Assert.isTrue(!duration.isNegative(), () -> "'duration' must not be negative, but is " + duration);
		long remaining = duration.toNanos();
		awaitSettled();
		while (remaining > 0) {
			long step = Math.min(remaining, nanosToNextTask());
			if (step > 0) {
				time().advance(Duration.ofNanos(step));
				remaining -= step;
			}
			awaitSettled();
		}
	}

	private long nanosToNextTask() {
		return this.engines.all()
			.stream()
			.mapToLong((engine) -> engine.inspection().nanosToNextTask())
			.reduce(Long.MAX_VALUE, Math::min);
	}

	/**
	 * Wait for other threads, and therefore by the clock of the machine.
	 */
	private void awaitSettled() {
		long end = System.nanoTime() + MAX_WORK.toNanos();
		while (!this.engines.all().stream().allMatch((engine) -> engine.inspection().isSettled())) {
			Assert.state(System.nanoTime() - end < 0, "The renewal of locks takes too long");
			LockSupport.parkNanos(this, 10_000);
			Thread.onSpinWait();
		}
	}

	/**
	 * Return the clock. In contrast to {@link #advance(Duration)}, the clock itself
	 * advances immediately, as if this process had been suspended: leases expire before
	 * they are renewed.
	 * @return the clock
	 */
	public SettableTime time() {
		return this.stores.time();
	}

	/**
	 * End the lease of a key, as if it had expired: its holders in this process lose it
	 * and are notified, and the next waiting acquisition is granted.
	 * @param key the key, such as {@code order:42}
	 * @throws IllegalStateException if the lock is not held
	 */
	public void expireNow(String key) {
		Assert.state(store().expire(storeKey(key)),
				() -> "The lock on " + KeyFormat.quote(key) + " is not held. " + describeHeld());
	}

	/**
	 * Hold a lock as if another process had acquired it, until the result is closed or
	 * the test ends. Excludes readers and permits as well.
	 * @param key the key, such as {@code order:42}
	 * @return the lock, to be closed in order to release it
	 * @throws IllegalStateException if the lock is held already
	 */
	public LockHeldElsewhere holdElsewhere(String key) {
		return LockHeldElsewhere.open(this.stores, this.engine.backendName(), storeKey(key));
	}

	/**
	 * Return whether a lock is held, by this process or another one, or cannot be
	 * acquired because it was released with a minimum hold time.
	 * @param key the key, such as {@code order:42}
	 * @return whether it cannot be acquired exclusively
	 */
	public boolean isHeld(String key) {
		return !store().holders(storeKey(key)).isEmpty();
	}

	/**
	 * Return whether a lock is held by the application.
	 * @param key the key, such as {@code order:42}
	 * @return whether a thread or an asynchronous method of this process holds it
	 */
	public boolean isHeldByThisProcess(String key) {
		return !isHeldElsewhere(key)
				&& store().holders(storeKey(key)).stream().anyMatch((holder) -> !holder.isReleased());
	}

	/**
	 * Return whether a lock is {@linkplain #holdElsewhere(String) held elsewhere}.
	 * @param key the key, such as {@code order:42}
	 * @return whether another process seems to hold it
	 */
	public boolean isHeldElsewhere(String key) {
		return LockHeldElsewhere.isHeld(store(), storeKey(key));
	}

	/**
	 * Return the number of acquisitions of this process that wait for a lock.
	 * @param key the key, such as {@code order:42}
	 * @return the number, which may have changed when this returns
	 */
	public int waiters(String key) {
		return this.engine.inspection().waitingCount(storeKey(key));
	}

	/**
	 * Return the keys that are held in the store, for messages.
	 */
	String describeHeld() {
		Set<String> held = store().heldKeys();
		return held.isEmpty() ? "No lock is held."
				: held.stream().map(KeyFormat::quote).collect(Collectors.joining(", ", "Held in the store: ", "."));
	}

	private LocalStore store() {
		return this.stores.store(this.engine.backendName());
	}

	String storeKey(String key) {
		return this.storeKeys.apply(key);
	}

	/**
	 * Return whether the current thread waits for a lock that it holds elsewhere.
	 */
	boolean isInVain(Object blocker) {
		return this.stores.heldElsewhere()
			.stream()
			.filter(LockHeldElsewhere::isOfCurrentThread)
			.anyMatch((lock) -> this.engines.all().stream().anyMatch((engine) -> lock.isWaitedFor(engine, blocker)));
	}

	synchronized void testStarted() {
		this.runningTests++;
	}

	synchronized void testFinished() {
		this.runningTests--;
		if (this.runningTests == 0) {
			reset();
		}
	}

	/**
	 * Release all locks, which are lost to their holders; end all acquisitions that wait;
	 * remove all values of counters, latches and barriers; and set the clock back to the
	 * time of the machine. Done after each test, unless other tests of the same context
	 * are running.
	 */
	public synchronized void reset() {
		if (!this.stores.isClean() || this.engines.all().stream().anyMatch((engine) -> engine.size() > 0)) {
			boolean open = List.copyOf(this.engines.all()).stream().noneMatch(LockEngine::isClosed);
			this.engines.shutdown(Duration.ZERO);
			this.engines.all().forEach(LockEngine::discardLostHolds);
			this.stores.clear();
			if (open) {
				this.engines.start();
			}
		}
	}

}
