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

package io.github.lockspring.spi;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.github.lockspring.support.Deadline;

/**
 * Store of leases. Every method makes at most one round trip in the common case, never
 * waits for a lease to become free, and returns or throws within the given timeout.
 * Changes are made atomically in the store, together with the check of the owner, and use
 * the clock of the store where it has one. Every call may be repeated: a lease is
 * identified by its {@linkplain LeaseRequest request}, whose owner is unique.
 * <p>
 * A store failure is reported as a {@link BackendException} whose type says whether the
 * outcome is known. Implementations are thread-safe.
 */
public interface LockBackend extends BackendDiagnostics, AutoCloseable {

	/**
	 * A duration longer than every lease time.
	 */
	Duration UNLIMITED = Duration.ofSeconds(Long.MAX_VALUE);

	/**
	 * Return the name of this backend in messages, health and metrics.
	 * @return a short name in lower case without slashes, such as {@code jdbc}
	 */
	String name();

	/**
	 * Return the features of this backend beyond granting an exclusive, unordered lease
	 * of one key.
	 * @return the capabilities, always the same
	 */
	Set<Capability> capabilities();

	/**
	 * Return the longest time for which the store keeps a lease without contact to this
	 * process, as far as currently known: for leases bound to a session, the session
	 * timeout. Called often, and does not access the store. Longer lease times are capped
	 * at this value when a lease is requested and when it is renewed. Such a lease is
	 * then renewed more often, even if it is not to be renewed at all, but then not
	 * beyond the requested lease time.
	 * @return the positive maximum lease time; unlimited by default, for stores that keep
	 * every lease for its full lease time
	 */
	default Duration maxLeaseTime() {
		return UNLIMITED;
	}

	/**
	 * Set the identity of this process. Called at most once, before this backend is
	 * {@linkplain #start started}. By default has no effect: {@link #inspect} then
	 * returns holders without their process.
	 * @param instance the {@linkplain OwnerId#instance() identifier} of this process, as
	 * in all its requests
	 * @param name the name of this process, which {@link #inspect} returns with the
	 * leases of its requests
	 */
	default void identify(String instance, ProcessName name) {
	}

	/**
	 * Start this backend and register the listener for notifications from the store.
	 * Called before any other method that accesses the store, and not again unless this
	 * backend was closed and {@linkplain #reopened() reopened} since.
	 * @param listener the listener, whose methods never block
	 */
	void start(BackendListener listener);

	/**
	 * Try once to acquire a lease. A denied attempt leaves nothing in the store. A
	 * request that is already granted is answered with the same token.
	 * @param request the request
	 * @param timeout the time within which this call must return
	 * @return a {@link Grant} or a {@link Denial}
	 * @throws PermitLimitException if permits of the key are in use with another limit
	 * @throws BackendException if the store failed or took too long
	 */
	Attempt tryAcquire(LeaseRequest request, Duration timeout);

	/**
	 * Try once to acquire a lease and, if denied, enter the queue of the store until the
	 * request is granted or {@linkplain #release released}. Repeating the call keeps the
	 * queue entry. Notifications about the entry are sent to the {@link BackendListener}.
	 * A backend without {@link Capability#QUEUE} sends no such notifications, and queues
	 * only fair requests, if it has {@link Capability#FAIR}, or all with
	 * {@link Capability#POLLED_QUEUE}; requests are then retried after a delay, and an
	 * entry whose request is no longer retried expires. With {@link Capability#QUEUE}, a
	 * request for permits is not granted before others that are queued already, so that a
	 * request for many permits is not overtaken forever.
	 * @param request the request, for one key
	 * @param timeout the time within which this call must return
	 * @return a {@link Grant} or a {@link Denial}
	 * @throws PermitLimitException if permits of the key are in use, or waited for, with
	 * another limit
	 * @throws BackendException if the store failed or took too long
	 */
	default Attempt contend(LeaseRequest request, Duration timeout) {
		return tryAcquire(request, timeout);
	}

