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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.support.Durations;

/**
 * Options of an acquisition: the lease requested from the store, and how the engine
 * handles it.
 */
public final class AcquireOptions {

	/**
	 * Maximum number of hand-offs of a lease inside the process: a lease that is
	 * requested under contention has as many additional fencing tokens.
	 */
	public static final int MAX_HAND_OFFS = 256;

	private final LeaseTerms single;

	private final LeaseTerms block;

	private final LeaseMode mode;

	private final boolean exclusive;

	private final boolean fair;

	private final boolean shareable;

	private final boolean autoRenew;

	private final long leaseNanos;

	private final boolean handOffCapable;

	private final long minimumNanos;

	private final long wantedNanos;

	private final boolean reentrant;

	private final long retainNanos;

	/**
	 * Cached copy of these options with a capped lease time, written by any thread.
	 */
	private @Nullable AcquireOptions capped;

	private AcquireOptions(LeaseMode mode, boolean fair, Duration leaseTime, boolean autoRenew) {
		this(mode, fair, leaseTime, autoRenew, 0, leaseTime.toNanos(), !(mode instanceof LeaseMode.Permits), 0);
	}

	private AcquireOptions(LeaseMode mode, boolean fair, Duration leaseTime, boolean autoRenew, long minimumNanos,
			long wantedNanos, boolean reentrant, long retainNanos) {
		this.mode = mode;
		this.exclusive = mode == LeaseMode.EXCLUSIVE;
		this.fair = fair;
		this.shareable = mode == LeaseMode.SHARED && minimumNanos == 0;
		this.minimumNanos = minimumNanos;
		this.wantedNanos = wantedNanos;
		this.reentrant = reentrant;
		this.single = new LeaseTerms(mode, fair, leaseTime, 1);
		this.handOffCapable = mode != LeaseMode.SHARED && !fair && minimumNanos == 0;
		this.retainNanos = (this.handOffCapable && this.exclusive && autoRenew) ? retainNanos : 0;
		this.block = this.handOffCapable
				? new LeaseTerms(mode, false, leaseTime, 1 + MAX_HAND_OFFS, this.retainNanos > 0) : this.single;
		this.autoRenew = autoRenew;
		this.leaseNanos = leaseTime.toNanos();
	}

	public static AcquireOptions exclusive(Duration leaseTime, boolean autoRenew) {
		return new AcquireOptions(LeaseMode.EXCLUSIVE, false, leaseTime, autoRenew);
	}

	public static AcquireOptions fair(Duration leaseTime, boolean autoRenew) {
		return new AcquireOptions(LeaseMode.EXCLUSIVE, true, leaseTime, autoRenew);
	}

	public static AcquireOptions shared(Duration leaseTime, boolean autoRenew) {
		return new AcquireOptions(LeaseMode.SHARED, false, leaseTime, autoRenew);
	}

	public static AcquireOptions permits(int permits, int limit, Duration leaseTime, boolean autoRenew) {
		return permits(LeaseMode.permits(permits, limit), false, leaseTime, autoRenew);
	}

	public static AcquireOptions permits(LeaseMode.Permits mode, boolean fair, Duration leaseTime, boolean autoRenew) {
		return new AcquireOptions(mode, fair, leaseTime, autoRenew);
	}

	/**
	 * Return these options with a minimum hold time, before which no other owner can
	 * acquire the key, even if the holder has finished or its process has ended. The
	 * lease lasts at least as long, and is not handed off inside the process.
	 * @param minimum how long the key remains locked after it was acquired, or zero
	 * @return the modified options
	 */
	public AcquireOptions withMinimumHold(Duration minimum) {
		if (minimum.isZero()) {
			return this;
		}
		Duration leaseTime = Durations.max(minimum, leaseTime());
		return new AcquireOptions(mode(), isFair(), leaseTime, this.autoRenew, minimum.toNanos(), leaseTime.toNanos(),
				this.reentrant, this.retainNanos);
	}

	/**
	 * Return these options for an acquisition that is not reentrant: an owner that holds
	 * the key waits like any other.
	 * @return the modified options
	 */
	public AcquireOptions nonReentrant() {
		return new AcquireOptions(mode(), isFair(), leaseTime(), this.autoRenew, this.minimumNanos, this.wantedNanos,
				false, this.retainNanos);
	}

	/**
	 * Return these options with a time for which the process retains the lease after its
	 * last use, to grant it to the next acquisition of this process without a call to the
	 * store. Has no effect unless the lease is exclusive, neither fair nor with a minimum
	 * hold time, and renewed automatically.
	 * @param retain how long to retain the lease, or zero
	 * @return the modified options
	 */
	public AcquireOptions withRetain(Duration retain) {
		return new AcquireOptions(mode(), isFair(), leaseTime(), this.autoRenew, this.minimumNanos, this.wantedNanos,
				this.reentrant, Durations.nanos(retain));
	}

