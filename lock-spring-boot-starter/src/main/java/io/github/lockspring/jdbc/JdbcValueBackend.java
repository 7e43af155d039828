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

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * {@link ValueBackend} of a {@link JdbcLockBackend}: values in a separate table, one row
 * per value, with the same connections and the same notification channel. The row of a
 * deleted value remains until it is {@linkplain JdbcLockCleanup removed}. Thread-safe.
 */
final class JdbcValueBackend implements ValueBackend {

	private static final int MAX_LAST_VALUES = 1000;

	private final JdbcCalls calls;

	private final ReleaseListener listener;

	/**
	 * Values that this process read last, for databases that do not return the value
	 * before an update but can compare it.
	 */
	private final Map<String, Value> lastValues = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Value> eldest) {
			return size() > MAX_LAST_VALUES;
		}

	});

	JdbcValueBackend(JdbcCalls calls, ReleaseListener listener) {
		this.calls = calls;
		this.listener = listener;
	}

	@Override
	public Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout) {
		if (keys.isEmpty()) {
			return Map.of();
		}
		if (watch) {
			keys.forEach(this.listener::watch);
			this.listener.listenForAWhile();
		}
		boolean watching = watch && notifiesOfChanges();
		return this.calls.run(timeout, (connection, mayBeDone) -> new ValueOperations(connection).read(keys, watching));
	}

	@Override
	public void unwatch(String key) {
		this.listener.unwatch(key);
	}

	@Override
	public boolean notifiesOfChanges() {
		return this.listener.isUsable();
	}

	@Override
	public boolean expiresValues() {
		return true;
	}

	@Override
	public ValueUpdateResult update(ValueUpdate update, Duration timeout) {
		ValueUpdateResult result = this.calls.run(timeout, (connection, mayBeDone) -> {
			ValueUpdateResult answer = new ValueOperations(connection).update(mayBeDone ? update.again() : update,
					this.lastValues.get(update.key()));
			if (mayBeDone && !answer.applied()) {
				throw new OutcomeUnknownException("The first of two attempts to update may still take effect", null);
			}
			return answer;
		});
		this.lastValues.put(update.key(), result.after());
		return result;
	}

}
