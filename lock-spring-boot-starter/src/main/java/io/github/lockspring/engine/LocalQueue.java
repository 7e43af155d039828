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
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Queue of the holds of one key in this process: those that are granted, the leader that
 * contends in the store, and those that wait, in order of arrival.
 * <ol>
 * <li>A hold that enters an empty queue becomes the leader, otherwise it waits.</li>
 * <li>A hold that cannot wait (any longer) tries once beside the leader if neither it nor
 * a holder is exclusive, because both may be granted. An exclusive one waits until the
 * leader is answered: if that is denied after the time of the hold was over, the key is
 * held by another owner, and if that fails, the store is unavailable.</li>
 * <li>A leader that is granted becomes a holder. The first waiting hold then becomes the
 * leader if it is fair, or if no exclusive hold is a holder and this process does not
 * hold too many permits for it.</li>
 * <li>Readers share a lease. When a reader is granted, the readers that wait first share
 * its lease, and later ones do so as long as no hold waits. The last of them releases
 * it.</li>
 * <li>An exclusive holder that ends hands off its lease to the first waiting hold, or
 * releases it to the store, after which the first waiting hold becomes the leader.</li>
 * <li>A holder of permits that ends hands off its lease in the same way if the first
 * waiting hold requests the same number of permits. If there is a leader, it must request
 * the same number as well: it contends for permits of other processes, and gets the next
 * ones that are granted to this process.</li>
 * <li>A leader or waiting hold that leaves is replaced by the next.</li>
 * <li>If no hold waits, the process may retain the lease of an exclusive holder that
 * ends, by a holder of its own, which the next hold that enters takes over if the lease
 * suits it. Otherwise, or if the store recalls the lease for another process, that is
 * released to the store.</li>
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
	 * The first holder. Written in order: threads without the monitor may read a slightly
	 * earlier state.
	 */
	private volatile @Nullable Hold holders;

	/**
	 * Number of permits of the holders when they were granted: some of them may be
	 * released or lost by now. An overflow costs a call to the store, no more.
	 */
	private int permits;

	/**
	 * Whether the leader, if there is one, neither has asked the store nor is about to.
	 */
	private volatile boolean silent;

	/**
	 * Whether a waiting hold whose time is over is woken when the leader is answered.
	 */
	private volatile boolean answerAwaited;

	private volatile @Nullable WaitingList<Hold> waiting;

	private boolean retired;

	/**
	 * Create a queue with an initial leader.
	 */
	LocalQueue(Hold leader) {
		this.leader = leader;
		leader.enter(this, Hold.LEADING);
	}

	/**
	 * Add a hold.
	 * @param hold the hold
	 * @param mayWait whether it may wait in the queue
	 * @param suitable whether the lease of a holder is suitable
	 * @return the next step of the hold
	 */
	synchronized Turn enter(Hold hold, boolean mayWait, BiPredicate<Hold, AcquireOptions> suitable) {
		if (this.retired) {
			return Turn.RETIRED;
		}
		Hold retained = retained();
		if (retained != null && takeOver(retained, hold, suitable)) {
			return Turn.HELD;
		}
		if (retained == null && !hasWaiting() && mayLead(hold)) {
			setLeader(hold);
			hold.enter(this, Hold.LEADING);
			return Turn.CONTEND;
		}
		if (!mayWait && tryOnce(hold)) {
			return Turn.TRY;
		}
		if (!mayWait && retained == null && isKnownToBeHeld()) {
			return Turn.REJECTED;
		}
		WaitingList<Hold> waiting = waitingList();
		if (this.leader == null && waiting.first == null) {
			waiting.lastAnswer = null; // to earlier waiting holds
		}
		hold.enter(this, Hold.WAITING);
		waiting.append(hold);
		return (retained != null) ? Turn.RECALL : Turn.WAIT;
	}

	/**
	 * Return the hold by which this process retains the lease.
	 */
	synchronized @Nullable Hold retained() {
		return firstHolder((holder) -> holder.isRetained() && holder.isActive());
	}

	/**
	 * Let a hold that has not waited take over a lease that is retained.
	 */
	private boolean takeOver(Hold retained, Hold hold, BiPredicate<Hold, AcquireOptions> suitable) {
		if (this.leader != null || hasWaiting() || !retained.canHandOffTo(hold)
				|| !suitable.test(retained, hold.options()) || !retained.endIfHeld()) {
			return false;
		}
		hold.enter(this, Hold.ENDED);
		replaceHolder(retained, hold, retained.nextToken());
		retained.lease().handOff();
		return true;
	}

	/**
	 * Retain the lease of a holder that ended, unless another hold waits, or the lease
	 * was recalled.
	 * @return whether it is retained
	 */
	synchronized boolean retain(Hold from, Hold retained) {
		if (this.leader != null || hasWaiting() || !from.lease().isRetainable()) {
			return false;
		}
		retained.enter(this, Hold.ENDED);
		replaceHolder(from, retained, from.token());
		return true;
	}

	/**
	 * Record that a lease is recalled.
	 * @return the hold that has it, or will have it, or {@code null} if there is none
	 */
	synchronized @Nullable Hold recall(LeaseRequest request) {
		Hold holder = holderOf(request);
		Hold hold = (holder == null && this.leader != null && this.leader.hasRequested(request)) ? this.leader : holder;
		if (hold != null) {
			hold.lease().recall();
		}
		return hold;
	}

	private void replaceHolder(Hold from, Hold next, long token) {
		removeHolder(from);
		addHolder(next);
		next.begin(from.lease(), token);
	}

	private void setLeader(Hold hold) {
		this.leader = hold;
		setAsking(true);
	}

	/**
	 * Return whether there is no need to wait for an answer of the store to the leader,
	 * or to the release of a holder.
	 */
	private boolean isKnownToBeHeld() {
		return !isReleasing() && (this.leader == null || isHeldExclusively() || this.silent && storeFailure() == null);
	}

	private boolean isReleasing() {
		return firstHolder((holder) -> holder.options().isExclusive() && holder.isEnded()) != null;
	}

	private @Nullable Hold firstHolder(Predicate<Hold> predicate) {
		Hold holder = this.holders;
		while (holder != null && !predicate.test(holder)) {
			holder = holder.next;
		}
		return holder;
	}

	private boolean tryOnce(Hold hold) {
		if (hold.options().isExclusive() || isHeldExclusively()) {
			return false;
		}
		waitingList().trying++;
		hold.enter(this, Hold.TRYING);
		return true;
	}

	private boolean mayLead(Hold hold) {
		return this.leader == null
				&& (hold.options().isFair() || !(isHeldExclusively() || areTooManyPermitsHeld(hold.options())));
	}

	/**
	 * Return whether this process holds so many permits that the store would deny more.
	 * Returns {@code false} if their limits differ, which is checked by the store.
	 */
	private boolean areTooManyPermitsHeld(AcquireOptions options) {
		if (!(options.mode() instanceof LeaseMode.Permits wanted)
				|| wanted.limit() - wanted.permits() >= this.permits) {
			return false;
		}
		long left = wanted.limit() - wanted.permits();
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.mayHaveLease() && holder.lease().request().terms().mode() instanceof LeaseMode.Permits held) {
				if (held.limit() != wanted.limit() || held.version() != wanted.version()) {
					return false;
				}
				left -= held.permits();
			}
		}
		return left < 0;
	}

	/**
	 * Return whether a holder is exclusive. A holder with a separate lease that is not
	 * exclusive shows that there is none.
	 */
	private boolean isHeldExclusively() {
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.options().isExclusive() && holder.mayHaveLease()) {
				return true;
			}
			if (holder.isActive() && !holder.lease().isExclusive()) {
				return false;
			}
		}
		return false;
	}

	/**
	 * Let a waiting hold whose wait time is over try once.
	 * @return {@code false} if it must not; {@code true} also if it has become the leader
	 */
	synchronized boolean mayTryAtLast(Hold hold) {
		if (hold.isWaiting() && tryOnce(hold)) {
			waitingList().removeWaiting(hold);
		}
		else if (first() == hold) {
			promote(); // the holder has lost its lease, and is about to be removed
		}
		return !hold.isWaiting();
	}

	/**
	 * Make the leader, or a hold that tries once, a holder.
	 */
	synchronized @Nullable Hold grant(Hold hold, Lease lease, long token) {
		endTurn(hold);
		if (this.waiting != null) {
			this.waiting.lastAnswer = null;
		}
		addHolder(hold);
		hold.begin(lease, token);
		return (this.waiting == null || lease.isShareable()) ? null : promote();
	}

	/**
	 * Find the holders whose leases have ended in the store, because it has granted one
	 * since that excludes them.
	 */
	synchronized List<Hold> excludedBy(Hold granted) {
		return holders((holder) -> holder.isActive() && holder.token() < granted.token()
				&& (granted.options().isExclusive() || holder.options().isExclusive()));
	}

	/**
	 * Let the readers that wait first share the lease of a reader that was just granted,
	 * and promote the next hold.
	 * @param reader the holder
	 * @param suitable whether the lease of a holder is suitable
	 * @return the holds to wake: new holders, and a leader
	 */
	synchronized List<Hold> admit(Hold reader, BiPredicate<Hold, AcquireOptions> suitable) {
		List<Hold> admitted = new ArrayList<>();
		for (Hold next = first(); next != null && this.leader == null
				&& reader.canShareWith(next, suitable); next = first()) {
			waitingList().removeWaiting(next);
			share(reader, next);
			admitted.add(next);
		}
		Hold leader = promote();
		if (leader != null) {
			admitted.add(leader);
		}
		return admitted;
	}

	/**
	 * Let a reader share the lease of another one, but only while no hold waits, so that
	 * readers do not block a writer forever.
	 * @param reader the reader, which has not entered a queue
	 * @param suitable whether the lease of a holder is suitable
	 * @return whether it is a holder now
	 */
	synchronized boolean share(Hold reader, BiPredicate<Hold, AcquireOptions> suitable) {
		if (this.leader != null || hasWaiting()) {
			return false;
		}
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.canShareWith(reader, suitable)) {
				reader.enter(this, Hold.ENDED);
				share(holder, reader);
				return true;
			}
		}
		return false;
	}

	private void share(Hold holder, Hold reader) {
		holder.lease().handOff();
		addHolder(reader);
		reader.begin(holder.lease(), holder.token());
	}

	/**
	 * Remove a reader that ended if others share its lease. Each of them finds the others
	 * until they have left, so that exactly the last one releases the lease.
	 * @return {@code false} if it is the last one, which is not removed yet
	 */
	synchronized boolean leaveShared(Hold reader) {
		Hold other = firstHolder((holder) -> holder != reader && holder.leaseOrNull() == reader.lease());
		if (other != null) {
			removeHolder(reader);
		}
		return other != null;
	}

	private void endTurn(Hold hold) {
		if (this.leader == hold) {
			this.leader = null;
		}
		else {
			waitingList().trying--;
		}
	}

	private void addHolder(Hold hold) {
		if (hold.owner() instanceof Retention retention) {
			retention.begin();
		}
		this.permits += hold.wantedPermits();
		hold.next = this.holders;
		HOLDERS.setRelease(this, hold);
	}

	/**
	 * Hand off the lease of a holder that ended to the first waiting hold. A leader that
	 * wants other permits is not overtaken, so that it gets those that are released.
	 * @param from the former holder
	 * @param suitable whether the lease of a former holder is still suitable
	 * @return the new holder, or {@code null} if the lease must be released to the store
	 */
	synchronized @Nullable Hold handOff(Hold from, BiPredicate<Lease, AcquireOptions> suitable) {
		Hold next = first();
		Hold leader = this.leader;
		if (next == null || !from.canHandOffTo(next)
				|| leader != null && (from.options().isExclusive() || !from.canHandOffTo(leader))
				|| !suitable.test(from.lease(), next.options())) {
			return null;
		}
		waitingList().removeWaiting(next);
		from.lease().handOff();
		replaceHolder(from, next, from.nextToken());
		return next;
	}

	/**
	 * Let the owner of an exclusive holder read as well. The release of the holder does
	 * not always enter the monitor. The fence ensures that either this method sees that
	 * the holder has ended, or the holder sees the reader.
	 * @param writer the holder
	 * @param reader the hold of the reader, unless the owner has one already
	 * @return the hold of the reader, or {@code null} if the writer has ended
	 */
	synchronized @Nullable Hold lend(Hold writer, Hold reader) {
		Hold present = borrowerOf(writer);
		if (present != null && present.countUp()) {
			return present;
		}
		reader.enter(this, Hold.ENDED);
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
		if (this.holders == writer) {
			return null;
		}
		synchronized (this) {
			return firstHolder(
					(holder) -> holder != writer && holder.leaseOrNull() == writer.lease() && holder.isActive());
		}
	}

	/**
	 * Return whether a hold that has ended was reading under the lease of a writer.
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
	 * Remove a hold that timed out or was cancelled, unless it was granted in the
	 * meantime.
	 */
	synchronized @Nullable Hold leave(Hold hold) {
		if (!hold.isPending()) {
			return null;
		}
		boolean waiting = hold.isWaiting();
		if (!waiting) {
			endTurn(hold);
		}
		hold.end();
		if (waiting) {
			waitingList().left();
		}
		return promoteNext();
	}

	/**
	 * Promote the next hold, or retire if none is left.
	 */
	private @Nullable Hold promoteNext() {
		if (this.leader == null && this.holders == null && (this.waiting == null || this.waiting.isEmpty())) {
			this.retired = true;
			return null;
		}
		return promote();
	}

	/**
	 * Make the first waiting hold the leader if permitted, and wake it.
	 */
	void wakeNext() {
		Hold next = promote();
		if (next != null) {
			next.wakeUp();
		}
	}

	private synchronized @Nullable Hold promote() {
		Hold next = first();
		if (next == null || !mayLead(next)) {
			return null;
		}
		waitingList().removeWaiting(next);
		setLeader(next);
		next.lead();
		return next;
	}

	/**
	 * Set whether the leader has asked the store, and was not answered yet.
	 */
	void setAsking(boolean asking) {
		if (this.silent == asking) {
			this.silent = !asking;
		}
	}

	/**
	 * Return whether a waiting hold whose time is over should wait for the answer of the
	 * store to the leader, or to the release of a holder, for which it is then woken.
	 * @param since the time since when an answer would be sufficient
	 */
	synchronized boolean awaitAnswer(long since) {
		this.answerAwaited = true;
		return (isReleasing() || this.leader != null && !this.silent) && !isAnsweredSince(since);
	}

	/**
	 * Return whether the key was held by another owner, or the store unavailable, at some
	 * time since the given one.
	 */
	boolean isAnsweredSince(long since) {
		WaitingList.LastAnswer answer = lastAnswer();
		return answer != null && answer.nanos() - since >= 0;
	}

	/**
	 * Wake the waiting holds that await an answer.
	 */
	void wakeAwaiting() {
		if (this.answerAwaited) {
			this.answerAwaited = false;
			wakeAll();
		}
	}

	/**
	 * Signal the leader.
	 * @return the leader, or {@code null} if there is none for the request
	 */
	synchronized @Nullable Hold signal(LeaseRequest request, Notification notification) {
		Hold hold = this.leader;
		if (hold == null || !hold.hasRequested(request)) {
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
		if (this.waiting != null) {
			this.waiting.forEachWaiting(waiting::add);
		}
		return waiting;
	}

	/**
	 * Unlink a holder but keep its own link, so that a thread that just iterates over the
	 * holders without the monitor finds those behind it.
	 */
	private void removeHolder(Hold hold) {
		Hold before = null;
		for (Hold other = this.holders; other != hold; other = other.next) {
			if (other == null) {
				return;
			}
			before = other;
		}
		if (before == null) {
			HOLDERS.setRelease(this, hold.next);
		}
		else {
			before.next = hold.next;
		}
		this.permits -= hold.wantedPermits();
		if (hold.owner() instanceof Retention retention) {
			retention.end();
		}
	}

	/**
	 * Return whether all holds have left. Such a queue is never used again. Without the
	 * monitor, only the thread of the last one is certain to see it.
	 */
	boolean isRetired() {
		return this.retired;
	}

	/**
	 * Find a hold of an owner, held or lost. Prefers an exclusive one if the options are
	 * exclusive, and one that is not otherwise, and returns the other one if there is
	 * none. Only holds that are reentrant in the same way as the options are considered.
	 */
	@Nullable Hold heldBy(Object owner, AcquireOptions options) {
		Hold other = null;
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.owner() == owner && holder.options().isReentrant() == options.isReentrant()
					&& !holder.isPending() && !holder.isEnded()) {
				if (holder.options().isExclusive() == options.isExclusive()) {
					return holder;
				}
				other = holder;
			}
		}
		return other;
	}

	/**
	 * Find the hold that has a lease, or is about to hand it off or release it, but not
	 * the one that borrows it. If several holds share the lease, an active one is
	 * preferred.
	 */
	synchronized @Nullable Hold holderOf(LeaseRequest request) {
		Hold active = firstHolder((holder) -> holder.isActive() && holder.mayHaveLeaseOf(request));
		return (active != null) ? active : firstHolder((holder) -> holder.mayHaveLeaseOf(request));
	}

	/**
	 * End the leases that have ended in the store, so that they can no longer be handed
	 * off.
	 * @param end ends the lease of a holder if it is such a lease, and returns whether it
	 * has done so
	 * @return the holds that had such a lease
	 */
	synchronized List<Hold> endLeases(Predicate<Hold> end) {
		return holders(end);
	}

	private List<Hold> holders(Predicate<Hold> predicate) {
		List<Hold> holds = new ArrayList<>(1);
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (predicate.test(holder)) {
				holds.add(holder);
			}
		}
		return holds;
	}

	/**
	 * Return whether a hold is among the holders, including those that are lost or about
	 * to end.
	 */
	synchronized boolean isHolder(Hold hold) {
		return firstHolder((holder) -> holder == hold) != null;
	}

	@Nullable Hold holders() {
		return this.holders;
	}

	boolean hasWaiting() {
		WaitingList<Hold> waiting = this.waiting;
		return waiting != null && waiting.first != null;
	}

	private @Nullable Hold first() {
		WaitingList<Hold> waiting = this.waiting;
		return (waiting != null) ? waiting.first : null;
	}

	private WaitingList<Hold> waitingList() {
		WaitingList<Hold> waiting = this.waiting;
		if (waiting == null) {
			waiting = new WaitingList<>();
			this.waiting = waiting;
		}
		return waiting;
	}

	/**
	 * Return whether there is a hold that has a lease, or contends or waits. One that
	 * lost its lease does not count, although its owner may never release it.
	 */
	synchronized boolean isInUse() {
		return isWaitedFor() || firstHolder(Hold::mayHaveLease) != null;
	}

	/**
	 * Return whether there is a leader, or a hold that tries or waits.
	 */
	synchronized boolean isWaitedFor() {
		return this.leader != null || this.waiting != null && !this.waiting.isEmpty();
	}

	/**
	 * Return the number of holds that contend or wait.
	 */
	synchronized int waitingCount() {
		return waiting().size() + ((this.waiting != null) ? this.waiting.trying : 0);
	}

	/**
	 * Read this queue.
	 * @param holders called for each hold that is held, or lost and not released yet
	 * @param waiting called for the leader and each waiting hold, in order, with its
	 * position
	 */
	synchronized void read(Consumer<Hold> holders, ObjIntConsumer<Hold> waiting) {
		for (Hold holder = this.holders; holder != null; holder = holder.next) {
			if (holder.isActive() || holder.isLost()) {
				holders.accept(holder);
			}
		}
		int position = 0;
		for (Hold hold : waiting()) {
			waiting.accept(hold, ++position);
		}
	}

	/**
	 * Return whether a hold ever had to wait in this queue.
	 */
	boolean isContended() {
		WaitingList<Hold> waiting = this.waiting;
		return waiting != null && waiting.used;
	}

	@Nullable YieldPolicy yieldPolicy() {
		WaitingList<Hold> waiting = this.waiting;
		return (waiting != null) ? waiting.yieldPolicy : null;
	}

	synchronized YieldPolicy yieldPolicy(long now, EngineSettings settings) {
		WaitingList<Hold> waiting = waitingList();
		YieldPolicy policy = waiting.yieldPolicy;
		if (policy == null) {
			policy = new YieldPolicy(now, settings);
			waiting.yieldPolicy = policy;
		}
		return policy;
	}

	/**
	 * Record an answer of the store other than a grant.
	 * @param nanos a time at which the key was held by another owner, or the store
	 * unavailable
	 * @param failure the failure, which is reported to holds that time out, if any
	 */
	synchronized void answered(long nanos, @Nullable BackendException failure) {
		waitingList().lastAnswer = new WaitingList.LastAnswer(nanos, failure);
	}

	private WaitingList.@Nullable LastAnswer lastAnswer() {
		WaitingList<Hold> waiting = this.waiting;
		return (waiting != null) ? waiting.lastAnswer : null;
	}

	/**
	 * Return the failure of the last call for this key, unless it was before the given
	 * time, or the call was answered.
	 */
	@Nullable BackendException failureSince(long since) {
		return isAnsweredSince(since) ? storeFailure() : null;
	}

	@Nullable BackendException storeFailure() {
		WaitingList.LastAnswer answer = lastAnswer();
		return (answer != null) ? answer.failure() : null;
	}

	/**
	 * Next step of a hold that enters.
	 */
	enum Turn {

		CONTEND, TRY, WAIT, REJECTED, RETIRED,

		/**
		 * The hold has taken over a lease that this process retained.
		 */
		HELD,

		/**
		 * The hold waits for a lease that this process retains, which is not suitable and
		 * is to be released.
		 */
		RECALL

	}

}
