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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store of leases. Every method makes at most one round trip in the common case, never
 * waits for a lease to become free, and returns or throws within the given timeout. What
 * a method changes it changes atomically in the store, together with the check of the
 * owner, and by the store's own clock where it has one. Every method may be sent twice: a
 * lease is named by its {@linkplain LeaseRequest request}, whose owner is unique.
 * <p>
 * Trouble in the store is a {@link BackendException} whose type tells whether the outcome
 * is known. Implementations are safe for use by many threads at once.
 */
public interface LockBackend extends AutoCloseable {

	/**
	 * Longer than every lease time.
	 */
	Duration UNLIMITED = Duration.ofSeconds(Long.MAX_VALUE);

	/**
	 * The name of this backend in messages, health and metrics.
	 * @return a short name in lower case, such as {@code jdbc}
	 */
	String name();

	/**
	 * What this backend can do beside granting one exclusive, unordered lease of one key.
	 * @return the capabilities, always the same
	 */
	Set<Capability> capabilities();

	/**
	 * The longest time for which the store keeps a lease without hearing from this
	 * process, as far as is known now: of leases that last as long as a session, the time
	 * after which a session ends that is not heard of. Asked often, and does not talk to
	 * the store. Longer lease times are cut to it when a lease is asked for and when it
	 * is renewed. A lease is then renewed more often; also one that is not to be renewed,
	 * but not beyond the lease time that was wanted.
	 * @return the time, positive; by default unlimited, for stores that keep every lease
	 * for its lease time
	 */
	default Duration maxLeaseTime() {
		return UNLIMITED;
	}

	/**
	 * Tells this backend whom to call when the store has news. Called before any other
	 * method that talks to the store, and not again unless this was closed and
	 * {@linkplain #reopened() reopened} since.
	 * @param listener the listener, which never blocks
	 */
	void start(BackendListener listener);

	/**
	 * Tries once to acquire. A denied attempt leaves nothing in the store. A request that
	 * is already granted is answered with the same token.
	 * @param request what is wanted, and by whom
	 * @param timeout the time after which this call must have ended
	 * @return a {@link Grant} or a {@link Denial}
	 * @throws IllegalArgumentException if permits of the key are in use with another
	 * limit
	 * @throws BackendException if the store failed or took too long
	 */
	Attempt tryAcquire(LeaseRequest request, Duration timeout);

	/**
	 * Tries once to acquire and, if denied, holds a place in the store's queue until the
	 * request is granted or {@linkplain #release released}. Repeating the call keeps the
	 * place. News about the place go to the {@link BackendListener}. A backend without
	 * {@link Capability#QUEUE} has no news, and places only for fair requests, if it has
	 * {@link Capability#FAIR}, or for all with {@link Capability#PLACES}; requests are
	 * tried again after a pause, and a place that nobody asks for any more lapses.
	 * @param request what is wanted, and by whom
	 * @param timeout the time after which this call must have ended
	 * @return a {@link Grant} or a {@link Denial}
	 * @throws BackendException if the store failed or took too long
	 */
	default Attempt contend(LeaseRequest request, Duration timeout) {
		return tryAcquire(request, timeout);
	}