	/**
	 * Poll waiting requests, all in one round trip or none: keep their queue entries
	 * alive, and return which of them would still be denied. Grants nothing. Unlike the
	 * other methods, this may take a round trip for each server, or for every few hundred
	 * requests. While leases are kept ready to be {@linkplain BackendListener#onRecall
	 * recalled}, this is also called without requests, to check without a call to the
	 * store whether notifications are received.
	 * @param waiting requests that {@link #contend} denied and that, as far as is known,
	 * have neither been granted nor released since
	 * @param timeout the time within which this call must return
	 * @return the denials, which become the last ones of their requests; a request that
	 * is left out may be granted if it is retried now, or is unknown to the store. Empty
	 * by default, so that each request is retried by itself
	 * @throws BackendException if the store failed or took too long; no queue entry is
	 * lost by that
	 */
	default Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		return Map.of();
	}

	/**
	 * Return the maximum total number of keys of the leases passed to one call of
	 * {@link #renew}. More leases are renewed in several calls, so that each is short and
	 * a failed one affects few leases. A lease that has more keys is renewed by itself.
	 * @return the maximum number of keys, at least 1
	 */
	default int renewalBatchSize() {
		return 500;
	}

	/**
	 * Renew leases, each for the full lease time of the passed request from now, which
	 * may differ from that of the granted request. Takes precedence: waits neither for
	 * attempts to acquire nor for their connections. A lease that cannot be renewed, for
	 * example because its row is locked, does not affect the others: it is left out of
	 * the result. May be called by several threads concurrently, but never by two for the
	 * same lease unless lease times are {@linkplain #maxLeaseTime() capped}.
	 * @param leases the granted requests, most urgent first, with no more keys than
	 * {@link #renewalBatchSize()}, or a single request
	 * @param timeout the time within which this call must return
	 * @return which of the leases are still held, and which are lost
	 * @throws BackendException if the store failed or took too long; some of the leases
	 * may have been renewed
	 */
	Renewal renew(Collection<LeaseRequest> leases, Duration timeout);

	/**
	 * Release everything that the owner of the request has in the store: the lease, the
	 * queue entry, a grant made in the meantime. Idempotent, and without effect on other
	 * owners.
	 * <p>
	 * Of a lease of several keys, a {@linkplain LeaseRequest#part(List) part} may be
	 * released: its keys are then free, and the owner continues to hold the others, which
	 * are renewed and released by a request for just these.
	 * @param lease the request, granted or not
	 * @param timeout the time within which this call must return
	 * @return {@code true} if the lease was held until this call, {@code false} if it had
	 * already ended in the store
	 * @throws BackendException if the store failed or took too long
	 */
	boolean release(LeaseRequest lease, Duration timeout);

	/**
	 * Release a lease after a delay, until which no other owner can acquire the key. The
	 * lease ends for its owner immediately: it cannot be renewed, released or acquired
	 * again by this request. The delay starts with this call and is measured by the clock
	 * of the store, whether it is longer or shorter than the remaining lease time.
	 * Idempotent, and without effect on other owners: only the first call sets the end.
	 * Everything else that the owner has in the store is released immediately.
	 * @param lease the request for one key, granted or not
	 * @param delay how long the key remains locked, at least a millisecond
	 * @param timeout the time within which this call must return
	 * @return {@code true} if the lease was held until this call, {@code false} if it had
	 * already ended in the store
	 * @throws BackendException if the store failed or took too long
	 */
	boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout);

	/**
	 * Keep a {@linkplain LeaseTerms#recallable() recallable} lease that was
	 * {@linkplain BackendListener#onRecall recalled}, because it is in use. It is no
	 * longer recallable, and the first request that waits for it is notified to retry.
	 * Idempotent; has no effect if the lease has ended.
	 * @param lease the granted request
	 * @param timeout the time within which this call must return
	 * @throws BackendException if the store failed or took too long
	 */
	default void declineRecall(LeaseRequest lease, Duration timeout) {
		throw new UnsupportedOperationException("The lock backend '" + name() + "' does not recall leases");
	}

	/**
	 * Replace a lease by a weaker one of the same key atomically: waiting requests that
	 * fit beside the weaker one are admitted, and no other can acquire the key in
	 * between. Idempotent.
	 * <ul>
	 * <li>An exclusive lease is downgraded to a shared one, which gets a larger fencing
	 * token. Supported together with {@link Capability#SHARED}.</li>
	 * <li>A lease of permits is downgraded to one of fewer permits with the same limit,
	 * which keeps the fencing token. Supported together with
	 * {@link Capability#PERMITS}.</li>
	 * </ul>
	 * @param held the granted request
	 * @param weaker the request that replaces it, for the same key
	 * @param timeout the time within which this call must return
	 * @return a {@link Grant} for the weaker request, or a {@link Denial} if the lease
	 * has ended
	 * @throws BackendException if the store failed or took too long
	 */
	default Attempt downgrade(LeaseRequest held, LeaseRequest weaker, Duration timeout) {
		throw new UnsupportedOperationException(
				"The lock backend '" + name() + "' supports neither shared leases nor permits");
	}

	/**
	 * {@inheritDoc} By default releases a request with the owner of the holder.
	 */
	@Override
	default boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		LeaseTerms terms = new LeaseTerms(holder.mode(), false, holder.remaining(), 1);
		return release(new LeaseRequest(List.of(key), terms, OwnerId.parse(holder.owner())), timeout);
	}

	/**
	 * {@inheritDoc} By default acquires, renews and releases the request.
	 */
	@Override
	default Duration probe(LeaseRequest request, Duration timeout) {
		long deadline = Deadline.after(timeout);
		long start = System.nanoTime();
		Attempt attempt = tryAcquire(request, timeout);
		long answered = System.nanoTime();
		if (attempt instanceof Grant) {
			renew(List.of(request), Deadline.remaining(deadline));
			release(request, Deadline.remaining(deadline));
		}
		return Duration.ofNanos(answered - start);
	}

	/**
	 * Return the values kept in the same store, for counters, latches and barriers. They
	 * are started and closed with this backend.
	 * @return the values, always the same; empty by default, for a store that cannot keep
	 * them
	 */
	default Optional<ValueBackend> values() {
		return Optional.empty();
	}

	/**
	 * Release the connections and threads of this backend. Leases are left to expire.
	 */
	@Override
	void close();

	/**
	 * Return a backend on the same store to replace this closed one, for an application
	 * that was stopped or paused and is started again.
	 * @return a new backend, to be {@linkplain #start started}; by default this one,
	 * which must then support being started again
	 */
	default LockBackend reopened() {
		return this;
	}

}
