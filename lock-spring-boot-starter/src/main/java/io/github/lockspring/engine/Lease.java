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
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

/**
 * A lease in the store as far as this process knows: what was asked, and until when it is
 * sure to last. It may pass from one hold to the next.
 * <p>
 * It lasts from the moment before its request was sent, which no grant can be older than,
 * for as long as the store said, less a margin of one percent by which clocks may run
 * apart. It is over as soon as either clock says so: the monotonic clock stands still
 * while the machine is suspended, the wall clock may be set back.
 */
class Lease {

	private static final int DRIFT_DIVISOR = 100;

	private static final VarHandle DEADLINE_NANOS = Fields.varHandle(MethodHandles.lookup(), "deadlineNanos",
			long.class);

	private static final VarHandle DEADLINE_MILLIS = Fields.varHandle(MethodHandles.lookup(), "deadlineMillis",
			long.class);

	private static final VarHandle SENT_NANOS = Fields.varHandle(MethodHandles.lookup(), "sentNanos", long.class);

	private final LeaseRequest request;

	private volatile long deadlineNanos;

	private volatile long deadlineMillis;

	private volatile long sentNanos;

	/**
	 * When the grant arrived; before that, the stamp of the last denial.
	 */
	private long grantedNanos;

	private volatile boolean ended;

	private volatile @Nullable KeptLease kept;

	private int handOffs;

	private boolean queued;

	Lease(LeaseRequest request) {
		this.request = request;
	}

	LeaseRequest request() {
		return this.request;
	}

	boolean isExclusive() {
		return request().terms().mode() == LeaseMode.EXCLUSIVE;
	}

	/**
	 * Whether a shared lease can be made out of this one.
	 */
	boolean canDowngrade() {
		return isExclusive();
	}

	/**
	 * This lease for the time in which the store makes a shared lease out of it: it lasts
	 * for the shorter one of both.
	 * @param terms the terms of the shared lease
	 * @param sentNanos the monotonic time before the store is asked
	 * @param sentMillis the wall time before the store is asked
	 */
	Lease whileDowngrading(AcquireOptions terms, long sentNanos, long sentMillis) {
		long nanos = Math.min(usable(terms.leaseNanos()), remainingNanos(sentNanos, sentMillis));
		Lease lease = new Lease(request());
		lease.setDeadline(sentNanos + nanos, sentMillis + nanos / 1_000_000);
		lease.sentNanos = this.sentNanos;
		return lease;
	}

	/**
	 * Tells that the upkeep looks after this, or does no more.
	 */
	void setKept(@Nullable KeptLease kept) {
		this.kept = kept;
	}

	@Nullable KeptLease kept() {
		return this.kept;
	}

	/**
	 * Tells that the request may be about to get a place in the store's queue, or did not
	 * get one.
	 */
	void setQueued(boolean queued) {
		this.queued = queued;
	}

	/**
	 * Whether the request may have a place in the store's queue.
	 */
	boolean isQueued() {
		return this.queued;
	}

	/**
	 * Tells that the store denied the request, and will not have granted it before.
	 * @param stamp the stamp of the denial, zero if no unasked grant will follow
	 * @param sentNanos the monotonic time before the request was sent
	 * @param sentMillis the wall time before the request was sent
	 */
	void denied(long stamp, long sentNanos, long sentMillis) {
		this.grantedNanos = stamp;
		setDeadline(sentNanos, sentMillis);
	}

	/**
	 * Tells that the store granted the request, unasked, at some time after it had denied
	 * it. A grant that follows another denial than the last may be over by now, one that
	 * is not renewed must last, and the minimum hold must survive this process.
	 * @param stamp the stamp of the denial that the grant follows
	 * @return {@code false} if the store must be asked whether the grant still counts
	 */
	boolean grantedUnasked(Grant grant, long stamp, AcquireOptions terms, TimeSource time) {
		if (terms.hasMinimumHold() || stamp == 0 || stamp != this.grantedNanos
				|| !lastsFor(grant.validity().toNanos(), terms, time)) {
			return false;
		}
		granted(grant, this.deadlineNanos, this.deadlineMillis);
		return true;
	}

	private boolean lastsFor(long validityNanos, AcquireOptions terms, TimeSource time) {
		long left = usable(validityNanos) + remainingNanos(time);
		return terms.isRenewed() ? left > 0 : validityNanos >= terms.leaseNanos() && left >= terms.leaseNanos() / 2;
	}

	/**
	 * Tells that the store granted the request.
	 * @param sentNanos the monotonic time before the request was sent
	 * @param sentMillis the wall time before the request was sent
	 */
	void granted(Grant grant, long sentNanos, long sentMillis) {
		extendFrom(sentNanos, sentMillis, usable(grant.validity().toNanos()));
	}

