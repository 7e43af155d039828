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

package io.github.lockspring.test;

import java.time.Duration;
import java.util.Collection;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.util.Assert;

import io.github.lockspring.LockHandle;

/**
 * Handle of a lock that excludes no other owner and is never lost.
 */
final class NoOpLockHandle implements LockHandle {

	private static final AtomicLong TOKENS = new AtomicLong();

	private final String storeKey;

	private final String key;

	private final Duration leaseTime;

	private final long token = TOKENS.incrementAndGet();

	private final AtomicBoolean closed = new AtomicBoolean();

	NoOpLockHandle(String storeKey, String key, Duration leaseTime) {
		this.storeKey = storeKey;
		this.key = key;
		this.leaseTime = leaseTime;
	}

	static NoOpLockHandle of(String prefix, Collection<String> keys, Duration leaseTime) {
		Collection<String> canonical = new TreeSet<>(keys);
		return new NoOpLockHandle(prefix + String.join("," + prefix, canonical), String.join(",", canonical),
				leaseTime);
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public String storeKey() {
		return this.storeKey;
	}

	@Override
	public long fencingToken() {
		checkpoint();
		return this.token;
	}

	@Override
	public boolean isHeld() {
		return !this.closed.get();
	}

	@Override
	public boolean isLost() {
		return false;
	}

	@Override
	public Duration remaining() {
		return isHeld() ? this.leaseTime : Duration.ZERO;
	}

	@Override
	public void checkpoint() {
		Assert.state(isHeld(), () -> "The handle of the lock on '" + storeKey() + "' is closed");
	}

	@Override
	public void onLost(Runnable callback) {
		checkpoint();
	}

	@Override
	public void close() {
		this.closed.set(true);
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		close();
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public String toString() {
		return "lock on '" + storeKey() + "' without exclusion" + (isHeld() ? "" : ", closed");
	}

}
