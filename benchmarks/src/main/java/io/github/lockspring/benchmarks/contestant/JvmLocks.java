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

package io.github.lockspring.benchmarks.contestant;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The locks of the JDK, which exclude the threads of this process only.
 */
public final class JvmLocks implements Contestant {

	private final Map<String, JvmLock> locks = new ConcurrentHashMap<>();

	private final boolean fair;

	public JvmLocks(boolean fair) {
		this.fair = fair;
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		JvmLock lock = lock(key);
		lock.lock.lockInterruptibly();
		return lock;
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		JvmLock lock = lock(key);
		return lock.lock.tryLock() ? lock : null;
	}

	private JvmLock lock(String key) {
		JvmLock lock = this.locks.get(key);
		return (lock != null) ? lock
				: this.locks.computeIfAbsent(key, (absent) -> new JvmLock(new ReentrantLock(this.fair)));
	}

	@Override
	public void close() {
	}

	private record JvmLock(ReentrantLock lock) implements Hold {

		@Override
		public void release() {
			this.lock.unlock();
		}

	}

}
