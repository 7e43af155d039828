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
import java.util.List;

/**
 * Operations of a {@link LockBackend} for operators: the health of its store, the holders
 * of a key and those that wait for it.
 * <p>
 * Implementations are thread-safe.
 */
public interface BackendDiagnostics {

	/**
	 * Return the holders of a key, for diagnostics: those whose leases have not ended,
	 * and those that have {@linkplain LockBackend#releaseWithDelay released} it with a
	 * delay that is not over.
	 * @param key the key
	 * @param timeout the time within which this call must return
	 * @return the holders, empty if the key is free
	 * @throws BackendException if the store failed or took too long
	 */
	List<LeaseHolder> inspect(String key, Duration timeout);

	/**
	 * Return the requests that wait for a key, for diagnostics: those of all processes of
	 * which the store knows, in the order in which it serves them. Threads of one process
	 * wait behind a single request. By default returns none.
	 * @param key the key
	 * @param timeout the time within which this call must return
	 * @return the waiting owners, not necessarily all if there are very many
	 * @throws BackendException if the store failed or took too long
	 */
	default List<LeaseWaiter> inspectQueue(String key, Duration timeout) {
		return List.of();
	}

	/**
	 * Release a key for its holder, on behalf of an operator, in whatever process the
	 * holder is. Waiting requests are admitted as after a {@linkplain LockBackend#release
	 * release}. Has no effect on other holders, and none if the holder no longer holds
	 * the key: an owner that acquired the key afterwards is never released. Of a lease of
	 * several keys the others are not released.
	 * <p>
	 * The process of the holder is notified by {@link BackendListener#onLost} if the
	 * store can do that. Otherwise, the next renewal returns the lease as lost.
	 * @param key the key
	 * @param holder the holder, as returned by {@link #inspect}
	 * @param timeout the time within which this call must return
	 * @return whether the holder held the key until this call
	 * @throws BackendException if the store failed or took too long
	 */
	boolean forceRelease(String key, LeaseHolder holder, Duration timeout);

	/**
	 * Check the store by the operations that a lock needs, in order to detect whatever
	 * would keep locks from working: a store that is down, a missing privilege, a
	 * read-only replica, a lack of memory. A request that is denied because another
	 * process does the same counts as an answer, too.
	 * @param request a new exclusive request for each call, for a key that only probes
	 * use
	 * @param timeout the time within which this call must return
	 * @return the time that the store took to answer the attempt to acquire
	 * @throws BackendException if the store failed, took too long or rejected an
	 * operation that locks need, which the message names
	 */
	Duration probe(LeaseRequest request, Duration timeout);

	/**
	 * Return the address of the store for display, without user names and secrets. Does
	 * not access the store.
	 * @return the address, empty if there is none
	 */
	default String address() {
		return "";
	}

	/**
	 * Return warnings about the configuration of the store that weakens the locks, such
	 * as a lack of persistence: sentences for display. Does not access the store.
	 * @return the warnings, empty if there are none
	 */
	default List<String> warnings() {
		return List.of();
	}

}
