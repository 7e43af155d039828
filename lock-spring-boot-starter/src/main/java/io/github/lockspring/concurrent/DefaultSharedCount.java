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

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import org.springframework.util.Assert;

import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;

/**
 * Default implementation of {@link SharedCount}.
 */
final class DefaultSharedCount extends ExpirableValue implements SharedCount {

	private final Map<SharedCountListener, Runnable> listeners = new ConcurrentHashMap<>();

	DefaultSharedCount(StoredValue value) {
		super(value, "shared count");
	}

	@Override
	public int getCount() {
		return getVersionedValue().count();
	}

	@Override
	public Versioned getVersionedValue() {
		Value present = this.value.read();
		return new Versioned((int) present.number(), present.version());
	}

	@Override
	public void setCount(int newCount) {
		this.value.update(new ValueChange.Set(newCount, ValueChange.ANY_VERSION));
	}

	@Override
	public boolean trySetCount(Versioned previous, int newCount) {
		Assert.notNull(previous, "'previous' must not be null");
		Assert.isTrue(previous.version() >= 0, () -> "There is no version " + previous.version());
		return this.value.update(new ValueChange.Set(newCount, previous.version())).applied();
	}

	@Override
	public void addListener(SharedCountListener listener) {
		addListener(listener, Runnable::run);
	}

	@Override
	public void addListener(SharedCountListener listener, Executor executor) {
		Assert.notNull(listener, "'listener' must not be null");
		Assert.notNull(executor, "'executor' must not be null");
		Runnable added = this.value.call(() -> listen(listener, executor));
		if (this.listeners.putIfAbsent(listener, added) != null) {
			added.run();
		}
	}

	private Runnable listen(SharedCountListener listener, Executor executor) {
		return this.value.values()
			.listen(this.value.storeKey(), executor, (present) -> listener.countHasChanged((int) present.number()));
	}

	@Override
	public void removeListener(SharedCountListener listener) {
		Runnable registration = this.listeners.remove(listener);
		if (registration != null) {
			registration.run();
		}
	}

	@Override
	public void close() {
		this.listeners.keySet().forEach(this::removeListener);
	}

	@Override
	public CompletableFuture<Versioned> getVersionedValueAsync() {
		return this.value.async(this::getVersionedValue);
	}

	@Override
	public CompletableFuture<Void> setCountAsync(int newCount) {
		return this.value.runAsync(() -> setCount(newCount));
	}

	@Override
	public CompletableFuture<Boolean> trySetCountAsync(Versioned previous, int newCount) {
		return this.value.async(() -> trySetCount(previous, newCount));
	}

}
