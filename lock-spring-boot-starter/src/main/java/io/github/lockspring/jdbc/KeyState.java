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

package io.github.lockspring.jdbc;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.jdbc.dialect.JdbcDialect;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.PermitLimitException;
import io.github.lockspring.support.Durations;

/**
 * Snapshot of a key, as read from a row of the table: its holders and its queue, without
 * expired entries. Implements the state transitions of requests in all modes, independent
 * of the database. Immutable.
 *
 * @param version the version of the row, {@link #ABSENT} if there is no row
 * @param now the time at which the row was read, by the clock of the database
 * @param token the last fencing token that was issued
 * @param holders the holders of the key: a single exclusive one, or any number of others
 * @param queueEntries the queue of fair requests, in order
 * @param waiting the owners of the other waiting requests, in order
 * @param awaited whether releases will be notified for a while
 */
record KeyState(long version, long now, long token, List<KeyEntry> holders, List<KeyEntry> queueEntries,
		List<String> waiting, boolean awaited) {

	/**
	 * Version of a row that does not exist.
	 */
	static final long ABSENT = -1;

	private static final Duration MAX_PAUSE = Duration.ofMillis(110);

	private static final Duration MIN_PAUSE = Duration.ofMillis(2);

	/**
	 * Maximum number of waiting owners that fit into the row.
	 */
	private static final int MAX_WAITING = 40;

	static KeyState absent(long now) {
		return new KeyState(ABSENT, now, 0, List.of(), List.of(), List.of(), false);
	}

	/**
	 * Return the state that was read from a row.
	 * @param exclusive the holder in the columns of the row, or {@code null}
	 * @param sharedUntil the maximum end of the other holders: one with a later end was
	 * there before the last exclusive holder, even if the clock has been changed since
	 * @param lines the other holders and the queue, or {@code null}
	 */
	static KeyState of(long version, long now, long token, @Nullable KeyEntry exclusive, long sharedUntil,
			@Nullable String lines) {
		Stream<KeyEntry> others = Stream.ofNullable(lines)
			.flatMap(String::lines)
			.map(KeyEntry::ofLine)
			.filter((entry) -> entry.waiting() || entry.end() <= sharedUntil);
		List<KeyEntry> live = Stream.concat(Stream.ofNullable(exclusive), others)
			.filter((entry) -> entry.end() > now)
			.toList();
		return new KeyState(version, now, token, live.stream().filter((entry) -> !entry.waiting()).toList(),
				live.stream().filter(KeyEntry::waiting).toList(), List.of(), false);
	}

	/**
	 * Return the holders and the queue as text, without the exclusive holder, which is
	 * stored in columns.
	 */
	@Nullable String toLines() {
		StringBuilder lines = new StringBuilder();
		Stream.concat(sharers(), this.queueEntries.stream())
			.forEach((entry) -> lines.append(entry.toLine()).append('\n'));
		return lines.isEmpty() ? null : lines.toString();
	}

	@Nullable KeyEntry exclusive() {
		return this.holders.stream().filter(KeyEntry::isExclusive).findFirst().orElse(null);
	}

	/**
	 * Return the maximum end of the holders that are not exclusive, 0 if there are none.
	 */
	long sharedUntil() {
		return sharers().mapToLong(KeyEntry::end).max().orElse(0);
	}

	private Stream<KeyEntry> sharers() {
		return this.holders.stream().filter((entry) -> !entry.isExclusive());
	}

	@Nullable KeyEntry holder(String owner) {
		KeyEntry holder = find(this.holders, owner);
		return (holder != null && !holder.isReservation()) ? holder : null;
	}

	@Nullable KeyEntry queueEntry(String owner) {
		return find(this.queueEntries, owner);
	}

	private static @Nullable KeyEntry find(List<KeyEntry> entries, String owner) {
		return entries.stream().filter((entry) -> entry.isOwnedBy(owner)).findFirst().orElse(null);
	}

	/**
	 * Reject permits whose limit is superseded by another one.
	 */
	void checkLimit(LeaseMode mode) {
		if (mode instanceof Permits wanted) {
			superseding(wanted).ifPresent((superseding) -> {
				throw new PermitLimitException(wanted, superseding.limit(), superseding.version());
			});
		}
	}

	/**
	 * Return whether {@link #checkLimit} accepts the mode.
	 */
	boolean hasLimitOf(LeaseMode mode) {
		return !(mode instanceof Permits wanted) || superseding(wanted).isEmpty();
	}

	private Optional<Permits> superseding(Permits wanted) {
		return Stream.concat(this.holders.stream(), this.queueEntries.stream())
			.map(KeyEntry::mode)
			.filter(Permits.class::isInstance)
			.map(Permits.class::cast)
			.max(Comparator.comparingLong(Permits::version))
			.filter(wanted::isSupersededBy);
	}

	/**
	 * Return whether a request that does not hold the key can be granted. A fair request
	 * also waits for those that were queued before it, except that readers do not wait
	 * for readers.
	 */
	boolean admits(String owner, LeaseMode mode, boolean fair) {
		return hasRoomFor(owner, mode) && !(fair && isBehindOthers(owner, mode));
	}

	private boolean hasRoomFor(String owner, LeaseMode mode) {
		if (this.holders.isEmpty() || isHandedOffTo(owner)) {
			return true;
		}
		if (mode instanceof Permits wanted) {
			return permitsInUse(wanted.limit()) + wanted.permits() <= wanted.limit();
		}
		return mode.equals(LeaseMode.SHARED) && this.holders.stream().allMatch(KeyEntry::isShared);
	}

	private boolean isHandedOffTo(String owner) {
		KeyEntry exclusive = exclusive();
		return exclusive != null && exclusive.isReservation() && exclusive.isOwnedBy(owner);
	}

	private long permitsInUse(int limit) {
		return this.holders.stream()
			.mapToLong((holder) -> (holder.mode() instanceof Permits held) ? held.permits() : limit)
			.sum();
	}

	private boolean isBehindOthers(String owner, LeaseMode mode) {
		return this.queueEntries.stream()
			.takeWhile((entry) -> !entry.isOwnedBy(owner))
			.anyMatch((entry) -> !mode.equals(LeaseMode.SHARED) || !entry.isShared());
	}

	/**
	 * Return the next token.
	 */
	long nextToken() {
		return Math.max(this.token + 1, this.now);
	}

	/**
	 * Return whether the row has this version.
	 */
	boolean isOf(@Nullable Long version) {
		return version != null && this.version == version;
	}

	/**
	 * Return this state with another version of the row.
	 */
	KeyState at(long version) {
		return new KeyState(version, this.now, this.token, this.holders, this.queueEntries, this.waiting, this.awaited);
	}

	/**
	 * Return this state with or without notifications of releases.
	 */
	KeyState awaited(boolean awaited) {
		return new KeyState(this.version, this.now, this.token, this.holders, this.queueEntries, this.waiting, awaited);
	}

	/**
	 * Return this state with other waiting owners.
	 */
	KeyState waiting(List<String> waiting) {
		return with(this.holders, this.queueEntries, waiting);
	}

	/**
	 * Add an owner at the end of the waiting ones, unless it is among them already or the
	 * row is full.
	 */
	KeyState withWaiting(String owner) {
		if (this.waiting.contains(owner) || this.waiting.size() >= MAX_WAITING) {
			return this;
		}
		return waiting(Stream.concat(this.waiting.stream(), Stream.of(owner)).toList());
	}

	private List<String> waitingWithout(String owner) {
		return this.waiting.contains(owner) ? this.waiting.stream().filter((waiting) -> !waiting.equals(owner)).toList()
				: this.waiting;
	}

	/**
	 * Return the delay after which a waiting request retries, in case the key was handed
	 * off to it. The delay increases with the time for which the key has been held, and
	 * with the position in the queue.
	 * @return the delay, or {@code null} if the owner is not among the waiting ones
	 */
	@Nullable Duration pause(String owner) {
		int position = this.waiting.indexOf(owner);
		if (position < 0) {
			return null;
		}
		long held = Math.min(Math.max(this.now - heldSince(), 0), SqlParameters.micros(JdbcDialect.RESERVATION_TIME));
		Duration pause = Duration.of(Math.max(position, 1) * held / 2, ChronoUnit.MICROS);
		return Durations.max(Durations.min(pause, MAX_PAUSE), MIN_PAUSE);
	}

	/**
	 * Return the time of the last grant. The last token is that time, or a little later.
	 */
	private long heldSince() {
		KeyEntry exclusive = exclusive();
		return (exclusive != null && exclusive.isReservation())
				? exclusive.end() - SqlParameters.micros(JdbcDialect.RESERVATION_TIME) : this.token;
	}

	/**
	 * Add a holder, which leaves the queue.
	 */
	KeyState with(KeyEntry holder) {
		List<KeyEntry> holders = new ArrayList<>(without(this.holders, holder.owner()));
		holders.add(holder);
		return new KeyState(this.version, this.now, holder.token(), holders, without(this.queueEntries, holder.owner()),
				waitingWithout(holder.owner()), this.awaited);
	}

	/**
	 * Add an entry at the end of the queue, or extend an entry that is half expired.
	 * @param owner the owner of the request
	 * @param mode the wanted share
	 * @param holder the name of the process
	 * @param micros the lifetime of the entry in microseconds
	 * @return this state if there is an entry that is not half expired
	 */
	KeyState withQueueEntry(String owner, LeaseMode mode, String holder, long micros) {
		KeyEntry entry = queueEntry(owner);
		if (entry == null) {
			return withQueueEntry(new KeyEntry(owner, mode, true, 0, this.now + micros, holder));
		}
		return (entry.end() - this.now > micros / 2) ? this : withQueueEntryUntil(owner, this.now + micros);
	}

	private KeyState withQueueEntry(KeyEntry entry) {
		List<KeyEntry> queueEntries = new ArrayList<>(this.queueEntries);
		queueEntries.add(entry);
		return with(this.holders, queueEntries, this.waiting);
	}

	private KeyState withQueueEntryUntil(String owner, long end) {
		return with(this.holders, replaced(this.queueEntries, owner, (entry) -> entry.until(end)), this.waiting);
	}

	/**
	 * Change a holder, which leaves the queue.
	 */
	KeyState withHolder(String owner, UnaryOperator<KeyEntry> change) {
		return with(replaced(this.holders, owner, change), without(this.queueEntries, owner), this.waiting);
	}

	/**
	 * Renew the leases of some holders, which leave the queue.
	 * @param micros the new remaining time in microseconds, by owner
	 * @return this state if none of the owners is a holder
	 */
	KeyState renewed(Map<String, Long> micros) {
		if (this.holders.stream().noneMatch((holder) -> micros.containsKey(holder.owner()))) {
			return this;
		}
		return with(this.holders.stream().map((holder) -> renewed(holder, micros.get(holder.owner()))).toList(),
				this.queueEntries.stream().filter((entry) -> !micros.containsKey(entry.owner())).toList(),
				this.waiting);
	}

	private KeyEntry renewed(KeyEntry holder, @Nullable Long micros) {
		return (micros != null) ? holder.until(this.now + micros) : holder;
	}

	/**
	 * Release the holder or contender with an owner. If it was the last holder, the key
	 * is handed off to the first waiting owner, unless there are fair requests as well,
	 * or waiting requests are notified.
	 * @return this state if there is no such owner
	 */
	KeyState released(String owner) {
		KeyState left = without(owner);
		return (left.holders.isEmpty() && !this.holders.isEmpty()) ? left.handedOff() : left;
	}

	/**
	 * Return this state without the holder or contender with an owner.
	 * @return this state if there is no such owner
	 */
	KeyState without(String owner) {
		if (find(this.holders, owner) == null && queueEntry(owner) == null && !this.waiting.contains(owner)) {
			return this;
		}
		return with(without(this.holders, owner), without(this.queueEntries, owner), waitingWithout(owner));
	}

	private KeyState handedOff() {
		if (this.waiting.isEmpty() || !this.queueEntries.isEmpty() || this.awaited) {
			return this;
		}
		KeyEntry reservation = KeyEntry.reservation(this.waiting.get(0),
				this.now + SqlParameters.micros(JdbcDialect.RESERVATION_TIME));
		return with(List.of(reservation), this.queueEntries, this.waiting.subList(1, this.waiting.size()));
	}

	private KeyState with(List<KeyEntry> holders, List<KeyEntry> queueEntries, List<String> waiting) {
		return new KeyState(this.version, this.now, this.token, holders, queueEntries, waiting, this.awaited);
	}

	private static List<KeyEntry> without(List<KeyEntry> entries, String owner) {
		return entries.stream().filter((entry) -> !entry.isOwnedBy(owner)).toList();
	}

	private static List<KeyEntry> replaced(List<KeyEntry> entries, String owner, UnaryOperator<KeyEntry> change) {
		return entries.stream().map((entry) -> entry.isOwnedBy(owner) ? change.apply(entry) : entry).toList();
	}

}