	/**
	 * Return these options with the lease time capped at the maximum that the store
	 * supports. A lease that was not to be renewed is then renewed until the requested
	 * lease time has elapsed.
	 * @param max the maximum lease time
	 */
	AcquireOptions capLeaseTime(Duration max) {
		if (this.single.leaseTime().compareTo(max) <= 0) {
			return this;
		}
		AcquireOptions capped = this.capped;
		if (capped == null || !capped.leaseTime().equals(max)) {
			capped = new AcquireOptions(mode(), isFair(), max, this.autoRenew, this.minimumNanos, this.wantedNanos,
					this.reentrant, this.retainNanos);
			this.capped = capped;
		}
		return capped;
	}

	boolean hasMinimumHold() {
		return this.minimumNanos > 0;
	}

	long minimumHoldNanos() {
		return this.minimumNanos;
	}

	LeaseMode mode() {
		return this.mode;
	}

	/**
	 * Return the kind of a lock that is acquired with these options.
	 * @return the kind
	 */
	public LockKind kind() {
		if (mode() instanceof LeaseMode.Permits) {
			return LockKind.SEMAPHORE;
		}
		if (!isExclusive()) {
			return LockKind.READ;
		}
		return isFair() ? LockKind.FAIR : LockKind.EXCLUSIVE;
	}

	boolean isFair() {
		return this.fair;
	}

	/**
	 * Return whether no other owner holds the key at the same time.
	 * @return whether the lease is exclusive
	 */
	public boolean isExclusive() {
		return this.exclusive;
	}

	/**
	 * Return whether acquisition is reentrant for an owner that holds the lock.
	 * @return whether it is reentrant
	 */
	public boolean isReentrant() {
		return this.reentrant;
	}

	/**
	 * Return whether the lease is renewed for as long as it is held.
	 */
	boolean isAutoRenew() {
		return this.autoRenew;
	}

	/**
	 * Return whether the lease is renewed at all.
	 */
	boolean isRenewed() {
		return this.autoRenew || this.wantedNanos > this.leaseNanos;
	}

	Duration leaseTime() {
		return this.single.leaseTime();
	}

	long leaseNanos() {
		return this.leaseNanos;
	}

	/**
	 * Return the lease time before it was capped at the maximum of the store.
	 */
	long wantedNanos() {
		return this.wantedNanos;
	}

	/**
	 * Return whether the process retains the lease after its last use.
	 * @return whether it is retained, if the store supports that
	 */
	public boolean isRetained() {
		return this.retainNanos > 0;
	}

	long retainNanos() {
		return this.retainNanos;
	}

	/**
	 * Return whether the lease is exclusive and needs neither fairness nor a minimum hold
	 * time, nor is retained: such leases are supported by every backend.
	 */
	boolean isPlain() {
		return isCombinable() && this.retainNanos == 0;
	}

	/**
	 * Return whether the lease may be one of several keys, for which it is not retained.
	 */
	boolean isCombinable() {
		return this.handOffCapable && this.exclusive;
	}

	/**
	 * Return whether readers with these options can share a lease.
	 */
	boolean isShareable() {
		return this.shareable;
	}

	/**
	 * Return whether a reader with these options can share a lease that was acquired with
	 * the given ones, which have the same lease time.
	 */
	boolean canShareWith(AcquireOptions other) {
		return this.shareable && other.shareable && this.autoRenew == other.autoRenew
				&& this.leaseNanos == other.leaseNanos;
	}

	/**
	 * Return the terms to request from the store.
	 * @param contended whether other acquisitions in this process want the key
	 */
	LeaseTerms leaseTerms(boolean contended) {
		return (contended || this.retainNanos > 0) ? this.block : this.single;
	}

	/**
	 * Return the terms to request from the store for several keys, whose lease is neither
	 * handed off nor retained.
	 */
	LeaseTerms leaseTermsOfSeveral() {
		return this.single;
	}

	/**
	 * Return whether a lease that was acquired with these options can be handed off to an
	 * acquisition with the given ones: it can be handed off, and has the same lease time
	 * and mode.
	 * @param mode the present mode of the lease, which may have fewer permits by now
	 */
	boolean canHandOffTo(AcquireOptions other, LeaseMode mode) {
		return this.handOffCapable && other.handOffCapable && this.autoRenew == other.autoRenew
				&& this.leaseNanos == other.leaseNanos && isSame(mode, other.mode());
	}

	private static boolean isSame(LeaseMode one, LeaseMode other) {
		return one == other || (one instanceof LeaseMode.Permits some && other instanceof LeaseMode.Permits others
				&& some.permits() == others.permits() && some.limit() == others.limit()
				&& some.version() == others.version());
	}

}
