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

package io.github.lockspring;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.Hold;
import io.github.lockspring.support.KeyFormat;

/**
 * Handle of a single key. Handles of reentrant acquisitions share one hold.
 */
final class DefaultLockHandle implements LockHandle {

	private static final AtomicIntegerFieldUpdater<DefaultLockHandle> CLOSED = AtomicIntegerFieldUpdater
		.newUpdater(DefaultLockHandle.class, "closed");

	private final Hold hold;

	private final int prefixLength;

	/**
	 * 1 once it is closed.
	 */
	private volatile int closed;

	DefaultLockHandle(Hold hold, int prefixLength) {
		this.hold = hold;
		this.prefixLength = prefixLength;
	}

	/**
	 * Create a handle, or release the lock if that fails.
	 */
	static DefaultLockHandle of(Hold hold, int prefixLength) {
		try {
			return new DefaultLockHandle(hold, prefixLength);
		}
		catch (Throwable ex) {
			hold.release();
			throw ex;
		}
	}

	/**
	 * Return the hold of a key, or {@code null} if this handle is closed or is for
	 * another key.
	 */
	@Nullable Hold holdOf(String backend, String storeKey) {
		return (this.closed == 0 && this.hold.key().equals(storeKey) && this.hold.backendName().equals(backend))
				? this.hold : null;
	}

	String backendName() {
		return this.hold.backendName();
	}

	@Override
	public String key() {
		return this.hold.key().substring(this.prefixLength);
	}

	@Override
	public String storeKey() {
		return this.hold.key();
	}

	@Override
	public long fencingToken() {
		checkpoint();
		long token = this.hold.token();
		if (token == 0) {
			throw new UnsupportedOperationException("The backend '" + this.hold.backendName()
					+ "' does not support fencing tokens: late writes of a former holder of this lock cannot be"
					+ " detected");
		}
		return token;
	}

	@Override
	public boolean isHeld() {
		return this.closed == 0 && this.hold.isHeld();
	}

	@Override
	public boolean isLost() {
		return this.closed == 0 && !this.hold.hasLease();
	}

	@Override
	public Duration remaining() {
		return (this.closed == 1) ? Duration.ZERO : this.hold.remaining();
	}

	@Override
	public void checkpoint() {
		requireOpen();
		if (!this.hold.isHeld()) {
			throw this.hold.hasLease() ? new LockSuspendedException(this.hold.key())
					: new LockLostException(this.hold.key());
		}
	}

	@Override
	public void onLost(Runnable callback) {
		requireOpen();
		this.hold.onLost(this, callback);
	}

	private void requireOpen() {
		if (this.closed == 1) {
			throw new IllegalStateException(
					"The handle of the lock on " + KeyFormat.quote(this.hold.key()) + " is closed");
		}
	}

	@Override
	public void close() {
		if (markClosed() && !this.hold.release(this)) {
			throw new LockLostException(this.hold.key());
		}
	}

	/**
	 * Mark this handle as closed, after which the hold must be released.
	 * @return {@code false} if it is closed already
	 */
	boolean markClosed() {
		boolean marked = CLOSED.compareAndSet(this, 0, 1);
		if (marked) {
			this.hold.warnIfForeignThread();
		}
		return marked;
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		CompletableFuture<Void> closed = new CompletableFuture<>();
		if (markClosed()) {
			this.hold.releaseAsync(this).whenComplete((kept, failure) -> end(closed, kept, failure));
		}
		else {
			closed.complete(null);
		}
		return closed;
	}

	private void end(CompletableFuture<Void> closed, @Nullable Boolean kept, @Nullable Throwable failure) {
		if (failure != null) {
			closed.completeExceptionally(failure);
		}
		else if (Boolean.TRUE.equals(kept)) {
			closed.complete(null);
		}
		else {
			closed.completeExceptionally(new LockLostException(this.hold.key()));
		}
	}

	/**
	 * Release the holds of closed handles; those granted together are released in a
	 * single call to the store.
	 */
	static void releaseAll(List<DefaultLockHandle> closed) {
		Map<DefaultLockHandle, Hold> holds = new LinkedHashMap<>();
		closed.forEach((lock) -> holds.put(lock, lock.hold));
		List<Hold> lost = Hold.releaseAll(holds);
		if (!lost.isEmpty()) {
			throw new LockLostException(lost.get(0).key());
		}
	}

	/**
	 * Run an action that may block on the store in a thread of the engine.
	 */
	CompletableFuture<Void> runAsync(Runnable action) {
		return this.hold.runAsync(action);
	}

	@Override
	public String toString() {
		return "lock on " + KeyFormat.quote(this.hold.key()) + ((this.closed == 1) ? ", closed" : "");
	}

}