	/**
	 * Looks after requests that wait, all in one round trip or none: keeps their places
	 * in the queue, and tells which of them would still be denied. Grants nothing. Unlike
	 * the other methods, this may take a round trip for each server, or for some hundred
	 * requests.
	 * @param waiting requests that {@link #contend} denied, and that were neither granted
	 * nor released since, as far as is known
	 * @param timeout the time after which this call must have ended
	 * @return the denials, which are the last of their requests now; a request that is
	 * left out may be granted if it is tried now, or is unknown to the store. By default
	 * none, so that each request is tried by itself
	 * @throws BackendException if the store failed or took too long; no place is lost by
	 * that
	 */
	default Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		return Map.of();
	}

	/**
	 * How many keys the leases of one call of {@link #renew} have together at most. More
	 * leases are renewed in several calls, so that each is short, and one that fails
	 * costs few leases. A lease that has more keys is renewed by itself.
	 * @return the number, at least 1
	 */
	default int renewalBatchSize() {
		return 500;
	}

	/**
	 * Prolongs leases, each to its full lease time from now. Has the right of way: it
	 * waits neither for attempts to acquire nor for their connections. A lease that
	 * cannot be renewed, because its row is locked for example, costs the others nothing:
	 * it is left out of the answer. May be called by several threads at once, but never
	 * by two for the same lease.
	 * @param leases the requests that were granted, the most urgent first, with no more
	 * keys than {@link #renewalBatchSize()} or a single request
	 * @param timeout the time after which this call must have ended
	 * @return which of the leases are still held, and which are over
	 * @throws BackendException if the store failed or took too long; some of the leases
	 * may have been prolonged
	 */
	Renewal renew(Collection<LeaseRequest> leases, Duration timeout);

	/**
	 * Gives back whatever the owner of the request has in the store: the lease, the place
	 * in the queue, a grant that was just made. Harmless when repeated, and to others.
	 * <p>
	 * Of a lease of several keys, a {@linkplain LeaseRequest#part(List) part} may be
	 * given back: its keys are free then, and the owner goes on holding the others, which
	 * are renewed and given back by a request of just these.
	 * @param lease the request, granted or not
	 * @param timeout the time after which this call must have ended
	 * @return {@code true} if the lease was held until this call, {@code false} if the
	 * store had already given it up
	 * @throws BackendException if the store failed or took too long
	 */
	boolean release(LeaseRequest lease, Duration timeout);

	/**
	 * Gives a lease back as {@link #release(LeaseRequest, Duration)} does, without
	 * waiting for the answer if the client can do that. What this process asks of the
	 * store after this call reaches the store after it.
	 * @param lease the request, granted or not
	 * @param timeout the time after which the answer must have come
	 * @return the answer to come, which may be a {@link BackendException}
	 */
	default CompletionStage<Boolean> releaseAsync(LeaseRequest lease, Duration timeout) {
		try {
			return CompletableFuture.completedFuture(release(lease, timeout));
		}
		catch (BackendException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Gives a lease back so that it ends by itself after a rest, and nobody gets the key
	 * before that. The lease ends for its owner at once: it cannot be renewed, released
	 * or acquired again by this request. The rest is counted from this call by the
	 * store's own clock, be it longer or shorter than what the lease had left. Harmless
	 * when repeated, and to others: only the first call sets the end. Whatever else the
	 * owner has in the store is given back at once.
	 * @param lease the request, granted or not
	 * @param rest how long the key stays taken, at least a millisecond
	 * @param timeout the time after which this call must have ended
	 * @return {@code true} if the lease was held until this call, {@code false} if the
	 * store had already given it up
	 * @throws BackendException if the store failed or took too long
	 */
	boolean releaseWithDelay(LeaseRequest lease, Duration rest, Duration timeout);

	/**
	 * Gives a lease back as {@link #releaseWithDelay(LeaseRequest, Duration, Duration)}
	 * does, without waiting for the answer if the client can do that. What this process
	 * asks of the store after this call reaches the store after it.
	 * @param lease the request, granted or not
	 * @param rest how long the key stays taken, at least a millisecond
	 * @param timeout the time after which the answer must have come
	 * @return the answer to come, which may be a {@link BackendException}
	 */
	default CompletionStage<Boolean> releaseWithDelayAsync(LeaseRequest lease, Duration rest, Duration timeout) {
		try {
			return CompletableFuture.completedFuture(releaseWithDelay(lease, rest, timeout));
		}
		catch (BackendException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Makes a shared lease out of an exclusive one in a single step, so that readers may
	 * come in and no other writer comes between. Offered together with
	 * {@link Capability#SHARED}. Repeating the call is harmless.
	 * @param exclusive the request that was granted
	 * @param shared the request that takes its place, for the same key
	 * @param timeout the time after which this call must have ended
	 * @return a {@link Grant} for the shared request, or a {@link Denial} if the
	 * exclusive lease is over
	 * @throws BackendException if the store failed or took too long
	 */
	default Attempt downgrade(LeaseRequest exclusive, LeaseRequest shared, Duration timeout) {
		throw new UnsupportedOperationException("The backend '" + name() + "' has no shared leases");
	}

	/**
	 * Tells who holds a key, for people to read.
	 * @param key the key
	 * @param timeout the time after which this call must have ended
	 * @return the holders, none if the key is free
	 * @throws BackendException if the store failed or took too long
	 */
	List<LeaseHolder> inspect(String key, Duration timeout);

	/**
	 * Does what a lock does, so that whatever would keep locks from working shows: a
	 * store that is down, a missing right, a replica that only reads, a lack of memory.
	 * By default acquires, renews and releases the request. A request that is denied,
	 * because another process does the same, is an answer, too.
	 * @param request a request of its own for each call, exclusive, for a key that only
	 * probes use
	 * @param timeout the time after which this call must have ended
	 * @return how long the store took to answer the attempt to acquire
	 * @throws BackendException if the store failed, took too long or refused something
	 * that locks need, which the message names
	 */
	default Duration probe(LeaseRequest request, Duration timeout) {
		long start = System.nanoTime();
		Attempt attempt = tryAcquire(request, timeout);
		long answered = System.nanoTime();
		if (attempt instanceof Grant) {
			renew(List.of(request), timeout.minusNanos(System.nanoTime() - start));
			release(request, timeout.minusNanos(System.nanoTime() - start));
		}
		return Duration.ofNanos(answered - start);
	}

	/**
	 * Return where the store is, for people to read: without user names and secrets. Does
	 * not talk to the store.
	 * @return the address, empty if there is none to tell
	 */
	default String address() {
		return "";
	}

	/**
	 * What is known to weaken the locks in the way the store is set up, such as a lack of
	 * persistence: sentences for people to read. Does not talk to the store.
	 * @return the warnings, none if all is well
	 */
	default List<String> warnings() {
		return List.of();
	}

	/**
	 * Gives back connections and threads of this backend. Leases are left to end by
	 * themselves.
	 */
	@Override
	void close();

	/**
	 * Return a backend on the same store in place of this one, which is closed: for an
	 * application that was stopped, or paused, and is started again.
	 * @return a new backend, to be {@linkplain #start started}; by default this one,
	 * which must then allow to be started again
	 */
	default LockBackend reopened() {
		return this;
	}

}
