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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * State of a value in a store, with the last applied update of each process, and the
 * rules by which an update changes it:
 * <ol>
 * <li>An update that was applied before is answered with its former result.</li>
 * <li>One that is older than the last update of its process is not applied.</li>
 * <li>A repeated one of a process whose last update is not known is of unknown outcome if
 * updates may have been forgotten.</li>
 * <li>One whose condition is not met is not applied.</li>
 * <li>Any other is applied, and recorded as the last update of its process.</li>
 * </ol>
 * A store keeps this state for each key. To update a value, it reads the state
 * {@linkplain #at at} the present time, asks for the {@linkplain #answer answer}, and if
 * there is none replaces the state by the {@linkplain #next next} one, unless another
 * process has replaced it meanwhile. The state of a value that was deleted, or whose time
 * to live is over, is kept for at least a minute. Immutable.
 *
 * @param number the number, {@code null} if the value was deleted
 * @param version the version of the last update, also if that was a deletion; 0 if there
 * was no update
 * @param expiry the time of the store's clock at which the value is deleted, in
 * microseconds since 1970; 0 if it remains
 * @param updates the last updates of processes, the latest first
 */
public record ValueState(@Nullable Long number, long version, long expiry, List<AppliedUpdate> updates) {

	/**
	 * Maximum number of processes whose last update is kept.
	 */
	public static final int MAX_UPDATES = 2 * ValueBackend.REMEMBERED_PROCESSES;

	/**
	 * State of a value that was never set.
	 */
	public static final ValueState NONE = new ValueState(null, 0, 0, List.of());

	/**
	 * Return the state at a time: that of a deleted value if its time to live is over.
	 * @param now the time of the store's clock, in microseconds since 1970
	 * @return this state, or that of the deleted value
	 */
	public ValueState at(long now) {
		return (this.expiry != 0 && now >= this.expiry) ? new ValueState(null, this.version, 0, this.updates) : this;
	}

	/**
	 * Return whether the value exists.
	 * @return {@code false} if it was never set or has been deleted
	 */
	public boolean exists() {
		return this.number != null;
	}

	/**
	 * Return the value.
	 * @return the value, {@link Value#ABSENT} if it was deleted
	 */
	public Value value() {
		return (this.number != null) ? new Value(this.number, this.version) : Value.ABSENT;
	}

	/**
	 * Return the answer to an update that changes nothing: because it was applied before,
	 * is late, or its condition is not met.
	 * @param update the update
	 * @return the answer, or {@code null} if the update is to be applied
	 * @throws OutcomeUnknownException if it is unknown whether the update was applied
	 */
	public @Nullable ValueUpdateResult answer(ValueUpdate update) {
		AppliedUpdate last = lastUpdateOf(update.id().instance());
		if (last != null && last.id().equals(update.id())) {
			return last.withVersion(this.version).result(update.change());
		}
		if (last == null && update.repeated() && this.updates.size() >= MAX_UPDATES) {
			throw new OutcomeUnknownException("Unknown whether a repeated update of '" + update.key()
					+ "' was applied: the store no longer has a record of it", null);
		}
		boolean late = last != null && last.id().sequence() > update.id().sequence();
		Value value = value();
		return (late || !update.change().appliesTo(value)) ? new ValueUpdateResult(value, value) : null;
	}

	private @Nullable AppliedUpdate lastUpdateOf(String instance) {
		for (AppliedUpdate update : this.updates) {
			if (update.id().instance().equals(instance)) {
				return update;
			}
		}
		return null;
	}

	/**
	 * Return the state after an update to which there is no {@linkplain #answer answer}.
	 * @param update the update
	 * @param version the version of the new state, greater than that of this one; 0 if
	 * the store determines it when it writes the state
	 * @param now the time of the store's clock, in microseconds since 1970
	 * @return the new state
	 */
	public ValueState next(ValueUpdate update, long version, long now) {
		Value before = value();
		List<AppliedUpdate> updates = new ArrayList<>(this.updates.size() + 1);
		updates.add(new AppliedUpdate(update.id(), before, version));
		for (AppliedUpdate former : this.updates) {
			if (!former.id().instance().equals(update.id().instance()) && updates.size() < MAX_UPDATES) {
				updates.add(former.withVersion(this.version));
			}
		}
		boolean deleted = update.change().deletes(before);
		return new ValueState(deleted ? null : update.change().numberAfter(before), version,
				deleted ? 0 : expiryAfter(update.change(), now), updates);
	}

	private long expiryAfter(ValueChange change, long now) {
		if (change instanceof ValueChange.Expire expire) {
			return (expire.millis() != 0) ? now + TimeUnit.MILLISECONDS.toMicros(expire.millis()) : 0;
		}
		return this.expiry;
	}

	/**
	 * Return this state with the version that the store has given to it.
	 * @param version the version
	 * @return the state as it is stored
	 */
	public ValueState withVersion(long version) {
		return new ValueState(this.number, version, this.expiry, this.updates);
	}

	/**
	 * Return the result of the latest update.
	 * @param update the update
	 * @return its result
	 */
	public ValueUpdateResult resultOf(ValueUpdate update) {
		return this.updates.get(0).withVersion(this.version).result(update.change());
	}

}
