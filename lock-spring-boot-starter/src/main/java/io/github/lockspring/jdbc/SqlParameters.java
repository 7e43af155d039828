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

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * List of values of a statement. The number of its placeholders is a power of two, so
 * that few statements have to be prepared; the last value is repeated.
 *
 * @param values the values
 * @param placeholders the number of placeholders
 */
record SqlParameters(List<?> values, int placeholders) {

	/**
	 * Maximum number of keys of a statement, far below its maximum number of parameters,
	 * which may be keys and owners; a power of two.
	 */
	static final int MAX_KEYS = 512;

	/**
	 * Maximum lease time, which can be added to the clock of the database without
	 * overflow.
	 */
	private static final long MAX_LEASE_MICROS = TimeUnit.DAYS.toMicros(365_000);

	private static final int MAX_KEY_LENGTH = 1024;

	SqlParameters(List<?> values) {
		this(values, powerOfTwo(values.size()));
	}

	static SqlParameters ofKeys(Collection<String> keys) {
		List<byte[]> values = new ArrayList<>(keys.size());
		for (String key : keys) {
			values.add(bytes(key));
		}
		return new SqlParameters(values);
	}

	private static int powerOfTwo(int size) {
		int highest = Integer.highestOneBit(size);
		return (size == highest) ? highest : 2 * highest;
	}

	/**
	 * Bind the values.
	 * @return the index of the next parameter
	 */
	int bind(PreparedStatement statement, int index) throws SQLException {
		for (int i = 0; i < this.placeholders; i++) {
			statement.setObject(index + i, this.values.get(Math.min(i, this.values.size() - 1)));
		}
		return index + this.placeholders;
	}

	/**
	 * Return the number of values.
	 */
	int size() {
		return this.values.size();
	}

	/**
	 * Return the key as it is stored.
	 * @throws BackendUnavailableException if it is too long, so that no database
	 * truncates it
	 */
	static byte[] bytes(String key) {
		byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
		if (bytes.length > MAX_KEY_LENGTH) {
			throw new BackendUnavailableException("The key has " + bytes.length
					+ " bytes in UTF-8, but the lock table supports at most " + MAX_KEY_LENGTH, null);
		}
		return bytes;
	}

	static long micros(Duration leaseTime) {
		return Math.min(TimeUnit.MICROSECONDS.convert(leaseTime), MAX_LEASE_MICROS);
	}

}
