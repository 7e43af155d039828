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

package io.github.lockspring.zookeeper;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Clients, and what an administrator does with one.
 */
final class Clients {

	static final ZooKeeperLockSettings SETTINGS = new ZooKeeperLockSettings(ZooKeeperLockSettings.DEFAULT_NAMESPACE,
			Duration.ofSeconds(3));

	private Clients() {
	}

	/**
	 * Creates a client with a session of ten seconds, which is not started.
	 */
	static CuratorFramework create(String connectString) {
		return create(connectString, Duration.ofSeconds(10));
	}

	/**
	 * Creates a client that asks for nothing by itself, and is not started: requests and
	 * watches of which no one knows when they come could not be notified from ours.
	 */
	static CuratorFramework create(String connectString, Duration sessionTimeout) {
		return CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.ensembleTracker(false)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(2_000)
			.retryPolicy(new RetryOneTime(1))
			.build();
	}

	/**
	 * Creates a client all of whose nodes are below another, which is not started.
	 */
	static CuratorFramework inNamespace(String connectString, String namespace) {
		return CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.namespace(namespace)
			.sessionTimeoutMs(10_000)
			.retryPolicy(new RetryOneTime(1))
			.build();
	}

	/**
	 * Deletes the nodes of a lease behind the back of its holder.
	 */
	static void deleteNodes(CuratorFramework admin, LeaseRequest lease) {
		deleteNodes(admin, SETTINGS, lease);
	}

	static void deleteNodes(CuratorFramework admin, ZooKeeperLockSettings settings, LeaseRequest lease) {
		LockPaths paths = new LockPaths(admin, settings.namespace());
		for (String key : lease.keys()) {
			String parent = paths.of(key);
			try {
				for (String name : admin.getChildren().forPath(parent)) {
					if (QueueNode.parse(name).owner().equals(lease.owner().toString())) {
						admin.delete().forPath(parent + '/' + name);
					}
				}
			}
			catch (KeeperException.NoNodeException ex) {
				// deleted already
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

}
