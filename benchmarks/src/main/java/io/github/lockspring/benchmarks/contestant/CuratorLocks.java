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
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.jspecify.annotations.Nullable;

/**
 * The locks of Curator, one object for each key, as a lock is reentrant only by the same
 * object. They are held as long as the session.
 */
public final class CuratorLocks implements Contestant {

	private final Map<String, InterProcessLock> locks = new ConcurrentHashMap<>();

	private final CuratorFramework client;

	private final Function<String, InterProcessLock> recipe;

	private CuratorLocks(CuratorFramework client, Function<String, InterProcessLock> recipe) {
		this.client = client;
		this.recipe = recipe;
	}

	/**
	 * With {@link InterProcessMutex}.
	 * @param client the client, which is closed in the end
	 * @return the contestant
	 */
	public static CuratorLocks mutex(CuratorFramework client) {
		return new CuratorLocks(client, (key) -> new InterProcessMutex(client, "/curator-mutex/" + key));
	}

	/**
	 * With {@link InterProcessSemaphoreMutex}, which is not reentrant.
	 * @param client the client, which is closed in the end
	 * @return the contestant
	 */
	public static CuratorLocks semaphoreMutex(CuratorFramework client) {
		return new CuratorLocks(client, (key) -> new InterProcessSemaphoreMutex(client, "/curator-semaphore/" + key));
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		InterProcessLock lock = lock(key);
		try {
			lock.acquire();
		}
		catch (Exception ex) {
			throw translate(ex);
		}
		return () -> release(lock);
	}

	@Override
	public @Nullable Hold tryAcquire(String key) throws InterruptedException {
		InterProcessLock lock = lock(key);
		try {
			return lock.acquire(0, TimeUnit.MILLISECONDS) ? () -> release(lock) : null;
		}
		catch (Exception ex) {
			throw translate(ex);
		}
	}

	private InterProcessLock lock(String key) {
		return this.locks.computeIfAbsent(key, this.recipe);
	}

	private static IllegalStateException translate(Exception failure) throws InterruptedException {
		if (failure instanceof InterruptedException interruption) {
			throw interruption;
		}
		return new IllegalStateException(failure);
	}

	private static void release(InterProcessLock lock) {
		try {
			lock.release();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.client.close();
	}

}