	/**
	 * Tells that the store prolonged the lease. One that is only kept alive for the time
	 * that was wanted ends with that.
	 * @param validityNanos how long the store keeps the lease
	 * @param sentNanos the monotonic time before the renewal was sent
	 * @param sentMillis the wall time before the renewal was sent
	 */
	void renewed(AcquireOptions terms, long validityNanos, long sentNanos, long sentMillis) {
		long usable = usable(validityNanos);
		long left = terms.isAutoRenew() ? usable : wantedEndNanos(terms) - sentNanos;
		extendFrom(sentNanos, sentMillis, Math.min(usable, left));
	}

	/**
	 * Whether the lease lasts for the whole time that was wanted.
	 */
	boolean lastsAsWanted(AcquireOptions terms) {
		return this.deadlineNanos - wantedEndNanos(terms) >= 0;
	}

	private long wantedEndNanos(AcquireOptions terms) {
		return this.grantedNanos + usable(terms.wantedNanos());
	}

	private void extendFrom(long sentNanos, long sentMillis, long usableNanos) {
		SENT_NANOS.setRelease(this, sentNanos);
		setDeadline(sentNanos + usableNanos, sentMillis + usableNanos / 1_000_000);
	}

	private static long usable(long validityNanos) {
		return validityNanos - validityNanos / DRIFT_DIVISOR;
	}

	/**
	 * Ordered writes are enough: whoever still sees the former deadline is on the safe
	 * side.
	 */
	private void setDeadline(long nanos, long millis) {
		DEADLINE_NANOS.setRelease(this, nanos);
		DEADLINE_MILLIS.setRelease(this, millis);
	}

	/**
	 * Begins to count the time for which the lease is passed on and renewed: the grant
	 * has arrived.
	 * @return {@code false} if it came too late
	 */
	boolean begin(TimeSource time) {
		this.grantedNanos = time.nanoTime();
		return !isExpired(this.grantedNanos, time.currentTimeMillis());
	}

	/**
	 * Tells that the store gave the lease up.
	 */
	void end() {
		this.ended = true;
	}

	boolean isExpired(TimeSource time) {
		return this.ended || isExpired(time.nanoTime(), time.currentTimeMillis());
	}

	private boolean isExpired(long nanos, long millis) {
		return nanos - this.deadlineNanos >= 0 || millis >= this.deadlineMillis;
	}

	long remainingNanos(TimeSource time) {
		return remainingNanos(time.nanoTime(), time.currentTimeMillis());
	}

	private long remainingNanos(long nanos, long millis) {
		return this.ended ? 0 : Math.min(this.deadlineNanos - nanos, (this.deadlineMillis - millis) * 1_000_000);
	}

	long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * The monotonic time before the request or renewal was sent that the store answered
	 * last.
	 */
	long sentNanos() {
		return this.sentNanos;
	}

	/**
	 * The monotonic time at which the grant arrived.
	 */
	long grantedNanos() {
		return this.grantedNanos;
	}

	/**
	 * How long the lease was sure to last when its grant arrived, at most the lease time.
	 * A renewal makes up for a grant of short validity.
	 */
	long spanNanos(AcquireOptions terms) {
		return Math.min(terms.leaseNanos(), this.deadlineNanos - this.grantedNanos);
	}

	/**
	 * Whether the lease may be passed on once more: it has tokens, it was not passed on
	 * for too long, and the next holder has most of the time before it that the lease was
	 * granted for, or all of the lease time if it is not renewed.
	 */
	boolean canHandOff(AcquireOptions terms, EngineSettings settings, TimeSource time) {
		long now = time.nanoTime();
		return this.handOffs < Math.min(settings.handOverLimit(), request().terms().tokens() - 1)
				&& now - this.grantedNanos < settings.handOverNanos() && remainingNanos(now,
						time.currentTimeMillis()) >= (terms.isAutoRenew() ? spanNanos(terms) / 2 : terms.wantedNanos());
	}

	/**
	 * Tells that a hold has ended.
	 * @return what the store must be given back now
	 */
	LeaseRequest leave(Hold hold) {
		return request();
	}

	/**
	 * Tells that holds have ended.
	 * @return what the store must be given back now
	 */
	LeaseRequest leave(List<Hold> holds) {
		return request();
	}

	/**
	 * Whether the lease is still what it was when the store was asked for something, and
	 * no part of it was given back since.
	 */
	final boolean isStill(LeaseRequest asked) {
		return request().keys().equals(asked.keys());
	}

	/**
	 * Whether the lease could be passed on, and has been for as long or as often as it
	 * may.
	 */
	boolean isHandOffBudgetSpent(long now, EngineSettings settings) {
		int limit = Math.min(settings.handOverLimit(), request().terms().tokens() - 1);
		return limit > 0 && (this.handOffs >= limit || now - this.grantedNanos >= settings.handOverNanos());
	}

	void handOff() {
		this.handOffs++;
	}

}
