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

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;

/**
 * Change of a value in a form that one statement executes for all kinds of changes: the
 * number is multiplied by a factor and a summand is added, if the number and the version
 * are in their ranges. An absent value has the number 0 and the version 0.
 *
 * @param factor 1 to add to the number, 0 to replace it
 * @param summand the summand, {@code null} to delete the value
 * @param minKept the minimum of the number for the value to remain
 * @param min the minimum of the number
 * @param max the maximum of the number
 * @param minVersion the minimum of the version
 * @param maxVersion the maximum of the version
 */
record ValueTerms(int factor, @Nullable Long summand, long minKept, long min, long max, long minVersion,
		long maxVersion) {

	/**
	 * Translate a change.
	 * @param change the change
	 * @return its terms
	 */
	static ValueTerms of(ValueChange change) {
		if (change instanceof ValueChange.Add add) {
			return of(add);
		}
		if (change instanceof ValueChange.Set set) {
			return assignment(set.number(), set.expectedVersion(), 0);
		}
		if (change instanceof ValueChange.Replace replace) {
			return new ValueTerms(0, replace.number(), Long.MIN_VALUE, replace.expectedNumber(),
					replace.expectedNumber(), 0, Long.MAX_VALUE);
		}
		if (change instanceof ValueChange.Expire) {
			return new ValueTerms(1, 0L, Long.MIN_VALUE, Long.MIN_VALUE, Long.MAX_VALUE, 1, Long.MAX_VALUE);
		}
		return assignment(null, ((ValueChange.Delete) change).expectedVersion(), 1);
	}

	/**
	 * Translate the range of the sum into a range of the number.
	 */
	private static ValueTerms of(ValueChange.Add add) {
		long delta = add.delta();
		long max = (delta > 0) ? Long.MAX_VALUE - delta : Long.MAX_VALUE;
		long min = (delta < 0) ? Long.MIN_VALUE - delta : Long.MIN_VALUE;
		return new ValueTerms(1, delta, differenceInRange(add.minKept(), delta),
				Math.max(min, differenceInRange(add.min(), delta)), max, add.deletes(Value.ABSENT) ? 1 : 0,
				Long.MAX_VALUE);
	}

	private static long differenceInRange(long number, long delta) {
		long difference = number - delta;
		boolean overflow = ((number ^ delta) & (number ^ difference)) < 0;
		if (!overflow) {
			return difference;
		}
		return (number < 0) ? Long.MIN_VALUE : Long.MAX_VALUE;
	}

	private static ValueTerms assignment(@Nullable Long number, long expectedVersion, long anyVersion) {
		boolean any = expectedVersion == ValueChange.ANY_VERSION;
		return new ValueTerms(0, number, Long.MIN_VALUE, Long.MIN_VALUE, Long.MAX_VALUE,
				any ? anyVersion : Math.max(anyVersion, expectedVersion), any ? Long.MAX_VALUE : expectedVersion);
	}

	/**
	 * Bind the parameters of the change to {@link SqlStatement#UPDATE_VALUE}, with the
	 * key of the value between the assignment and the condition.
	 * @return the index of the next parameter
	 */
	int bind(PreparedStatement statement, int index, byte[] key) throws SQLException {
		statement.setLong(index, this.minKept);
		statement.setInt(index + 1, this.factor);
		statement.setObject(index + 2, this.summand, Types.BIGINT);
		statement.setBytes(index + 3, key);
		statement.setLong(index + 4, this.min);
		statement.setLong(index + 5, this.max);
		statement.setLong(index + 6, this.minVersion);
		statement.setLong(index + 7, this.maxVersion);
		return index + 8;
	}

}
