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

import io.github.lockspring.spi.LeaseRequest;

/**
 * Leases as an administrator sees them.
 */
final class Leases {

	static final ZooKeeperLockSettings SETTINGS = new ZooKeeperLockSettings(ZooKeeperLockSettings.DEFAULT_NAMESPACE,
			Duration.ofSeconds(3));

	private Leases() {
	}

	/**
	 * Deletes the nodes of a lease behind the back of its holder.
	 */
	static void delete(CuratorFramework admin, LeaseRequest lease) {
		LockTree tree = new LockTree(admin, SETTINGS.namespace());
		try {
			for (String key : lease.keys()) {
				String parent = tree.of(key);
				for (String name : admin.getChildren().forPath(parent)) {
					if (QueueNode.parse(name).owner().equals(lease.owner().toString())) {
						admin.delete().forPath(parent + '/' + name);
					}
				}
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
