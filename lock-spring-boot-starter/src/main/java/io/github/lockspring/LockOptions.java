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

package io.github.lockspring;

import java.time.Duration;

import org.springframework.util.Assert;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.support.Durations;

/**
 * Options of a lock acquisition. Immutable; the {@code with} methods return modified
 * copies.
 * <p>
 * The values of {@link #defaults()} are {@link LockType#REENTRANT}, a wait time of 5
 * seconds and a lease time of 30 seconds with automatic renewal.
 * {@link LockOperations#defaultOptions()} returns the options that the application is
 * configured with.
 */
public final class LockOptions {

	/**
	 * Minimum lease time: 100 milliseconds.
	 */
	public static final Duration MIN_LEASE_TIME = Duration.ofMillis(100);

	/**
	 * Maximum lease time: one day.
	 */
	public static final Duration MAX_LEASE_TIME = Duration.ofDays(1);

	private static final LockOptions DEFAULTS = new LockOptions(LockType.REENTRANT, Duration.ofSeconds(5),
			Duration.ofSeconds(30), true, Duration.ZERO, 0, Duration.ZERO);

	private final LockType type;

	private final Duration waitTime;

	private final Duration leaseTime;

	private final boolean autoRenew;

	private final Duration lockAtLeastFor;

	private final int permits;

	private final Duration retain;

	private final AcquireOptions acquireOptions;

	private final long waitNanos;

	private LockOptions(LockType type, Duration waitTime, Duration leaseTime, boolean autoRenew,
			Duration lockAtLeastFor, int permits, Duration retain) {
		this.type = type;
		this.waitTime = waitTime;
		this.leaseTime = leaseTime;
		this.autoRenew = autoRenew;
		this.lockAtLeastFor = lockAtLeastFor;
		this.permits = permits;
		this.retain = retain;
		this.waitNanos = Durations.nanos(waitTime);
		AcquireOptions options = (permits > 0) ? AcquireOptions.permits(1, permits, leaseTime, autoRenew)
				: switch (type) {
					case REENTRANT, WRITE -> AcquireOptions.exclusive(leaseTime, autoRenew);
					case FAIR -> AcquireOptions.fair(leaseTime, autoRenew);
					case READ -> AcquireOptions.shared(leaseTime, autoRenew);
				};
		this.acquireOptions = options.withMinimumHold(lockAtLeastFor).withRetain(retain);
	}

	/**
	 * Return the options of an application without any configuration.
	 * @return the options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Return the type of the lock.
	 * @return the type
	 */
	public LockType type() {
		return this.type;
	}

	/**
	 * Return the maximum time to wait for a lock that is held by another owner. Zero
	 * means to try once.
	 * @return the wait time
	 */
	public Duration waitTime() {
		return this.waitTime;
	}

	/**
	 * Return the time after the last renewal at which the lease expires: the time after
	 * which others can acquire the lock if this process crashes. A backend whose leases
	 * are bound to a session limits it to the session timeout and renews accordingly
	 * sooner.
	 * @return the lease time
	 */
	public Duration leaseTime() {
		return this.leaseTime;
	}

	/**
	 * Return whether the lease is renewed for as long as the lock is held. Otherwise, it
	 * expires after the lease time. A backend that limits the lease time renews the lease
	 * until then, but it ends sooner if this process crashes.
	 * @return whether the lease is renewed
	 */
	public boolean autoRenew() {
		return this.autoRenew;
	}

	/**
	 * Return the minimum time, counted from the acquisition, for which the lock cannot be
	 * acquired by others. Zero means that the lock is available as soon as it is
	 * released.
	 * @return the minimum time
	 */
	public Duration lockAtLeastFor() {
		return this.lockAtLeastFor;
	}

	/**
	 * Return the maximum number of permits of a semaphore that are in use at once.
	 * @return the number, 0 for a lock
	 * @see #withPermits(int)
	 */
	public int permits() {
		return this.permits;
	}

	/**
	 * Return the time for which this process retains the lease after its last use.
	 * @return the time, zero if the lease is released with the lock
	 * @see #withRetain(Duration)
	 */
	public Duration retain() {
		return this.retain;
	}

	/**
	 * Return these options in the form used by the engine.
	 */
	AcquireOptions acquireOptions() {
		return this.acquireOptions;
	}

	long waitNanos() {
		return this.waitNanos;
	}

	/**
	 * Return a copy of these options with a different type of lock.
	 * @param type the type
	 * @return the modified options
	 */
	public LockOptions withType(LockType type) {
		Assert.notNull(type, "'type' must not be null");
		return new LockOptions(type, this.waitTime, this.leaseTime, this.autoRenew, this.lockAtLeastFor, this.permits,
				this.retain);
	}

	/**
	 * Return a copy of these options with a different wait time.
	 * @param waitTime the maximum time to wait; zero to try once
	 * @return the modified options
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		Assert.notNull(waitTime, "'waitTime' must not be null");
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("'waitTime' must be zero (try once) or longer, not " + waitTime);
		}
		return new LockOptions(this.type, waitTime, this.leaseTime, this.autoRenew, this.lockAtLeastFor, this.permits,
				this.retain);
	}

	/**
	 * Return a copy of these options with a different lease time.
	 * @param leaseTime the time at which the lease expires unless it is renewed
	 * @return the modified options
	 * @throws IllegalArgumentException if the time is not between {@link #MIN_LEASE_TIME}
	 * and {@link #MAX_LEASE_TIME}
	 */
	public LockOptions withLeaseTime(Duration leaseTime) {
		requireBetween(MIN_LEASE_TIME, LockUtils.text(MIN_LEASE_TIME), leaseTime, "leaseTime");
		return new LockOptions(this.type, this.waitTime, leaseTime, this.autoRenew, this.lockAtLeastFor, this.permits,
				this.retain);
	}

