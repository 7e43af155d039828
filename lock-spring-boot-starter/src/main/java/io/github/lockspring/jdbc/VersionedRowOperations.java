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

import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.ProcessName;

/**
 * Operations on rows with optimistic locking, on a given connection, for all modes:
 * leases that are shared, permits, fair, or of several keys.
 * <ol>
 * <li>One statement reads the rows, and the clock of the database.</li>
 * <li>{@link KeyState} determines the result. A denial writes nothing, except a queue
 * entry that is new or half expired.</li>
 * <li>One statement for each key writes it back if its version is still the one that was
 * read; several keys are written in one transaction, all of them or none.</li>
 * <li>If a row was changed meanwhile, the operation is repeated: another session has made
 * progress.</li>
 * </ol>
 */
final class VersionedRowOperations {

	/**
	 * Lifetime of a queue entry without a retry: many times longer than the delays
	 * between two attempts.
	 */
	static final Duration ENTRY_LIFETIME = Duration.ofSeconds(5);

	private final LockConnection connection;

	VersionedRowOperations(LockConnection connection) {
		this.connection = connection;
	}

	/**
	 * Acquire all keys of the request or none of them.
	 * @param queueing whether a fair request is queued if it is denied
	 * @param denied the trace that a denied request leaves in the row besides its queue
	 * entry
	 * @throws io.github.lockspring.spi.PermitLimitException if permits are in use with
	 * another limit
	 */
	Attempt acquire(LeaseRequest request, boolean queueing, Trace denied) throws SQLException {
		String owner = request.owner().toString();
		LeaseTerms terms = request.terms();
		Map<String, KeyState> states = KeyRows.read(this.connection, request.keys());
		if (areHeld(states, request)) {
			return grantOf(states, request);
		}
		states.values().forEach((state) -> state.checkLimit(terms.mode()));
		if (states.values().stream().allMatch((state) -> state.admits(owner, terms.mode(), terms.fair()))) {
			return grant(states, request, terms.fair()); // others may be admitted as well
		}
		if (queueing && terms.fair()) {
			write(states, request.keys(), false, (state) -> state.withQueueEntry(owner, terms.mode(),
					this.connection.processName(), SqlParameters.micros(ENTRY_LIFETIME)));
		}
		if (denied == Trace.MARK) {
			mark(request.key(), state(states, request.key()));
		}
		if (denied == Trace.NAME && !terms.fair()) {
			write(states, request.keys(), false, (state) -> state.withWaiting(owner));
			return denial(request, states);
		}
		return denial(states);
	}

	/**
	 * Return a denial with the time after which to retry, in case the key was handed off.
	 */
	static Denial denial(LeaseRequest request, Map<String, KeyState> states) {
		Denial denial = denial(request.keys().stream().map((key) -> state(states, key)));
		Duration pause = state(states, request.key()).pause(request.owner().toString());
		return (pause == null || pause.compareTo(denial.retryAfter()) > 0) ? denial : new Denial(pause);
	}

	private void mark(String key, KeyState state) throws SQLException {
		String sql = this.connection.sql().mark();
		if (sql != null && !state.awaited()) {
			KeyRows.mark(this.connection, sql, key, state);
		}
	}

	private static boolean areHeld(Map<String, KeyState> states, LeaseRequest request) {
		String owner = request.owner().toString();
		return request.keys().stream().allMatch((key) -> state(states, key).holder(owner) != null);
	}

	static KeyState state(Map<String, KeyState> states, String key) {
		return Objects.requireNonNull(states.get(key), "state");
	}

	private static Attempt grantOf(Map<String, KeyState> states, LeaseRequest request) {
		KeyState state = state(states, request.key());
		KeyEntry holder = Objects.requireNonNull(state.holder(request.owner().toString()));
		return grant(request, holder.token(), holder.end() - state.now());
	}

	private static Grant grant(LeaseRequest request, long lastToken, long micros) {
		return new Grant(lastToken - request.terms().tokens() + 1, Duration.of(micros, ChronoUnit.MICROS));
	}

	private Attempt grant(Map<String, KeyState> states, LeaseRequest request, boolean notifying) throws SQLException {
		String owner = request.owner().toString();
		LeaseTerms terms = request.terms();
		long token = states.values().stream().mapToLong(KeyState::nextToken).max().orElseThrow() + terms.tokens() - 1;
		long micros = SqlParameters.micros(terms.leaseTime());
		write(states, request.keys(), notifying, (state) -> state.with(
				new KeyEntry(owner, terms.mode(), false, token, state.now() + micros, this.connection.processName())));
		return grant(request, token, micros);
	}

	private static Denial denial(Map<String, KeyState> states) {
		return denial(states.values().stream());
	}

