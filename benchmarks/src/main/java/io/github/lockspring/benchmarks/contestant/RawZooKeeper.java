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

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The least that a lock in ZooKeeper can cost: to create an ephemeral sequential node and
 * to delete it, on one session of ZooKeeper's own client. No thread is excluded, as the
 * other nodes are not read.
 */
public final class RawZooKeeper implements Contestant {

	private final ZooKeeper client;

	public RawZooKeeper(String connectString) {
		this.client = PlainZooKeeper.connect(connectString);
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		String path = create("/raw-" + key + '-');
		return () -> PlainZooKeeper.delete(this.client, path);
	}

	private String create(String path) throws InterruptedException {
		try {
			return this.client.create(path, PlainZooKeeper.NO_DATA, ZooDefs.Ids.OPEN_ACL_UNSAFE,
					CreateMode.EPHEMERAL_SEQUENTIAL);
		}
		catch (KeeperException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public @Nullable Hold tryAcquire(String key) throws InterruptedException {
		return acquire(key);
	}

	@Override
	public void close() {
		PlainZooKeeper.close(this.client);
	}

}
