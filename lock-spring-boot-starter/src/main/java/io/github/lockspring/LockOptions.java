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
 * How to lock. Immutable; the {@code with} methods return changed copies.
 * <p>
 * The values of {@link #defaults()} are: {@link LockType#REENTRANT}, 5 seconds of
 * waiting, a lease of 30 seconds, renewed. {@link LockOperations#getDefaultOptions()} has
 * those that the application was configured with.
 */
public final class LockOptions {

	/**
	 * The shortest lease time: 100 milliseconds.
	 */
	public static final Duration MIN_LEASE_TIME = Duration.ofMillis(100);

	/**
	 * The longest lease time: one day.
	 */
	public static final Duration MAX_LEASE_TIME = Duration.ofDays(1);

	private static final LockOptions DEFAULTS = new LockOptions(LockType.REENTRANT, Duration.ofSeconds(5),
			Duration.ofSeconds(30), true, Duration.ZERO, 0);

	private final LockType type;

	private final Duration waitTime;

	private final Duration leaseTime;

	private final boolean autoRenew;

	private final Duration lockAtLeastFor;

	private final int permits;

	private final AcquireOptions acquireOptions;

	private final long waitNanos;

	private LockOptions(LockType type, Duration waitTime, Duration leaseTime, boolean autoRenew,
			Duration lockAtLeastFor, int permits) {
		this.type = type;
		this.waitTime = waitTime;
		this.leaseTime = leaseTime;
		this.autoRenew = autoRenew;
		this.lockAtLeastFor = lockAtLeastFor;
		this.permits = permits;
		this.waitNanos = Durations.nanos(waitTime);
		AcquireOptions terms = (permits > 0) ? AcquireOptions.permits(1, permits, leaseTime, autoRenew)
				: switch (type) {
					case REENTRANT, WRITE -> AcquireOptions.exclusive(leaseTime, autoRenew);
					case FAIR -> AcquireOptions.fair(leaseTime, autoRenew);
					case READ -> AcquireOptions.shared(leaseTime, autoRenew);
				};
		this.acquireOptions = terms.withMinimumHold(lockAtLeastFor);
	}

	/**
	 * The options of an application that configures nothing.
	 * @return the options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * The kind of lock.
	 * @return the type
	 */
	public LockType type() {
		return this.type;
	}

	/**
	 * How long to wait for a lock that another holds. Zero means to try once.
	 * @return the wait time
	 */
	public Duration waitTime() {
		return this.waitTime;
	}

	/**
	 * How long the lease lasts after the last renewal: the time after which others get
	 * the lock if this process dies. A backend whose leases last as long as a session
	 * cuts longer times to that of its session, and renews sooner.
	 * @return the lease time
	 */
	public Duration leaseTime() {
		return this.leaseTime;
	}

	/**
	 * Whether the lease is renewed as long as the lock is held. If not, it lasts for the
	 * lease time. On a backend that cuts the lease time, it is kept alive until then, but
	 * ends sooner if this process dies.
	 * @return whether it is renewed
	 */
	public boolean autoRenew() {
		return this.autoRenew;
	}

	/**
	 * How long others are kept out at least, from when the lock was acquired. Zero means
	 * that the lock is free as soon as it is released.
	 * @return the minimum
	 */
	public Duration lockAtLeastFor() {
		return this.lockAtLeastFor;
	}

	/**
	 * These options as the engine takes them. For use inside this library.
	 * @return the terms
	 */
	public AcquireOptions acquireOptions() {
		return this.acquireOptions;
	}

	long waitNanos() {
		return this.waitNanos;
	}

	/**
	 * The same options with another kind of lock.
	 * @param type the type
	 * @return changed options
	 */
	public LockOptions withType(LockType type) {
		Assert.notNull(type, "'type' must not be null");
		return new LockOptions(type, this.waitTime, this.leaseTime, this.autoRenew, this.lockAtLeastFor, this.permits);
	}

	/**
	 * The same options with another wait time.
	 * @param waitTime zero to try once, or how long to wait
	 * @return changed options
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		Assert.notNull(waitTime, "'waitTime' must not be null");
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("'waitTime' must be zero (try once) or longer, not " + waitTime);
		}
		return new LockOptions(this.type, waitTime, this.leaseTime, this.autoRenew, this.lockAtLeastFor, this.permits);
	}

	/**
	 * The same options with another lease time.
	 * @param leaseTime how long the lease lasts unless it is renewed
	 * @return changed options
	 * @throws IllegalArgumentException if the time is not between {@link #MIN_LEASE_TIME}
	 * and {@link #MAX_LEASE_TIME}
	 */
	public LockOptions withLeaseTime(Duration leaseTime) {
		Assert.notNull(leaseTime, "'leaseTime' must not be null");
		if (leaseTime.compareTo(MIN_LEASE_TIME) < 0 || leaseTime.compareTo(MAX_LEASE_TIME) > 0) {
			throw new IllegalArgumentException(
					"'leaseTime' must be between " + MIN_LEASE_TIME + " and " + MAX_LEASE_TIME + ", not " + leaseTime);
		}
		return new LockOptions(this.type, this.waitTime, leaseTime, this.autoRenew, this.lockAtLeastFor, this.permits);
	}

	/**
	 * The same options with or without renewal.
	 * @param autoRenew whether to renew the lease as long as the lock is held
	 * @return changed options
	 */
	public LockOptions withAutoRenew(boolean autoRenew) {
		return new LockOptions(this.type, this.waitTime, this.leaseTime, autoRenew, this.lockAtLeastFor, this.permits);
	}

	/**
	 * The same options for a semaphore: a key is held by as many at once as there are
	 * permits. Each takes one; the type does not matter then, and nobody holds a key
	 * again without another permit. All that use a key at the same time must agree on the
	 * number.
	 * @param permits how many may hold a key at once
	 * @return changed options
	 * @throws IllegalArgumentException if the number is not positive
	 */
	public LockOptions withPermits(int permits) {
		Assert.isTrue(permits > 0, () -> "'permits' must be 1 or more, not " + permits);
		return new LockOptions(this.type, this.waitTime, this.leaseTime, this.autoRenew, this.lockAtLeastFor, permits);
	}

	/**
	 * The same options with another minimum time for which others are kept out, for
	 * instance from a scheduled job that has run already. Release returns at once, and
	 * the holder holds no more; but nobody, in this process or another, gets the lock
	 * before the minimum is over, even if this process ends before. The minimum is
	 * counted from when the lock was acquired; the clock of the store counts what is left
	 * of it at release. The lease lasts at least as long as the minimum. If the lock was
	 * lost, nothing is left to keep.
	 * <p>
	 * Where a lock is acquired again by the one who holds it, the minimum of the first
	 * acquisition counts. A read lock inside a write lock that has a minimum keeps the
	 * write lock. A permit of a semaphore stays in use for the minimum.
	 * @param lockAtLeastFor the minimum, zero for none
	 * @return changed options
	 * @throws IllegalArgumentException if the time is negative or longer than
	 * {@link #MAX_LEASE_TIME}
	 */
	public LockOptions withLockAtLeastFor(Duration lockAtLeastFor) {
		Assert.notNull(lockAtLeastFor, "'lockAtLeastFor' must not be null");
		if (lockAtLeastFor.isNegative() || lockAtLeastFor.compareTo(MAX_LEASE_TIME) > 0) {
			throw new IllegalArgumentException("'lockAtLeastFor' must be between zero (no minimum) and "
					+ MAX_LEASE_TIME + ", not " + lockAtLeastFor);
		}
		return new LockOptions(this.type, this.waitTime, this.leaseTime, this.autoRenew, lockAtLeastFor, this.permits);
	}

	@Override
	public String toString() {
		return ((this.permits > 0) ? "permits=" + this.permits : "type=" + this.type) + ", waitTime=" + this.waitTime
				+ ", leaseTime=" + this.leaseTime + ", autoRenew=" + this.autoRenew
				+ (this.lockAtLeastFor.isZero() ? "" : ", lockAtLeastFor=" + this.lockAtLeastFor);
	}

}
