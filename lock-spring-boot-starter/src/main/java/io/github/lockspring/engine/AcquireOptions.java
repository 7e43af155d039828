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

/**
 * How to acquire: what the store is asked for, and what the engine does beside.
 */
public final class AcquireOptions {

	/**
	 * How many times a lease can be passed on inside the process, because a lease that is
	 * asked for under contention comes with so many fencing tokens more than one.
	 */
	public static final int MAX_HAND_OFFS = 256;

	private final LeaseTerms single;

	private final LeaseTerms block;

	private final boolean autoRenew;

	private final long leaseNanos;

	private final boolean handOffCapable;

	private final long minimumNanos;

	private final long wantedNanos;

	/**
	 * The same terms as they were cut before, by whichever thread.
	 */
	private @Nullable AcquireOptions cut;

	private AcquireOptions(LeaseMode mode, boolean fair, Duration leaseTime, boolean autoRenew) {
		this(mode, fair, leaseTime, autoRenew, 0, leaseTime.toNanos());
	}

	private AcquireOptions(LeaseMode mode, boolean fair, Duration leaseTime, boolean autoRenew, long minimumNanos,
			long wantedNanos) {
		this.minimumNanos = minimumNanos;
		this.wantedNanos = wantedNanos;
		this.single = new LeaseTerms(mode, fair, leaseTime, 1);
		this.block = (mode == LeaseMode.EXCLUSIVE && !fair && minimumNanos == 0)
				? new LeaseTerms(mode, false, leaseTime, 1 + MAX_HAND_OFFS) : this.single;
		this.autoRenew = autoRenew;
		this.leaseNanos = leaseTime.toNanos();
		this.handOffCapable = this.block != this.single;
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
		return new AcquireOptions(LeaseMode.permits(permits, limit), false, leaseTime, autoRenew);
	}

	/**
	 * The same terms, but nobody else gets the key before a minimum hold is over, not
	 * even if the holder has finished or its process has ended. The lease lasts at least
	 * as long, and is not passed on inside the process.
	 * @param minimum how long the key stays taken from when it was acquired, or zero
	 * @return the terms
	 */
	public AcquireOptions withMinimumHold(Duration minimum) {
		if (minimum.isZero()) {
			return this;
		}
		Duration leaseTime = (leaseTime().compareTo(minimum) < 0) ? minimum : leaseTime();
		return new AcquireOptions(mode(), isFair(), leaseTime, this.autoRenew, minimum.toNanos(), leaseTime.toNanos());
	}

	/**
	 * The same terms, with a lease that is not longer than the store keeps one. If it was
	 * not to be renewed, it is kept alive for the time that was wanted.
	 * @param longest the longest lease time
	 */
	AcquireOptions capLeaseTime(Duration longest) {
		if (leaseTime().compareTo(longest) <= 0) {
			return this;
		}
		AcquireOptions cut = this.cut;
		if (cut == null || !cut.leaseTime().equals(longest)) {
			cut = new AcquireOptions(mode(), isFair(), longest, this.autoRenew, this.minimumNanos, this.wantedNanos);
			this.cut = cut;
		}
		return cut;
	}

	boolean hasMinimumHold() {
		return this.minimumNanos > 0;
	}

	long minimumHoldNanos() {
		return this.minimumNanos;
	}

	LeaseMode mode() {
		return this.single.mode();
	}

	boolean isFair() {
		return this.single.fair();
	}

	boolean isExclusive() {
		return mode() == LeaseMode.EXCLUSIVE;
	}

	/**
	 * Whether an owner that holds may acquire again at once.
	 */
	boolean isReentrant() {
		return !(mode() instanceof LeaseMode.Permits);
	}

	/**
	 * Whether the lease is renewed for as long as it is held.
	 */
	boolean isAutoRenew() {
		return this.autoRenew;
	}

	/**
	 * Whether the lease is renewed at all.
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
	 * The lease time before it was cut to what the store can keep.
	 */
	long wantedNanos() {
		return this.wantedNanos;
	}

	/**
	 * Whether the lease is exclusive and needs neither order nor a minimum hold: what
	 * every backend can grant, and what can be passed on inside the process.
	 */
	boolean isHandOffCapable() {
		return this.handOffCapable;
	}

	/**
	 * What to ask the store for.
	 * @param contended whether others in this process want the key
	 */
	LeaseTerms leaseTerms(boolean contended) {
		return contended ? this.block : this.single;
	}

	/**
	 * Whether a lease that was acquired on these terms serves one who asks for those: the
	 * lease can be passed on, and lasts as long.
	 */
	boolean canHandOffTo(AcquireOptions other) {
		return this.handOffCapable && other.handOffCapable && this.autoRenew == other.autoRenew
				&& this.leaseNanos == other.leaseNanos;
	}

}