	/**
	 * Return a denial with the time until the first of the leases ends.
	 */
	static Denial denial(Stream<KeyState> states) {
		LongStream remaining = states
			.flatMapToLong((state) -> state.holders().stream().mapToLong((holder) -> holder.end() - state.now()));
		return remaining.min()
			.stream()
			.mapToObj((micros) -> new Denial(Duration.of(micros, ChronoUnit.MICROS)))
			.findFirst()
			.orElse(Denial.UNKNOWN_DURATION);
	}

	/**
	 * Release the lease or the queue entry of a request.
	 * @return whether the owner held all keys
	 */
	boolean release(LeaseRequest lease) throws SQLException {
		Map<String, KeyState> states = KeyRows.read(this.connection, lease.keys());
		boolean held = areHeld(states, lease);
		write(states, lease.keys(), true, (state) -> state.released(lease.owner().toString()));
		return held;
	}

	/**
	 * Release a key for its holder.
	 * @return whether the owner held it
	 */
	boolean forceRelease(String key, String owner) throws SQLException {
		Map<String, KeyState> states = KeyRows.read(this.connection, List.of(key));
		if (state(states, key).holder(owner) == null) {
			return false;
		}
		write(states, List.of(key), true, (state) -> state.released(owner));
		return true;
	}

	/**
	 * Replace the owner of a lease by a placeholder owner until the delay is over.
	 * @return whether the owner held all keys
	 */
	boolean releaseWithDelay(LeaseRequest lease, Duration delay) throws SQLException {
		String owner = lease.owner().toString();
		Map<String, KeyState> states = KeyRows.read(this.connection, lease.keys());
		if (!areHeld(states, lease)) {
			write(states, lease.keys(), true, (state) -> state.released(owner));
			return false;
		}
		write(states, lease.keys(), true, (state) -> state.withHolder(owner,
				(holder) -> holder.ofFormerOwner(state.now() + SqlParameters.micros(delay))));
		return true;
	}

	/**
	 * Replace an exclusive lease by a shared one, or permits by fewer permits.
	 */
	Attempt downgrade(LeaseRequest held, LeaseRequest weaker) throws SQLException {
		Map<String, KeyState> states = KeyRows.read(this.connection, weaker.keys());
		if (areHeld(states, weaker)) {
			return grantOf(states, weaker);
		}
		if (!areHeld(states, held)) {
			return denial(states);
		}
		String owner = held.owner().toString();
		if (weaker.terms().mode() instanceof LeaseMode.Permits) {
			long micros = SqlParameters.micros(weaker.terms().leaseTime());
			write(states, weaker.keys(), true, (state) -> state.withHolder(owner,
					(holder) -> holder.by(weaker.owner().toString(), weaker.terms().mode(), state.now() + micros)));
			return grantOf(states, weaker);
		}
		states.replaceAll((key, state) -> state.without(owner));
		return grant(states, weaker, true);
	}

	/**
	 * Return the holders of a key.
	 */
	List<LeaseHolder> inspect(String key) throws SQLException {
		KeyState state = state(KeyRows.read(this.connection, List.of(key)), key);
		return state.holders()
			.stream()
			.filter((holder) -> !holder.isReservation())
			.map((holder) -> new LeaseHolder(holder.owner(), ProcessName.parse(holder.holder()), holder.mode(),
					holder.token(), Duration.of(holder.end() - state.now(), ChronoUnit.MICROS)))
			.toList();
	}

	/**
	 * Return the owners that wait for a key: those in the queue, and then the other
	 * waiting ones in the row.
	 */
	List<LeaseWaiter> inspectQueue(String key) throws SQLException {
		KeyState state = state(KeyRows.read(this.connection, List.of(key)), key);
		Stream<LeaseWaiter> queued = state.queueEntries()
			.stream()
			.map((entry) -> new LeaseWaiter(entry.owner(), ProcessName.parse(entry.holder())));
		return Stream.concat(queued, state.waiting().stream().map((owner) -> new LeaseWaiter(owner, null))).toList();
	}

	/**
	 * Renew leases: those of single keys together, those of several keys one after the
	 * other.
	 * @return the leases that are still held
	 */
	Set<LeaseRequest> renew(Collection<LeaseRequest> leases) throws SQLException {
		Set<String> keys = new LinkedHashSet<>();
		leases.forEach((lease) -> keys.addAll(lease.keys()));
		Map<String, KeyState> states = KeyRows.read(this.connection, keys);
		Set<LeaseRequest> held = new HashSet<>();
		Map<String, List<LeaseRequest>> leasesByKey = new TreeMap<>();
		for (LeaseRequest lease : leases) {
			if (!lease.hasMultipleKeys()) {
				leasesByKey.computeIfAbsent(lease.key(), (key) -> new ArrayList<>()).add(lease);
			}
			else if (renew(lease, states)) {
				held.add(lease);
			}
		}
		renew(leasesByKey, states, held);
		return held;
	}

