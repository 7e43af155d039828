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

package io.github.lockspring.sample.lesson;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockSuspendedException;
import io.github.lockspring.sample.homemade.Pause;

/**
 * A contender with the lock of the starter.
 */
final class StarterContender implements Contender {

	private final LockOperations locks;

	private final String key;

	private final Pause beforeRelease;

	private @Nullable LockHandle handle;

	StarterContender(LockOperations locks, String key, Pause beforeRelease) {
		this.locks = locks;
		this.key = key;
		this.beforeRelease = beforeRelease;
	}

	@Override
	public boolean enter(Duration waitTime) {
		this.handle = this.locks.tryAcquire(this.key, this.locks.defaultOptions().withWaitTime(waitTime));
		return this.handle != null;
	}

	@Override
	public long token() {
		try {
			return handle().fencingToken();
		}
		catch (LockLostException | LockSuspendedException ex) {
			return LOST;
		}
	}

	@Override
	public void leave() throws Exception {
		this.beforeRelease.here();
		close();
	}

	@Override
	public void close() {
		LockHandle handle = this.handle;
		this.handle = null;
		if (handle != null) {
			try {
				handle.close();
			}
			catch (LockLostException ex) {
				// nothing to release
			}
		}
	}

	private LockHandle handle() {
		LockHandle handle = this.handle;
		if (handle == null) {
			throw new IllegalStateException("Not inside");
		}
		return handle;
	}

}
