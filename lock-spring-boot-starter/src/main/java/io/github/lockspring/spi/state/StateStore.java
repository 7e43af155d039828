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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;

/**
 * Store of texts that can be replaced on condition that they have not changed: all that a
 * {@link StateBackend} needs. Every method returns or throws within the given timeout.
 * Implementations are thread-safe.
 */
public interface StateStore {

	/**
	 * Read a text, together with the time by the clock of the store, so that processes
	 * with different clocks agree on the end of a lease.
	 * @param id the id of the text, with at most 1024 bytes in UTF-8
	 * @param timeout the time within which this call must return
	 * @return the text and the time
	 * @throws BackendUnavailableException if the store failed or took too long
	 */
	Snapshot read(String id, Duration timeout);

	/**
	 * Replace a text unless it has changed since it was read, in one atomic operation.
	 * @param id the id of the text
	 * @param expected the text as it was read, {@code null} if there was none
	 * @param text the text that replaces it
	 * @param timeout the time within which this call must return
	 * @return {@code false} if it has changed
	 * @throws BackendUnavailableException if the store did not receive the request
	 * @throws OutcomeUnknownException if the store failed or took too long, and may have
	 * replaced the text
	 */
	boolean compareAndSet(String id, @Nullable String expected, String text, Duration timeout);

	/**
	 * Return the address of the store for display, without user names and secrets. By
	 * default there is none.
	 * @return the address, or an empty text
	 */
	default String address() {
		return "";
	}

	/**
	 * Release the connections to the store. By default does nothing, for a store that
	 * belongs to the application.
	 */
	default void close() {
	}

	/**
	 * Text at a time.
	 *
	 * @param text the text, or {@code null} if there is none
	 * @param now the time by the clock of the store, of the same call
	 */
	record Snapshot(@Nullable String text, Instant now) {
	}

}