	/**
	 * Write all rows in one batch. Rows that have been changed meanwhile by others are
	 * read and written again.
	 */
	private void renew(Map<String, List<LeaseRequest>> leasesByKey, Map<String, KeyState> states,
			Set<LeaseRequest> held) throws SQLException {
		while (!leasesByKey.isEmpty()) {
			Map<String, KeyState> renewed = renewed(leasesByKey, states);
			Set<String> changedByOthers = KeyRows.update(this.connection, renewed);
			if (!changedByOthers.isEmpty()) {
				requireTime();
				states.putAll(KeyRows.read(this.connection, changedByOthers));
			}
			leasesByKey.entrySet().removeIf((entry) -> {
				KeyState state = renewed.get(entry.getKey());
				boolean written = state == null || !changedByOthers.contains(entry.getKey())
						|| isWritten(state, state(states, entry.getKey()), entry.getValue());
				if (written && state != null) {
					addHeld(state, entry.getValue(), held);
				}
				return written;
			});
		}
	}

	/**
	 * Return the rows to be written, in the order of the keys, so that no two sessions
	 * wait for each other.
	 */
	private static Map<String, KeyState> renewed(Map<String, List<LeaseRequest>> leasesByKey,
			Map<String, KeyState> states) {
		Map<String, KeyState> renewed = new TreeMap<>();
		leasesByKey.forEach((key, leases) -> {
			KeyState before = state(states, key);
			KeyState after = before.renewed(leases.stream()
				.collect(Collectors.toMap((lease) -> lease.owner().toString(),
						(lease) -> SqlParameters.micros(lease.terms().leaseTime()), (one, same) -> one)));
			if (after != before) {
				renewed.put(key, after);
			}
		});
		return renewed;
	}

	/**
	 * Return whether a row that may have been changed by others was written nevertheless:
	 * some drivers do not return the counts of the statements of a batch.
	 */
	private static boolean isWritten(KeyState wanted, KeyState present, List<LeaseRequest> leases) {
		Set<KeyEntry> holders = new HashSet<>(present.holders());
		Set<String> owners = leases.stream().map((lease) -> lease.owner().toString()).collect(Collectors.toSet());
		return wanted.holders()
			.stream()
			.filter((holder) -> owners.contains(holder.owner()))
			.allMatch(holders::contains);
	}

	private static void addHeld(KeyState state, List<LeaseRequest> leases, Set<LeaseRequest> held) {
		Set<String> owners = state.holders().stream().map(KeyEntry::owner).collect(Collectors.toSet());
		leases.stream().filter((lease) -> owners.contains(lease.owner().toString())).forEach(held::add);
	}

	private void requireTime() throws RowChangedException {
		if (this.connection.isOverIn(Duration.ZERO)) {
			throw new RowChangedException();
		}
	}

	private boolean renew(LeaseRequest lease, Map<String, KeyState> states) throws SQLException {
		String owner = lease.owner().toString();
		long micros = SqlParameters.micros(lease.terms().leaseTime());
		while (areHeld(states, lease)) {
			try {
				write(states, lease.keys(), false,
						(state) -> state.withHolder(owner, (holder) -> holder.until(state.now() + micros)));
				return true;
			}
			catch (RowChangedException ex) {
				requireTime();
				states.putAll(KeyRows.read(this.connection, lease.keys()));
			}
		}
		return false;
	}

	/**
	 * Write the states that are changed.
	 * @param notifying whether requests that wait for the keys are notified
	 */
	private void write(Map<String, KeyState> states, List<String> keys, boolean notifying,
			UnaryOperator<KeyState> change) throws SQLException {
		Map<String, KeyState> changed = new LinkedHashMap<>();
		for (String key : keys) {
			KeyState before = state(states, key);
			KeyState after = change.apply(before);
			if (after != before) {
				changed.put(key, after);
			}
		}
		if (changed.size() > 1) {
			this.connection.inTransaction(() -> write(changed, notifying));
		}
		else {
			write(changed, notifying);
		}
		states.putAll(changed);
	}

	/**
	 * Write the rows in the order of the keys, so that no two sessions wait for each
	 * other.
	 */
	private boolean write(Map<String, KeyState> changed, boolean notifying) throws SQLException {
		for (Map.Entry<String, KeyState> entry : changed.entrySet()) {
			long version = KeyRows.write(this.connection, entry.getKey(), entry.getValue(), notifying);
			entry.setValue(entry.getValue().at(version));
		}
		return true;
	}

	/**
	 * Trace of a denied request in the row.
	 */
	enum Trace {

		NONE,

		/**
		 * A mark with which the release sends a notification.
		 */
		MARK,

		/**
		 * The name of the owner, to which the key is handed off.
		 */
		NAME

	}

}
