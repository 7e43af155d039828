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
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Queue of the holds of one key in this process: those that are granted, the leader that
 * contends in the store, and those that wait, in order of arrival.
 * <ol>
 * <li>A hold that enters an empty queue becomes the leader, otherwise it waits.</li>
 * <li>A hold that cannot wait (any longer) tries once beside the leader if it needs only
 * a part of the key's capacity: there may be room for both.</li>
 * <li>A leader that is granted becomes a holder; the first waiting hold becomes the
 * leader, unless the holder is exclusive and no fair one waits.</li>
 * <li>An exclusive holder that ends hands off its lease to the first waiting hold, or
 * releases it to the store, after which the first waiting hold becomes the leader.</li>
 * <li>A leader or waiting hold that leaves is replaced by the next.</li>
 * <li>An exclusive holder lends its lease to a reader of the same owner. If it ends while
 * the reader holds, the reader gets a separate lease.</li>
 * <li>A holder that lost its lease remains visible to its owner until it ends, but does
 * not block others.</li>
 * <li>When the last hold has left, the queue is retired and never used again.</li>
 * </ol>
 * Guarded by its monitor, under which nothing blocks and no foreign code is called.
 * Methods return the hold that must be woken.
 */
final class LocalQueue {

	private static final VarHandle HOLDERS = Fields.varHandle(MethodHandles.lookup(), "holders", Hold.class);

	private @Nullable Hold leader;

	/**
	 * Number of holds that try once beside the leader.
	 */
	private int trying;

	private volatile @Nullable Hold holders;

	private volatile @Nullable Hold first;

	private @Nullable Hold last;

	private volatile @Nullable BackendException storeFailure;

	private volatile @Nullable YieldPolicy yieldPolicy;

	private volatile boolean contended;

	private boolean retired;

	/**
	 * Create a queue with an initial leader.
	 */
	LocalQueue(Hold leader) {
		this.leader = leader;
		leader.enterLeading(this);
	}

	/**
	 * Add a hold.
	 * @param hold the hold
	 * @param mayWait whether it may wait in the queue
	 * @return what it may do now
	 */
	synchronized Turn enter(Hold hold, boolean mayWait) {
		if (this.retired) {
			return Turn.RETIRED;
		}
		if (this.first == null && mayLead(hold)) {
			this.leader = hold;
			hold.enterLeading(this);
			return Turn.CONTEND;
		}
		if (!mayWait) {
			return tryOnce(hold) ? Turn.TRY : Turn.REFUSED;
		}
		if (this.leader == null && this.first == null) {
			setStoreFailure(null); // of the holds that waited before
		}
		hold.enterWaiting(this);
		append(hold);
		this.contended = true;
		return Turn.WAIT;
	}

	private boolean tryOnce(Hold hold) {
		if (hold.terms().isExclusive() || isHeldExclusively()) {
			return false;
		}
		this.trying++;
		hold.enterTrying(this);
		return true;
	}

	private boolean mayLead(Hold hold) {
		return this.leader == null && (hold.terms().isFair() || !isHeldExclusively());
	}

