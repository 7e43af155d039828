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

package io.github.lockspring.spi.state;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.support.Durations;

/**
 * State of a key at a time: its holders and those that wait for it, without expired ones.
 * Implements which requests are admitted, and what grants, releases and renewals change.
 * A method that changes nothing returns the same state.
 * <p>
 * Immutable: the lists must not be modified.
 *
 * @param now the time, by the clock of the store
 * @param token the last fencing token that was issued
 * @param holders the holders of the key: a single exclusive one, or any number of others
 * @param queue the requests that are granted in order
 * @param waiting the owners of other waiting requests, to the first of which the key is
 * handed off
 */
public record KeyState(Instant now, long token, List<KeyEntry> holders, List<KeyEntry> queue, List<String> waiting) {

	/**
	 * Time for which a released key is reserved for the first waiting request.
	 */
	public static final Duration RESERVATION_TIME = Duration.ofMillis(500);

	/**
	 * Lifetime of a queue entry without a retry: many times longer than the delays
	 * between two attempts.
	 */
	private static final Duration ENTRY_LIFETIME = Duration.ofSeconds(5);

	private static final Duration MAX_PAUSE = Duration.ofMillis(110);

	private static final Duration MIN_PAUSE = Duration.ofMillis(2);

	/**
	 * Maximum lease time, which can be added to the clock of every store without
	 * overflow.
	 */
	private static final Duration MAX_LEASE_TIME = Duration.ofDays(365_000);

	/**
	 * Maximum number of waiting owners that are kept.
	 */
	private static final int MAX_WAITING = 40;

	/**
	 * Return the state of a key that is free.
	 * @param now the time
	 * @param token the last fencing token that was issued, or 0
	 * @return the state
	 */
	public static KeyState free(Instant now, long token) {
		return new KeyState(now, token, List.of(), List.of(), List.of());
	}

	/**
	 * Return this state at a later time, without those that have expired. Waiting owners
	 * are discarded with an expired reservation: their processes may have ended as well,
	 * and requests that still wait are entered again.
	 * @param now the time
	 * @return the state
	 */
	public KeyState at(Instant now) {
		KeyEntry exclusive = exclusive();
		boolean unclaimed = exclusive != null && exclusive.isReservation() && !exclusive.isLive(now);
		return new KeyState(now, this.token, KeyEntries.live(this.holders, now), KeyEntries.live(this.queue, now),
				unclaimed ? List.of() : this.waiting);
	}

	/**
	 * Return this state at a later time until which none has expired.
	 * @param now the time
	 * @return the state
	 */
	public KeyState after(Instant now) {
		return new KeyState(now, this.token, this.holders, this.queue, this.waiting);
	}

	/**
	 * Return whether no owner holds the key or waits for it.
	 * @return whether there is no entry
	 */
	public boolean isUnused() {
		return this.holders.isEmpty() && this.queue.isEmpty() && this.waiting.isEmpty();
	}

	/**
	 * Return the exclusive holder, which may be a {@linkplain KeyEntry#isReservation
	 * reservation}.
	 * @return the holder, or {@code null} if the key is free or shared
	 */
	public @Nullable KeyEntry exclusive() {
		return (!this.holders.isEmpty() && this.holders.get(0).isExclusive()) ? this.holders.get(0) : null;
	}

	/**
	 * Return the lease of an owner.
	 * @param owner the text of the owner
	 * @return the holder, or {@code null} if the owner does not hold the key
	 */
	public @Nullable KeyEntry holder(String owner) {
		KeyEntry holder = KeyEntries.find(this.holders, owner);
		return (holder != null && !holder.isReservation()) ? holder : null;
	}

	/**
	 * Return the queue entry of an owner.
	 * @param owner the text of the owner
	 * @return the entry, or {@code null} if the owner is not queued
	 */
	public @Nullable KeyEntry queueEntry(String owner) {
		return KeyEntries.find(this.queue, owner);
	}

