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
import java.util.concurrent.atomic.AtomicLong;

import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.support.KeyFormat;

/**
 * Lock that another process seems to hold, until this is closed or the test ends.
 * <p>
 * Thread-safe.
 *
 * @see TestLocks#holdElsewhere(String)
 */
public final class LockHeldElsewhere implements AutoCloseable {

	private static final String INSTANCE = "elsewhere";

	private static final AtomicLong SEQUENCE = new AtomicLong();

	private static final LeaseTerms TERMS = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofDays(36_500), 1);

	private final TestLockStores stores;

	private final LocalLockBackend backend;

	private final String backendName;

	private final LeaseRequest request;

	private final Thread thread = Thread.currentThread();

	private LockHeldElsewhere(TestLockStores stores, String backend, String storeKey) {
		this.stores = stores;
		this.backendName = backend;
		this.backend = new LocalLockBackend(backend, stores.store(backend));
		this.request = new LeaseRequest(storeKey, TERMS, INSTANCE, SEQUENCE.incrementAndGet());
	}

	static LockHeldElsewhere open(TestLockStores stores, String backend, String storeKey) {
		LockHeldElsewhere lock = new LockHeldElsewhere(stores, backend, storeKey);
		if (!(lock.backend.tryAcquire(lock.request, Duration.ZERO) instanceof Grant)) {
			throw new IllegalStateException("The lock on " + KeyFormat.quote(storeKey) + " is held already, "
					+ (isHeld(stores.store(backend), storeKey) ? "by another process" : "by this process"));
		}
		stores.heldElsewhere().add(lock);
		return lock;
	}

	/**
	 * Return whether a lock of a test holds the key.
	 */
	static boolean isHeld(LocalStore store, String storeKey) {
		return store.holders(storeKey).stream().anyMatch((holder) -> holder.isOf(INSTANCE));
	}

	boolean isOfCurrentThread() {
		return this.thread == Thread.currentThread();
	}

	boolean isWaitedFor(LockEngine engine, Object blocker) {
		return engine.backendName().equals(this.backendName)
				&& engine.inspection().isWaitingFor(blocker, this.request.key());
	}

	/**
	 * Release the lock, so that a waiting thread can acquire it. Closing it again, or
	 * after its lease has expired, has no effect.
	 */
	@Override
	public void close() {
		this.stores.heldElsewhere().remove(this);
		this.backend.release(this.request, Duration.ZERO);
	}

}
