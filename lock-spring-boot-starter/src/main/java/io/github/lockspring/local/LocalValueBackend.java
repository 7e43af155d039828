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

package io.github.lockspring.local;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;

import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * {@link ValueBackend} of a {@link LocalLockBackend}: values in the memory of this
 * process. Timeouts are ignored, because no call ever waits. Thread-safe.
 */
final class LocalValueBackend implements ValueBackend {

	private final LocalValues values;

	private final LocalNotifier notifier;

	LocalValueBackend(LocalValues values, LocalNotifier notifier) {
		this.values = values;
		this.notifier = notifier;
	}

	@Override
	public Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout) {
		return this.values.read(keys, watch ? this.notifier : null);
	}

	@Override
	public void unwatch(String key) {
		this.values.unwatch(key, this.notifier);
	}

	@Override
	public boolean notifiesOfChanges() {
		return true;
	}

	@Override
	public boolean expiresValues() {
		return true;
	}

	@Override
	public ValueUpdateResult update(ValueUpdate update, Duration timeout) {
		return this.values.update(update);
	}

}