	/**
	 * Return a copy of these options with or without automatic renewal.
	 * @param autoRenew whether to renew the lease for as long as the lock is held
	 * @return the modified options
	 */
	public LockOptions withAutoRenew(boolean autoRenew) {
		return new LockOptions(this.type, this.waitTime, this.leaseTime, autoRenew, this.lockAtLeastFor, this.permits,
				this.retain);
	}

	/**
	 * Return a copy of these options for a semaphore: a key can be held by as many owners
	 * at once as there are permits. Each acquisition takes one permit; the type of the
	 * lock is ignored, and permits are not reentrant, so that acquiring a key again takes
	 * another permit. All concurrent users of a key must agree on the number.
	 * @param permits the maximum number of permits in use at once
	 * @return the modified options
	 * @throws IllegalArgumentException if the number is not positive
	 */
	public LockOptions withPermits(int permits) {
		Assert.isTrue(permits > 0, () -> "'permits' must be 1 or more, not " + permits);
		return new LockOptions(this.type, this.waitTime, this.leaseTime, this.autoRenew, this.lockAtLeastFor, permits,
				this.retain);
	}

	/**
	 * Return a copy of these options with a different minimum time for which the lock
	 * cannot be acquired by others, for instance by other instances of a scheduled job
	 * that has run already. A release returns immediately and its owner no longer holds
	 * the lock, but no owner, in this process or another, can acquire it before the
	 * minimum time has elapsed, even if this process terminates earlier. The minimum time
	 * starts when the lock is acquired; what remains of it at the release is measured by
	 * the clock of the store. The lease lasts at least as long as the minimum time, but a
	 * backend whose leases are bound to a session ends that of a process that was killed
	 * with the session. If the lock was lost, the minimum time no longer applies.
	 * <p>
	 * For reentrant acquisitions, the minimum time of the first acquisition applies. If a
	 * read lock is acquired while a write lock with a minimum time is held, the write
	 * lock is kept for that time. A permit of a semaphore remains in use for the minimum
	 * time.
	 * @param lockAtLeastFor the minimum time, zero for none
	 * @return the modified options
	 * @throws IllegalArgumentException if the time is negative or longer than
	 * {@link #MAX_LEASE_TIME}
	 */
	public LockOptions withLockAtLeastFor(Duration lockAtLeastFor) {
		requireBetween(Duration.ZERO, "zero (no minimum)", lockAtLeastFor, "lockAtLeastFor");
		return new LockOptions(this.type, this.waitTime, this.leaseTime, this.autoRenew, lockAtLeastFor, this.permits,
				this.retain);
	}

	/**
	 * Return a copy of these options with a time for which this process retains the lease
	 * after its last use. For as long as it does, its next acquisition of the key makes
	 * no call to the store, and has a larger fencing token as always. Another process
	 * that wants the key recalls the lease: it gets it at once if it is not in use, also
	 * if it tries only once, and otherwise when the present holder releases the lock.
	 * Acquisitions of other processes take longer by a notification.
	 * <p>
	 * Useful for keys that one process acquires again and again. If this process crashes
	 * while it retains a lease, others wait for the rest of the lease time, as after a
	 * crash of a holder. A lease that is lost while it is retained is acquired anew by
	 * the next acquisition, and not reported.
	 * <p>
	 * Without effect on read locks, {@linkplain LockType#FAIR fair} locks, semaphores,
	 * several keys acquired together, and locks with a minimum time or without automatic
	 * renewal. A backend that cannot recall leases rejects acquisitions with these
	 * options.
	 * @param retain the time since the last release, zero for none
	 * @return the modified options
	 * @throws IllegalArgumentException if the time is negative or longer than
	 * {@link #MAX_LEASE_TIME}
	 */
	public LockOptions withRetain(Duration retain) {
		requireBetween(Duration.ZERO, "zero (not retained)", retain, "retain");
		return new LockOptions(this.type, this.waitTime, this.leaseTime, this.autoRenew, this.lockAtLeastFor,
				this.permits, retain);
	}

	private static void requireBetween(Duration min, String minText, Duration duration, String name) {
		Assert.notNull(duration, () -> "'" + name + "' must not be null");
		Assert.isTrue(duration.compareTo(min) >= 0 && duration.compareTo(MAX_LEASE_TIME) <= 0,
				() -> "'" + name + "' must be between " + minText + " and " + LockUtils.text(MAX_LEASE_TIME) + ", not "
						+ LockUtils.text(duration));
	}

	@Override
	public String toString() {
		return ((this.permits > 0) ? "permits=" + this.permits : "type=" + this.type) + ", waitTime=" + this.waitTime
				+ ", leaseTime=" + this.leaseTime + ", autoRenew=" + this.autoRenew
				+ (this.lockAtLeastFor.isZero() ? "" : ", lockAtLeastFor=" + this.lockAtLeastFor)
				+ (this.retain.isZero() ? "" : ", retain=" + this.retain);
	}

}
