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
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.support.Durations;

/**
 * {@link ValueBackend} on a {@link StateStore}. Thread-safe.
 */
final class StateValueBackend implements ValueBackend {

	private final StateStore store;

	StateValueBackend(StateStore store) {
		this.store = store;
	}

	@Override
	public Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout) {
		long deadline = Deadline.after(timeout);
		Map<String, Value> values = new HashMap<>();
		for (String key : keys) {
			StateStore.Snapshot read = this.store.read(id(key), Deadline.remaining(deadline));
			ValueState state = StateText.value(read.text()).at(Durations.micros(read.now()));
			if (state.exists()) {
				values.put(key, state.value());
			}
		}
		return values;
	}

	@Override
	public void unwatch(String key) {
	}

	@Override
	public boolean notifiesOfChanges() {
		return false;
	}

	@Override
	public boolean expiresValues() {
		return true;
	}

	@Override
	public ValueUpdateResult update(ValueUpdate update, Duration timeout) {
		long deadline = Deadline.after(timeout);
		String id = id(update.key());
		do {
			StateStore.Snapshot read = this.store.read(id, Deadline.remaining(deadline));
			long now = Durations.micros(read.now());
			ValueState state = StateText.value(read.text()).at(now);
			ValueUpdateResult answer = state.answer(update);
			if (answer != null) {
				return answer;
			}
			ValueState next = state.next(update, Math.max(state.version() + 1, now), now);
			if (this.store.compareAndSet(id, read.text(), StateText.of(next), Deadline.remaining(deadline))) {
				return next.resultOf(update);
			}
		}
		while (!Deadline.isOver(deadline));
		throw new OutcomeUnknownException("The value changed too often to be replaced", null);
	}

	private static String id(String key) {
		return "v:" + key;
	}

}
