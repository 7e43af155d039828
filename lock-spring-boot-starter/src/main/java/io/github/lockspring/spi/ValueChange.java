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

/**
 * Change of a value, with the condition under which it is applied. The value is tested
 * and changed in one step.
 */
public sealed interface ValueChange {

	/**
	 * Version that stands for every state of a value, including its absence.
	 */
	long ANY_VERSION = -1;

	/**
	 * Return whether this change is applied to a value: its condition is met.
	 * @param before the value before the change
	 * @return {@code false} if the value is left as it is
	 */
	boolean appliesTo(Value before);

	/**
	 * Return the number after this change, if it {@linkplain #appliesTo applies}.
	 * @param before the value before the change
	 * @return the new number, of no meaning if the value is deleted
	 */
	long numberAfter(Value before);

	/**
	 * Return whether the value is deleted by this change, if it {@linkplain #appliesTo
	 * applies}.
	 * @param before the value before the change
	 * @return {@code true} if the value does not exist afterwards
	 */
	default boolean deletes(Value before) {
		return false;
	}

	/**
	 * Return the value after this change, if it {@linkplain #appliesTo applies}.
	 * @param before the value before the change
	 * @param version the version of the change
	 * @return the new value, {@link Value#ABSENT} if it is deleted
	 */
	default Value valueAfter(Value before, long version) {
		return deletes(before) ? Value.ABSENT : new Value(numberAfter(before), version);
	}

	private static boolean isExpected(Value value, long expectedVersion) {
		return expectedVersion == ANY_VERSION || expectedVersion == value.version();
	}

	/**
	 * Addition. A value that does not exist is created as if it were 0. Not applied if
	 * the sum would overflow or be less than the minimum. A sum that is less than a
	 * second number deletes the value; it is not applied if there is no value.
	 *
	 * @param delta the number to add, which may be negative
	 * @param min the minimum of the sum, {@link Long#MIN_VALUE} for none
	 * @param minKept the minimum of the sum for the value to remain,
	 * {@link Long#MIN_VALUE} for none
	 */
	record Add(long delta, long min, long minKept) implements ValueChange {

		/**
		 * Create an addition that does not delete the value.
		 * @param delta the number to add, which may be negative
		 * @param min the minimum of the sum, {@link Long#MIN_VALUE} for none
		 */
		public Add(long delta, long min) {
			this(delta, min, Long.MIN_VALUE);
		}

		@Override
		public boolean appliesTo(Value before) {
			long sum = numberAfter(before);
			boolean overflow = ((before.number() ^ sum) & (this.delta ^ sum)) < 0;
			return !overflow && sum >= this.min && (before.exists() || !deletes(before));
		}

		@Override
		public boolean deletes(Value before) {
			return numberAfter(before) < this.minKept;
		}

		@Override
		public long numberAfter(Value before) {
			return before.number() + this.delta;
		}

	}

	/**
	 * Assignment, applied if the value has the expected version.
	 *
	 * @param number the new number
	 * @param expectedVersion the expected version, 0 to create a value that does not
	 * exist, or {@link #ANY_VERSION}
	 */
	record Set(long number, long expectedVersion) implements ValueChange {

		@Override
		public boolean appliesTo(Value before) {
			return isExpected(before, this.expectedVersion);
		}

		@Override
		public long numberAfter(Value before) {
			return this.number;
		}

	}

	/**
	 * Assignment, applied if the value is the expected number. A value that does not
	 * exist counts as 0, and is then created.
	 *
	 * @param number the new number
	 * @param expectedNumber the expected number
	 */
	record Replace(long number, long expectedNumber) implements ValueChange {

		@Override
		public boolean appliesTo(Value before) {
			return before.number() == this.expectedNumber;
		}

		@Override
		public long numberAfter(Value before) {
			return this.number;
		}

	}

	/**
	 * Deletion, applied if the value exists and has the expected version.
	 *
	 * @param expectedVersion the expected version, or {@link #ANY_VERSION}
	 */
	record Delete(long expectedVersion) implements ValueChange {

		@Override
		public boolean appliesTo(Value before) {
			return before.exists() && isExpected(before, this.expectedVersion);
		}

		@Override
		public boolean deletes(Value before) {
			return true;
		}

		@Override
		public long numberAfter(Value before) {
			return 0;
		}

	}

	/**
	 * Setting of the time to live, applied if the value exists. The value is deleted when
	 * that time has passed by the clock of the store. Other changes of the value leave
	 * the time of its deletion as it is; a new value that is set after a deletion remains
	 * until it is deleted.
	 *
	 * @param millis the time to live from now on, in milliseconds; 0 to let the value
	 * remain until it is deleted
	 */
	record Expire(long millis) implements ValueChange {

		@Override
		public boolean appliesTo(Value before) {
			return before.exists();
		}

		@Override
		public long numberAfter(Value before) {
			return before.number();
		}

	}

}
