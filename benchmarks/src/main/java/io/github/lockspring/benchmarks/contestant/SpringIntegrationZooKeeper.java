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

import java.util.concurrent.locks.Lock;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/**
 * Spring Integration's {@link ZookeeperLockRegistry} with its defaults. Its locks are
 * held as long as the session.
 */
public final class SpringIntegrationZooKeeper implements Contestant {

	private final CuratorFramework client;

	private final ZookeeperLockRegistry locks;

	/**
	 * Brings up the registry.
	 * @param client the client, which is closed in the end
	 */
	public SpringIntegrationZooKeeper(CuratorFramework client) {
		this.client = client;
		this.locks = new ZookeeperLockRegistry(client, "/spring-integration");
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		Lock lock = this.locks.obtain(key);
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		Lock lock = this.locks.obtain(key);
		return lock.tryLock() ? lock::unlock : null;
	}

	@Override
	public void close() {
		this.locks.destroy();
		this.client.close();
	}

}
