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

package io.github.lockspring.engine;

import java.time.Duration;

import io.github.lockspring.spi.LockBackend;
import org.jspecify.annotations.Nullable;

/** Stub. */
public final class LockEngine implements AutoCloseable {

	public LockEngine(LockBackend backend, EngineSettings settings, EngineListener listener, TimeSource time) {
	}

	public @Nullable Hold acquire(String key, AcquireTerms terms, long waitNanos) throws InterruptedException {
		return null;
	}

	public @Nullable Hold acquire(String key, AcquireTerms terms, Object owner, long waitNanos)
			throws InterruptedException {
		return null;
	}

	public @Nullable Hold acquireUninterruptibly(String key, AcquireTerms terms, Object owner) {
		return null;
	}

	public @Nullable Hold heldBy(String key, Object owner) {
		return null;
	}

	public long deadlineAfter(long waitNanos) {
		return 0;
	}

	public long nanosUntil(long deadline) {
		return 0;
	}

	/** Refuses new acquisitions, lets holders finish, then releases what is left. */
	public void shutdown(Duration grace) {
	}

	@Override
	public void close() {
	}

}
