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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.support.Durations;

/**
 * Default implementation of {@link DistributedBarrier}: the value exists as long as the
 * barrier is set. Another version is another barrier, set after the former was removed.
 */
final class DefaultDistributedBarrier implements DistributedBarrier {

	private final StoredValue value;

	DefaultDistributedBarrier(StoredValue value) {
		this.value = value;
	}

	@Override
	public void setBarrier() {
		this.value.update(new ValueChange.Set(1, Value.ABSENT.version()));
	}

	@Override
	public void removeBarrier() {
		this.value.update(new ValueChange.Delete(ValueChange.ANY_VERSION));
	}

	@Override
	public boolean isSet() {
		return this.value.read().exists();
	}

	@Override
	public void waitOnBarrier() throws InterruptedException {
		this.value.await(removal(), Durations.MAX_NANOS);
	}

	@Override
	public boolean waitOnBarrier(long waitTime, TimeUnit unit) throws InterruptedException {
		return this.value.await(removal(), Durations.waitNanos(waitTime, unit)) != null;
	}

	@Override
	public CompletableFuture<Void> setBarrierAsync() {
		return this.value.runAsync(this::setBarrier);
	}

	@Override
	public CompletableFuture<Void> removeBarrierAsync() {
		return this.value.runAsync(this::removeBarrier);
	}

	@Override
	public CompletableFuture<Boolean> waitOnBarrierAsync(Duration waitTime) {
		return this.value.awaitAsync(removal(), waitTime);
	}

	@Override
	public String toString() {
		return "barrier " + this.value;
	}

	/**
	 * Return a condition for the removal of the barrier that is seen first.
	 */
	private static Predicate<Value> removal() {
		return StoredValue.endOf((value) -> !value.exists(), Value::version);
	}

}