	private boolean isHeldExclusively() {
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.terms().isExclusive() && holder.mayHaveLease()) {
				return true;
			}
		}
		return false;
	}

	private void append(Hold hold) {
		Hold last = this.last;
		if (last == null) {
			this.first = hold;
		}
		else {
			last.next = hold;
		}
		this.last = hold;
	}

	/**
	 * Let a waiting hold that cannot wait any longer try once.
	 * @return {@code false} if it must not; {@code true} also if it is the leader by now
	 */
	synchronized boolean mayTryAtLast(Hold hold) {
		if (hold.isWaiting() && tryOnce(hold)) {
			removeWaiting(hold);
		}
		return !hold.isWaiting();
	}

	/**
	 * Make the leader, or a hold that tries once, a holder.
	 */
	synchronized @Nullable Hold grant(Hold hold, Lease lease, long token) {
		endTurn(hold);
		setStoreFailure(null);
		addHolder(hold);
		hold.begin(lease, token);
		return promote();
	}

	private void endTurn(Hold hold) {
		if (this.leader == hold) {
			this.leader = null;
		}
		else {
			this.trying--;
		}
	}

	private void addHolder(Hold hold) {
		hold.next = this.holders;
		setHolders(hold);
	}

	/**
	 * Hand off the lease of a holder that ended to the first waiting hold.
	 * @param from the former holder
	 * @param suitable whether the lease of a former holder is still suitable
	 * @return the new holder, or {@code null} if the lease must be released to the store
	 */
	synchronized @Nullable Hold handOff(Hold from, BiPredicate<Lease, AcquireOptions> suitable) {
		Hold next = this.first;
		if (this.leader != null || next == null || !from.terms().canHandOffTo(next.terms())
				|| !suitable.test(from.lease(), next.terms())) {
			return null;
		}
		removeWaiting(next);
		removeHolder(from);
		from.lease().handOff();
		addHolder(next);
		next.begin(from.lease(), from.nextToken());
		return next;
	}

	/**
	 * Let the owner of an exclusive holder read as well. Either this finds that the
	 * holder has ended, or the holder, which does not enter the monitor without need,
	 * finds the reader: hence the fence.
	 * @param writer the holder
	 * @param reader the hold of the reader, unless the owner has one already
	 * @return the hold of the reader, or {@code null} if the writer has ended
	 */
	synchronized @Nullable Hold lend(Hold writer, Hold reader) {
		Hold present = borrowerFrom(writer);
		if (present != null && present.countUp()) {
			return present;
		}
		reader.enterEnded(this);
		addHolder(reader);
		VarHandle.fullFence();
		if (!writer.isActive()) {
			removeHolder(reader);
			return null;
		}
		reader.begin(writer.lease(), writer.token());
		return reader;
	}

	/**
	 * Find the hold that reads under the lease of a writer. It was added after the
	 * writer.
	 */
	@Nullable Hold borrowerOf(Hold writer) {
		return (this.holders != writer) ? lookForBorrowerFrom(writer) : null;
	}

	private synchronized @Nullable Hold lookForBorrowerFrom(Hold writer) {
		return borrowerFrom(writer);
	}

	private @Nullable Hold borrowerFrom(Hold writer) {
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder != writer && holder.leaseOrNull() == writer.lease() && holder.isActive()) {
				return holder;
			}
		}
		return null;
	}

	/**
	 * Return whether a hold that has ended read under the lease of a writer until then.
	 */
	synchronized boolean hasBorrowed(Hold ended) {
		return ended.isBorrowing();
	}

	/**
	 * Let a holder continue under another lease.
	 * @return {@code false} if it is no longer held, and the lease must be released for
	 * it
	 */
	synchronized boolean changeLease(Hold holder, Lease lease) {
		return holder.changeLease(lease);
	}

	/**
	 * Remove a holder whose lease is released in the store, or lost.
	 */
	synchronized @Nullable Hold end(Hold hold) {
		removeHolder(hold);
		return promoteNext();
	}

	/**
	 * Remove a hold that timed out or was cancelled, unless its state says that it was
	 * granted by now.
	 */
	synchronized @Nullable Hold leave(Hold hold) {
		if (!hold.isPending()) {
			return null;
		}
		if (hold.isWaiting()) {
			removeWaiting(hold);
		}
		else {
			endTurn(hold);
		}
		hold.end();
		return promoteNext();
	}

	/**
	 * Promote the next hold, or retire if none is left.
	 */
	private @Nullable Hold promoteNext() {
		if (this.leader == null && this.trying == 0 && this.first == null && this.holders == null) {
			this.retired = true;
			return null;
		}
		return promote();
	}

	/**
	 * Make the first waiting hold the leader if permitted.
	 */
	synchronized @Nullable Hold promote() {
		Hold next = this.first;
		if (next == null || !mayLead(next)) {
			return null;
		}
		removeWaiting(next);
		this.leader = next;
		next.lead();
		return next;
	}

	/**
	 * Signal the leader.
	 * @return the leader, or {@code null} if there is none for the request any more
	 */
	synchronized @Nullable Hold signal(LeaseRequest request, Notification notification) {
		Hold hold = this.leader;
		if (hold == null) {
			return null;
		}
		Lease lease = hold.leaseOrNull();
		if (lease == null || !lease.request().equals(request)) {
			return null;
		}
		hold.signal(notification);
		return hold;
	}

	/**
	 * Wake the leader and all waiting holds.
	 */
	void wakeAll() {
		waiting().forEach(Hold::wakeUp);
	}

	private synchronized List<Hold> waiting() {
		List<Hold> waiting = new ArrayList<>();
		if (this.leader != null) {
			waiting.add(this.leader);
		}
		for (Hold hold = this.first; hold != null; hold = hold.next) {
			waiting.add(hold);
		}
		return waiting;
	}

	private void removeWaiting(Hold hold) {
		Hold before = null;
		for (Hold other = this.first; other != hold; other = other.next) {
			if (other == null) {
				return;
			}
			before = other;
		}
		if (before == null) {
			this.first = hold.next;
		}
		else {
			before.next = hold.next;
		}
		if (this.last == hold) {
			this.last = before;
		}
		hold.next = null;
	}

	/**
	 * Unlink a holder but keep its own link, so that a thread that just iterates over the
	 * holders without the monitor finds those behind it.
	 */
	private void removeHolder(Hold hold) {
		if (this.holders == hold) {
			setHolders(hold.next);
			return;
		}
		for (Hold other = this.holders; other != null; other = other.next) {
			if (other.next == hold) {
				other.next = hold.next;
				return;
			}
		}
	}

	/**
	 * An ordered write is sufficient: readers without the monitor may see a slightly
	 * earlier state.
	 */
	private void setHolders(@Nullable Hold first) {
		HOLDERS.setRelease(this, first);
	}

	/**
	 * Return whether all holds have left. Such a queue is never used again. Without the
	 * monitor, only the thread of the last one is certain to see it.
	 */
	boolean isRetired() {
		return this.retired;
	}

	/**
	 * Find a hold that an owner has or has lost: that of the writer to write, that of the
	 * reader to read, or else the other. Permits are not reentrant.
	 */
	@Nullable Hold heldBy(Object owner, AcquireOptions terms) {
		Hold other = null;
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.owner() == owner && holder.terms().isReentrant() && !holder.isPending() && !holder.isEnded()) {
				if (holder.terms().isExclusive() == terms.isExclusive()) {
					return holder;
				}
				other = holder;
			}
		}
		return other;
	}

	/**
	 * Find the hold that has a lease, or is about to hand it off or release it, and not
	 * the one that borrows it.
	 */
	synchronized @Nullable Hold holderOf(LeaseRequest request) {
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.mayHaveLease() && !holder.isBorrowing() && holder.lease().request().equals(request)) {
				return holder;
			}
		}
		return null;
	}

	/**
	 * End a lease that has ended in the store, so that it can no longer be handed off.
	 * @return the hold that has it, or is about to release it
	 */
	synchronized @Nullable Hold revoke(LeaseRequest request) {
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.lease().request().equals(request)) {
				holder.lease().end();
			}
		}
		return holderOf(request);
	}

	/**
	 * Return whether a hold is among the holders, be it lost or just about to end.
	 */
	synchronized boolean isHolder(Hold hold) {
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder == hold) {
				return true;
			}
		}
		return false;
	}

	@Nullable Hold holders() {
		return this.holders;
	}

	boolean hasWaiting() {
		return this.first != null;
	}

	/**
	 * Return whether there is a leader, or a hold that tries or waits.
	 */
	synchronized boolean isWaitedFor() {
		return this.leader != null || this.trying > 0 || this.first != null;
	}

	/**
	 * Return whether a hold ever had to wait in this queue.
	 */
	boolean isContended() {
		return this.contended;
	}

	@Nullable YieldPolicy yieldPolicy() {
		return this.yieldPolicy;
	}

	synchronized YieldPolicy yieldPolicy(long now, EngineSettings settings) {
		YieldPolicy yieldPolicy = this.yieldPolicy;
		if (yieldPolicy == null) {
			yieldPolicy = new YieldPolicy(now, settings);
			this.yieldPolicy = yieldPolicy;
		}
		return yieldPolicy;
	}

	/**
	 * Remember the last store failure, which is reported to holds that time out.
	 */
	void setStoreFailure(@Nullable BackendException failure) {
		if (this.storeFailure != failure) {
			this.storeFailure = failure;
		}
	}

	@Nullable BackendException storeFailure() {
		return this.storeFailure;
	}

	/**
	 * What a hold that enters may do.
	 */
	enum Turn {

		CONTEND, TRY, WAIT, REFUSED, RETIRED

	}

}