	/**
	 * Find the permits, held or waited for, whose limit takes precedence over that of a
	 * request: it is newer, or a different one of the same version.
	 * @param mode the mode of the request
	 * @return the permits, empty if the limit of the request applies or it has none
	 */
	public Optional<Permits> superseding(LeaseMode mode) {
		if (!(mode instanceof Permits wanted)) {
			return Optional.empty();
		}
		Permits latest = KeyEntries.latest(this.queue, KeyEntries.latest(this.holders, null));
		return Optional.ofNullable(latest).filter(wanted::isSupersededBy);
	}

	/**
	 * Return whether a request can be granted. A lease of its own, which it has if it
	 * lost another of its keys, does not count.
	 * @param owner the text of the owner of the request
	 * @param mode the wanted mode
	 * @param inTurn whether the request waits for those that were queued before it,
	 * except that readers do not wait for readers
	 * @return whether it can be granted
	 */
	public boolean admits(String owner, LeaseMode mode, boolean inTurn) {
		KeyState others = (holder(owner) != null) ? without(owner) : this;
		return others.hasRoomFor(owner, mode) && !(inTurn && others.isBehindOthers(owner, mode))
				&& others.superseding(mode).isEmpty();
	}

	private boolean hasRoomFor(String owner, LeaseMode mode) {
		if (this.holders.isEmpty() || isHandedOffTo(owner)) {
			return true;
		}
		long left = spare(mode);
		for (KeyEntry holder : this.holders) {
			left -= taken(holder.mode(), mode);
		}
		return left >= 0;
	}

	/**
	 * Return how many permits of a key a request does not want. Any other request than
	 * one for permits wants the only permit of the key.
	 * @param mode the wanted mode
	 * @return how many permits others may hold beside it
	 */
	public static int spare(LeaseMode mode) {
		return (mode instanceof Permits wanted) ? wanted.limit() - wanted.permits() : 0;
	}

	/**
	 * Return how many permits of a key a holder takes, for a request. If it takes more
	 * than the request can {@linkplain #spare spare}, by itself or together with others,
	 * the request must wait.
	 * @param held the mode of the holder
	 * @param wanted the wanted mode
	 * @return the number of permits, 0 if any number of such holders may hold the key
	 * beside the request
	 */
	public static int taken(LeaseMode held, LeaseMode wanted) {
		if (wanted instanceof Permits some) {
			return (held instanceof Permits others) ? others.permits() : some.limit();
		}
		return (held instanceof LeaseMode.Shared && wanted instanceof LeaseMode.Shared) ? 0 : 1;
	}

	private boolean isHandedOffTo(String owner) {
		KeyEntry first = this.holders.get(0);
		return first.isReservation() && first.isOwnedBy(owner);
	}

