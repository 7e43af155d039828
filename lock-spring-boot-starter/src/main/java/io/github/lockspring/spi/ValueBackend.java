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
import java.util.Map;

/**
 * Store of values: one versioned number for each key, which remains until it is deleted
 * or its time to live is over. Counters, latches and barriers are built on it. Values and
 * leases are independent: a key may have both.
 * <p>
 * Obtained from {@link LockBackend#values()}, and started and closed with that backend.
 * Every method makes at most one round trip in the common case, and returns or throws
 * within the given timeout. A store failure is reported as a {@link BackendException}
 * whose type says whether the outcome is known. Implementations are thread-safe.
 */
public interface ValueBackend {

	/**
	 * The minimum number of processes whose last update of a key the store remembers:
	 * those that updated it most recently.
	 */
	int REMEMBERED_PROCESSES = 64;

	/**
	 * Read values, and optionally watch them.
	 * <p>
	 * A key that is read with {@code watch} is watched from then on, for at least ten
	 * seconds: a change that this call does not see yet, made by any process, is notified
	 * to {@link BackendListener#onValueChanged(String)}, if this backend
	 * {@linkplain #notifiesOfChanges() does that}. Notifications are hints: they may be
	 * spurious, late, combined or lost, and are not sent again until the key is read with
	 * {@code watch} once more. The caller therefore reads watched keys periodically.
	 * Unlike the other methods, this may take a round trip for each server, or for every
	 * few hundred keys.
	 * @param keys the keys
	 * @param watch whether to watch the keys
	 * @param timeout the time within which this call must return
	 * @return the values; keys that have none are left out
	 * @throws BackendException if the store failed or took too long
	 */
	Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout);

	/**
	 * Stop watching a key. Does not access the store, which forgets watches by itself.
	 * @param key the key
	 */
	void unwatch(String key);

	/**
	 * Return whether watched keys are notified. Otherwise, the caller reads them
	 * frequently.
	 * @return whether notifications are sent
	 */
	boolean notifiesOfChanges();

	/**
	 * Return whether values can have a {@linkplain ValueChange.Expire time to live}.
	 * Otherwise, no such change is requested.
	 * @return whether values can have a time to live
	 */
	default boolean expiresValues() {
		return false;
	}

	/**
	 * Change a value. Idempotent: an update that was applied before is answered with the
	 * former result, without being applied again, and one that is older than the last
	 * update of the same process is not applied. For that the store remembers the last
	 * applied update of each of {@value #REMEMBERED_PROCESSES} processes or more, also
	 * for at least a minute after the value was deleted or its time to live was over.
	 * @param update the update
	 * @param timeout the time within which this call must return
	 * @return the value before and after the change
	 * @throws OutcomeUnknownException if the change may have been applied, or, for a
	 * {@linkplain ValueUpdate#repeated() repeated} update, if the store no longer knows
	 * whether it was
	 * @throws BackendException if the store failed or took too long
	 */
	ValueUpdateResult update(ValueUpdate update, Duration timeout);

}
