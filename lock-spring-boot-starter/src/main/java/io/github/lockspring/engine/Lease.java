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
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;

/**
 * Lease in the store as known to this process: its request, and the time until which it
 * is certain to last. It may be handed off from one hold to the next.
 * <p>
 * It lasts from the time before its request was sent, which no grant can precede, for the
 * validity returned by the store, less a margin of one percent for clock drift. It has
 * expired as soon as it has by one of the clocks: the monotonic clock does not advance
 * while the machine is suspended, the wall clock may be set back.
 */
class Lease {

	private static final int DRIFT_DIVISOR = 100;

	private static final VarHandle DEADLINE_NANOS = Fields.varHandle(MethodHandles.lookup(), "deadlineNanos",
			long.class);

	private static final VarHandle DEADLINE_MILLIS = Fields.varHandle(MethodHandles.lookup(), "deadlineMillis",
			long.class);

	private static final VarHandle SENT_NANOS = Fields.varHandle(MethodHandles.lookup(), "sentNanos", long.class);

	private static final VarHandle STATE = Fields.varHandle(MethodHandles.lookup(), "state", byte.class);

	private static final byte ORDINARY = 0;

	private static final byte RECALLABLE = 1;

	private static final byte RECALLED = 2;

	private static final byte ENDED = 3;

	/**
	 * Part of the maximum hold time for which a lease is retained since its grant, so
	 * that each holder has nearly all of that time.
	 */
	private static final int MAX_RETAINED_PART = 100;

	private static final Watch NOT_RENEWED = new Watch() {
	};

	private LeaseRequest request;

	private volatile long deadlineNanos;

	private volatile long deadlineMillis;

	private volatile long sentNanos;

	/**
	 * Monotonic time at which the grant arrived; before that, the attempt id of the last
	 * denial, zero if there was none.
	 */
	private long grantedNanos;

	/**
	 * Whether this is recallable, was recalled, or has ended in the store.
	 */
	private volatile byte state;

	private volatile @Nullable Watch watch;

	/**
	 * Number of hand-offs, at most {@link AcquireOptions#MAX_HAND_OFFS}: with a longer
	 * type, the object would take more than 56 bytes.
	 */
	private short handOffs;

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
	 * Return whether this lease can be downgraded to a shared one.
	 */
	boolean canDowngrade() {
		return isExclusive();
	}

	/**
	 * Return whether several holds of the key may have this lease.
	 */
	boolean isShareable() {
		return false;
	}

	/**
	 * Record that a call is about to be sent after which the store may keep this lease
	 * for no longer than a lease time. Unless it is known that the call had another
	 * effect, this lease ends no later than that.
	 * @param leaseTime the lease time
	 * @param sentNanos the monotonic time before the call
	 * @param sentMillis the wall time before the call
	 */
	void endWithin(Duration leaseTime, long sentNanos, long sentMillis) {
		long nanos = Math.min(usable(leaseTime.toNanos()), remainingNanos(sentNanos, sentMillis));
		setDeadline(sentNanos + nanos, sentMillis + nanos / 1_000_000);
	}

	/**
	 * Set the times to those of another lease. This one is not renewed.
	 */
	void lastLike(Lease other) {
		setDeadline(other.deadlineNanos, other.deadlineMillis);
		this.sentNanos = other.sentNanos;
		this.grantedNanos = other.grantedNanos;
		this.watch = NOT_RENEWED;
	}

	/**
	 * Start the time of this lease, which replaces another one, and count it from the
	 * grant of that. It has the tokens that are left of that.
	 * @return {@code false} if the lease has expired
	 */
	boolean begin(Lease former, TimeSource time) {
		boolean begun = begin(time);
		this.grantedNanos = former.grantedNanos;
		this.handOffs = former.handOffs;
		return begun;
	}

	/**
	 * Set by what this lease is watched, if it is.
	 */
	void setWatch(@Nullable Watch watch) {
		this.watch = watch;
	}

	@Nullable Watch watch() {
		return this.watch;
	}

	/**
	 * Set whether the request may get an entry in the queue of the store.
	 */
	void setQueued(boolean queued) {
		this.queued = queued;
	}

	/**
	 * Return whether the request may have an entry in the queue of the store.
	 */
	boolean isQueued() {
		return this.queued;
	}

