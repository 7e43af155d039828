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

package io.github.lockspring.sample.homemade;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NodeExistsException;

/**
 * A node that ends with the session of its creator. But all that wait watch it: at each
 * release all of them are woken, and all but one in vain.
 */
public final class EphemeralNodeLock implements HomemadeLock {

	private final CuratorFramework client;

	private final String path;

	public EphemeralNodeLock(CuratorFramework client, String path) {
		this.client = client;
		this.path = path;
	}

	@Override
	public boolean tryLock() throws Exception {
		try {
			this.client.create().creatingParentsIfNeeded().withMode(CreateMode.EPHEMERAL).forPath(this.path);
			return true;
		}
		catch (NodeExistsException ex) {
			return false;
		}
	}

	@Override
	public boolean tryLock(Duration waitTime) throws Exception {
		long deadline = System.nanoTime() + waitTime.toNanos();
		while (!tryLock()) {
			CountDownLatch changed = new CountDownLatch(1);
			CuratorWatcher watcher = (event) -> changed.countDown();
			if (this.client.checkExists().usingWatcher(watcher).forPath(this.path) != null
					&& !changed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
				return false;
			}
		}
		return true;
	}

	@Override
	public void unlock() throws Exception {
		this.client.delete().forPath(this.path);
	}

}