	private boolean isBehindOthers(String owner, LeaseMode mode) {
		for (KeyEntry entry : this.queue) {
			if (entry.isOwnedBy(owner)) {
				return false;
			}
			if (!(mode instanceof LeaseMode.Shared && entry.isShared()) && superseding(entry.mode()).isEmpty()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether a request waits for those before it in a queue of all requests. If
	 * it is not fair, that is so for readers if a writer is next, and for permits that
	 * are waited for: the others would starve.
	 * @param terms the terms of the request
	 * @param queueing whether the request is queued if it is denied
	 * @return whether it is granted in turn
	 */
	public boolean isInTurn(LeaseTerms terms, boolean queueing) {
		return terms.fair() || (terms.mode() instanceof LeaseMode.Shared && isWriterNext())
				|| (queueing && terms.mode() instanceof Permits);
	}

	private boolean isWriterNext() {
		for (KeyEntry entry : this.queue) {
			if (superseding(entry.mode()).isEmpty()) {
				return entry.isExclusive();
			}
		}
		return false;
	}

	/**
	 * Return the next token: the time in microseconds, or one more than the last token if
	 * that is larger.
	 * @return the token
	 */
	public long nextToken() {
		return Math.max(this.token + 1, Durations.micros(this.now));
	}

	/**
	 * Return when a lease that begins now ends.
	 * @param leaseTime the lease time
	 * @return the end
	 */
	public Instant end(Duration leaseTime) {
		return this.now.plus(Durations.min(leaseTime, MAX_LEASE_TIME));
	}

	/**
	 * Add a holder, which no longer waits.
	 * @param holder the holder, whose token becomes the last one
	 * @return the new state
	 */
	public KeyState granted(KeyEntry holder) {
		return new KeyState(this.now, holder.token(),
				KeyEntries.with(KeyEntries.without(this.holders, holder.owner()), holder),
				KeyEntries.without(this.queue, holder.owner()), waitingWithout(holder.owner()));
	}

	/**
	 * Enter a denied request that waits: at the end of the queue if it is fair, otherwise
	 * among the waiting owners.
	 * @param request the request
	 * @param process the name of the process, or an empty text
	 * @param handingOff whether released keys are handed off to waiting owners
	 * @return the new state
	 */
	public KeyState entered(LeaseRequest request, String process, boolean handingOff) {
		if (request.terms().fair()) {
			return queued(request.ownerText(), request.terms().mode(), process, ENTRY_LIFETIME);
		}
		return handingOff ? waitedFor(request.ownerText()) : this;
	}

	/**
	 * Add an entry at the end of the queue, or extend an entry that is half expired.
	 * @param owner the text of the owner of the request
	 * @param mode the wanted mode
	 * @param process the name of the process
	 * @param lifetime the lifetime of the entry
	 * @return the new state
	 */
	public KeyState queued(String owner, LeaseMode mode, String process, Duration lifetime) {
		KeyEntry entry = queueEntry(owner);
		Instant end = end(lifetime);
		if (entry == null) {
			return with(this.holders, KeyEntries.with(this.queue, new KeyEntry(owner, mode, true, 0, end, process)),
					this.waiting);
		}
		return entry.isLive(end(lifetime.dividedBy(2))) ? this
				: with(this.holders, KeyEntries.replaced(this.queue, owner, (same) -> same.until(end)), this.waiting);
	}

	/**
	 * Add an owner at the end of the waiting ones, unless it is among them already or
	 * there are too many.
	 * @param owner the text of the owner of the request
	 * @return the new state
	 */
	KeyState waitedFor(String owner) {
		return (this.waiting.contains(owner) || this.waiting.size() >= MAX_WAITING) ? this
				: with(this.holders, this.queue, KeyEntries.with(this.waiting, owner));
	}

	/**
	 * Return the delay after which a waiting request retries, in case the key was handed
	 * off to it. The delay increases with the time for which the key has been held, and
	 * with the position among the waiting ones.
	 * @param owner the text of the owner of the request
	 * @return the delay, or {@code null} if the owner is not among the waiting ones
	 */
	public @Nullable Duration pause(String owner) {
		int position = this.waiting.indexOf(owner);
		if (position < 0) {
			return null;
		}
		Duration held = Durations.max(Duration.between(heldSince(), this.now), Duration.ZERO);
		Duration pause = Durations.min(held, RESERVATION_TIME).multipliedBy(Math.max(position, 1)).dividedBy(3);
		return Durations.max(Durations.min(pause, MAX_PAUSE), MIN_PAUSE);
	}

	/**
	 * Return the time of the last grant. The last token is that time, or a little later.
	 */
	private Instant heldSince() {
		KeyEntry exclusive = exclusive();
		return (exclusive != null && exclusive.isReservation()) ? exclusive.end().minus(RESERVATION_TIME)
				: Durations.ofMicros(this.token);
	}

	/**
	 * Renew the lease of a holder, which leaves the queue.
	 * @param owner the text of the owner
	 * @param leaseTime the lease time from now
	 * @return the new state
	 */
	public KeyState renewed(String owner, Duration leaseTime) {
		return changed(owner, (holder) -> holder.until(end(leaseTime)));
	}

	/**
	 * Replace a holder by a placeholder owner until a delay is over. Of another owner,
	 * release what it has.
	 * @param owner the text of the owner
	 * @param delay the delay from now
	 * @return the new state
	 */
	public KeyState releasedWithDelay(String owner, Duration delay) {
		return (holder(owner) == null) ? released(owner)
				: changed(owner, (holder) -> holder.by(placeholder(owner), holder.mode(), end(delay)));
	}

	/**
	 * Return the owner that holds a key in place of one that released it with a delay.
	 * @param owner the text of the former owner
	 * @return the text of the placeholder owner
	 */
	public static String placeholder(String owner) {
		return owner + '!';
	}

	/**
	 * Replace a holder by a weaker request, under the same token.
	 * @param owner the text of the owner
	 * @param weaker the text of the owner of the weaker request
	 * @param terms the terms of the weaker request
	 * @return the new state
	 */
	public KeyState replaced(String owner, String weaker, LeaseTerms terms) {
		return changed(owner, (holder) -> holder.by(weaker, terms.mode(), end(terms.leaseTime())));
	}

	/**
	 * Change a holder, which leaves the queue.
	 */
	private KeyState changed(String owner, UnaryOperator<KeyEntry> change) {
		return (holder(owner) == null) ? this : with(KeyEntries.replaced(this.holders, owner, change),
				KeyEntries.without(this.queue, owner), this.waiting);
	}

	/**
	 * Release what an owner has. If it was the last holder, the key is handed off to the
	 * first waiting owner, unless there are queued requests as well.
	 * @param owner the text of the owner
	 * @return the new state
	 */
	public KeyState released(String owner) {
		KeyState left = without(owner);
		return (left.holders.isEmpty() && !this.holders.isEmpty()) ? left.handedOff() : left;
	}

	private KeyState handedOff() {
		if (this.waiting.isEmpty() || !this.queue.isEmpty()) {
			return this;
		}
		KeyEntry reservation = KeyEntry.reservation(this.waiting.get(0), this.now.plus(RESERVATION_TIME));
		return with(List.of(reservation), this.queue, this.waiting.subList(1, this.waiting.size()));
	}

	/**
	 * Remove what an owner has, without a hand-off.
	 * @param owner the text of the owner
	 * @return the new state
	 */
	public KeyState without(String owner) {
		boolean unknown = KeyEntries.find(this.holders, owner) == null && queueEntry(owner) == null
				&& !this.waiting.contains(owner);
		return unknown ? this : with(KeyEntries.without(this.holders, owner), KeyEntries.without(this.queue, owner),
				waitingWithout(owner));
	}

	/**
	 * Return the holders, for diagnostics.
	 * @return the holders
	 */
	public List<LeaseHolder> inspect() {
		return this.holders.stream()
			.filter((holder) -> !holder.isReservation())
			.map((holder) -> holder.toHolder(this.now))
			.toList();
	}

	/**
	 * Return the owners that wait, for diagnostics: those in the queue, and then the
	 * others.
	 * @return the waiting owners
	 */
	public List<LeaseWaiter> inspectQueue() {
		return Stream
			.concat(this.queue.stream().map(KeyEntry::toWaiter),
					this.waiting.stream().map((owner) -> new LeaseWaiter(owner, null)))
			.toList();
	}

	private KeyState with(List<KeyEntry> holders, List<KeyEntry> queue, List<String> waiting) {
		return new KeyState(this.now, this.token, holders, queue, waiting);
	}

	private List<String> waitingWithout(String owner) {
		return this.waiting.contains(owner) ? this.waiting.stream().filter((other) -> !other.equals(owner)).toList()
				: this.waiting;
	}

}