	/**
	 * Record that the store denied the request, and did not grant it before.
	 * @param attemptId the attempt id of the denial, zero if no notification of a grant
	 * will follow
	 * @param sentNanos the monotonic time before the request was sent
	 * @param sentMillis the wall time before the request was sent
	 */
	void denied(long attemptId, long sentNanos, long sentMillis) {
		this.grantedNanos = attemptId;
		setDeadline(sentNanos, sentMillis);
	}

	/**
	 * Record a notification that the store granted the request after having denied it. A
	 * grant that follows another denial than the last may have expired by now, one that
	 * is not renewed must last for its lease time, and the minimum hold time must outlast
	 * this process. The lease lasts no longer from now than its validity, even if the
	 * clock of the store was set forward since the denial.
	 * @return {@code false} if the request must be retried to find out whether the grant
	 * is still valid
	 */
	boolean grantedByNotification(Notification.Granted granted, AcquireOptions options, TimeSource time) {
		if (options.hasMinimumHold() || granted.attemptId() == 0 || granted.attemptId() != this.grantedNanos) {
			return false;
		}
		long now = time.nanoTime();
		long validity = granted.grant().validity().toNanos();
		long sinceDenial = granted.waited().toNanos() + validity;
		long left = Math.min(usable(sinceDenial) + remainingNanos(now, time.currentTimeMillis()), usable(validity));
		boolean lasts = options.isRenewed() ? left > 0
				: sinceDenial >= options.leaseNanos() && left >= options.leaseNanos() / 2;
		if (lasts) {
			extendFrom(this.deadlineNanos, this.deadlineMillis,
					Math.min(usable(sinceDenial), now - this.deadlineNanos + usable(validity)));
		}
		return lasts;
	}

	/**
	 * Record that the store granted the request.
	 * @param sentNanos the monotonic time before the request was sent
	 * @param sentMillis the wall time before the request was sent
	 */
	void granted(Grant grant, long sentNanos, long sentMillis) {
		if (grant.recallable()) {
			STATE.compareAndSet(this, ORDINARY, RECALLABLE);
		}
		extendFrom(sentNanos, sentMillis, usable(grant.validity().toNanos()));
	}

	/**
	 * Record that the store renewed the lease. A lease that is renewed only for the
	 * requested lease time ends with that.
	 * @param validityNanos how long the store keeps the lease
	 * @param sentNanos the monotonic time before the renewal was sent
	 * @param sentMillis the wall time before the renewal was sent
	 */
	void renewed(AcquireOptions options, long validityNanos, long sentNanos, long sentMillis) {
		long usable = usable(validityNanos);
		long left = options.isAutoRenew() ? usable : wantedEndNanos(options) - sentNanos;
		extendFrom(sentNanos, sentMillis, Math.min(usable, left));
	}

	/**
	 * Record that the store renewed the lease for another lease time, which begins now.
	 * @param request the request with the other lease time
	 * @param validityNanos how long the store keeps the lease
	 * @param sentNanos the monotonic time before the renewal was sent
	 * @param sentMillis the wall time before the renewal was sent
	 */
	void extended(LeaseRequest request, long validityNanos, long sentNanos, long sentMillis) {
		this.request = request;
		this.grantedNanos = sentNanos;
		extendFrom(sentNanos, sentMillis, usable(validityNanos));
	}

	/**
	 * Return whether the lease lasts for the full requested lease time.
	 */
	boolean lastsAsWanted(AcquireOptions options) {
		return this.deadlineNanos - wantedEndNanos(options) >= 0;
	}

	private long wantedEndNanos(AcquireOptions options) {
		return this.grantedNanos + usable(options.wantedNanos());
	}

	private void extendFrom(long sentNanos, long sentMillis, long usableNanos) {
		SENT_NANOS.setRelease(this, sentNanos);
		setDeadline(sentNanos + usableNanos, sentMillis + usableNanos / 1_000_000);
	}

	private static long usable(long validityNanos) {
		return validityNanos - validityNanos / DRIFT_DIVISOR;
	}

	/**
	 * Ordered writes are sufficient: a thread that still sees the former deadline is on
	 * the safe side.
	 */
	private void setDeadline(long nanos, long millis) {
		DEADLINE_NANOS.setRelease(this, nanos);
		DEADLINE_MILLIS.setRelease(this, millis);
	}

	/**
	 * Start the time for which the lease is handed off and renewed: the grant has
	 * arrived.
	 * @return {@code false} if it arrived too late
	 */
	boolean begin(TimeSource time) {
		this.grantedNanos = time.nanoTime();
		return !isExpired(this.grantedNanos, time.currentTimeMillis());
	}

	/**
	 * Record that the lease has ended in the store.
	 */
	void end() {
		this.state = ENDED;
	}

