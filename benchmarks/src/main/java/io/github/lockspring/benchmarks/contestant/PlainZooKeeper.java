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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * ZooKeeper's own client, and what all who use it need.
 */
public final class PlainZooKeeper {

	/**
	 * Session timeout of all contestants, the default of this library. A session that is
	 * idle says so three times in it.
	 */
	public static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

	static final byte[] NO_DATA = {};

	private PlainZooKeeper() {
	}

	public static ZooKeeper connect(String connectString) {
		try {
			return new ZooKeeper(connectString, (int) SESSION_TIMEOUT.toMillis(), (event) -> {
			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Creates a node that stays, unless it is there.
	 * @param client the client
	 * @param path the path of the node
	 */
	public static void ensure(ZooKeeper client, String path) throws InterruptedException {
		try {
			client.create(path, NO_DATA, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
		}
		catch (KeeperException.NodeExistsException ex) {
			// created by another process
		}
		catch (KeeperException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static void delete(ZooKeeper client, String path) {
		try {
			client.delete(path, -1);
		}
		catch (KeeperException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	public static void close(ZooKeeper client) {
		try {
			client.close();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
