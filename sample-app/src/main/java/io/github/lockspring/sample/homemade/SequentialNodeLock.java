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
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.CreateMode;

/**
 * A queue of nodes, of which each watches the one before it. But if the reply to a
 * creation is lost, the client creates another node, and waits behind the first one for
 * as long as its own session lasts.
 */
public final class SequentialNodeLock implements HomemadeLock {

	private final CuratorFramework client;

	private final String parent;

	private String node = "";

	public SequentialNodeLock(CuratorFramework client, String parent) {
		this.client = client;
		this.parent = parent;
	}

	@Override
	public boolean tryLock() throws Exception {
		return tryLock(Duration.ZERO);
	}

	@Override
	public boolean tryLock(Duration waitTime) throws Exception {
		long deadline = System.nanoTime() + waitTime.toNanos();
		String path = this.client.create()
			.creatingParentsIfNeeded()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.forPath(this.parent + "/lock-");
		this.node = path.substring(this.parent.length() + 1);
		for (String before = predecessor(); !before.isEmpty(); before = predecessor()) {
			CountDownLatch gone = new CountDownLatch(1);
			CuratorWatcher watcher = (event) -> gone.countDown();
			if (this.client.checkExists().usingWatcher(watcher).forPath(this.parent + '/' + before) != null
					&& !gone.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
				unlock();
				return false;
			}
		}
		return true;
	}

	private String predecessor() throws Exception {
		List<String> queue = this.client.getChildren().forPath(this.parent).stream().sorted().toList();
		int place = queue.indexOf(this.node);
		return (place > 0) ? queue.get(place - 1) : "";
	}

	@Override
	public void unlock() throws Exception {
		this.client.delete().forPath(this.parent + '/' + this.node);
	}

}