	/**
	 * Record that the lease is to be released to the store when its holder ends, or when
	 * it has been handed off for as long as permitted. May be called before it is
	 * granted.
	 */
	void recall() {
		byte current = this.state;
		while (current < RECALLED && !STATE.compareAndSet(this, current, RECALLED)) {
			current = this.state;
		}
	}

	/**
	 * Return whether the lease may be retained after its last use, until it is recalled.
	 */
	boolean isRetainable() {
		return this.state == RECALLABLE;
	}

	/**
	 * Record that the store no longer has the lease of a request, which this may be the
	 * replacement of, or may be replaced by.
	 * @return whether the holder of this has lost that lease
	 */
	boolean endIfReplaced(LeaseRequest request) {
		return false;
	}

	boolean isExpired(TimeSource time) {
		return this.state == ENDED || isPast(time);
	}

	/**
	 * Return whether the time of the lease is over. That the store no longer has it may
	 * be the effect of a release.
	 */
	boolean isPast(TimeSource time) {
		return isExpired(time.nanoTime(), time.currentTimeMillis());
	}

	private boolean isExpired(long nanos, long millis) {
		return nanos - this.deadlineNanos >= 0 || millis >= this.deadlineMillis;
	}

	long remainingNanos(TimeSource time) {
		return remainingNanos(time.nanoTime(), time.currentTimeMillis());
	}

	private long remainingNanos(long nanos, long millis) {
		return (this.state == ENDED) ? 0
				: Math.min(this.deadlineNanos - nanos, (this.deadlineMillis - millis) * 1_000_000);
	}

	long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * Return the monotonic time before the last answered request or renewal was sent.
	 */
	long sentNanos() {
		return this.sentNanos;
	}

	/**
	 * Return the monotonic time at which the grant arrived.
	 */
	long grantedNanos() {
		return this.grantedNanos;
	}

	/**
	 * Return how long the lease was certain to last when its grant arrived, at most the
	 * lease time. A renewal compensates for a grant of short validity.
	 */
	long spanNanos(AcquireOptions options) {
		return Math.min(options.leaseNanos(), this.deadlineNanos - this.grantedNanos);
	}

	/**
	 * Return whether the lease can be handed off once more: it has tokens, it was not
	 * handed off for too long, and the next holder would have most of the granted
	 * validity, or the full lease time if it is not renewed.
	 */
	boolean canHandOff(AcquireOptions options, EngineSettings settings, TimeSource time) {
		long now = time.nanoTime();
		boolean within = isRetainable() ? isRetainable(now, settings)
				: this.handOffs < handOffLimit(settings) && now - this.grantedNanos < settings.handOff().spanNanos();
		return within && remainingNanos(now,
				time.currentTimeMillis()) >= (options.isAutoRenew() ? spanNanos(options) / 2 : options.wantedNanos());
	}

	/**
	 * Record that the hold of a key has ended.
	 * @return the request to release in the store now
	 */
	LeaseRequest leave(String key) {
		return this.request;
	}

	/**
	 * Record that the holds of keys have ended.
	 * @return the request to release in the store now
	 */
	LeaseRequest leaveAll(List<String> keys) {
		return this.request;
	}

	/**
	 * Return whether the lease is unchanged since a call was made, and no part of it was
	 * released since.
	 */
	final boolean isStill(LeaseRequest asked) {
		return request().keys().equals(asked.keys());
	}

	/**
	 * Return whether the lease could be handed off, and has been for as long or as often
	 * as permitted.
	 */
	boolean isHandOffBudgetSpent(long now, EngineSettings settings) {
		int limit = handOffLimit(settings);
		return limit > 0 && (this.handOffs >= limit || now - this.grantedNanos >= settings.handOff().spanNanos());
	}

	private boolean isRetainable(long now, EngineSettings settings) {
		return this.handOffs < request().terms().tokens() - 1
				&& now - this.grantedNanos < Durations.nanos(settings.limits().maxHoldTime()) / MAX_RETAINED_PART;
	}

	/**
	 * Return how many times the lease can be handed off.
	 */
	int handOffLimit(EngineSettings settings) {
		return Math.min(settings.handOff().limit(), request().terms().tokens() - 1);
	}

	/**
	 * Record that the lease was handed off, or is shared by one more hold.
	 */
	void handOff() {
		this.handOffs++;
	}

	/**
	 * Marks a lease as watched for its renewal and expiry.
	 */
	interface Watch {

	}

}
