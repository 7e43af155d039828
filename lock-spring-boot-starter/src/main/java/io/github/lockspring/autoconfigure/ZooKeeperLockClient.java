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

package io.github.lockspring.autoconfigure;

import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The client for locks in ZooKeeper. If it is our own it lives as long as this bean, on
 * which the backend depends; that of the application is left to the application. Our own
 * is no bean of type {@link CuratorFramework}, so that nobody gets it by mistake.
 *
 * @param framework the client
 * @param own whether it is our own
 */
record ZooKeeperLockClient(CuratorFramework framework, boolean own) implements AutoCloseable {

	private static final ClientBeanSelector<CuratorFramework> CLIENT = new ClientBeanSelector<>(CuratorFramework.class,
			"Curator client", "ZooKeeper", "lock.zookeeper.client", "lock.zookeeper.connect-string");

	static ZooKeeperLockClient choose(LockProperties.ZooKeeper properties, ListableBeanFactory beanFactory) {
		return (properties.getConnectString() != null) ? start(properties) : find(properties, beanFactory);
	}

	private static ZooKeeperLockClient start(LockProperties.ZooKeeper properties) {
		if (properties.getClient() != null) {
			throw new LockConfigurationException(
					"The properties lock.zookeeper.client, which selects a client of the application, and "
							+ "lock.zookeeper.connect-string, which configures a dedicated client, are mutually exclusive.",
					"Set only one of them.");
		}
		CuratorFramework framework = new ZooKeeperClientBuilder(properties).build();
		framework.start();
		return new ZooKeeperLockClient(framework, true);
	}

	private static ZooKeeperLockClient find(LockProperties.ZooKeeper properties, ListableBeanFactory beanFactory) {
		CuratorFramework framework = CLIENT.requireOne(beanFactory, properties.getClient());
		if (properties.getAuth() != null) {
			throw new LockConfigurationException(
					"The property lock.zookeeper.auth is set, but locks use the client of the application, which has its "
							+ "own authorization.",
					"Remove the property and give the client its authorization and an ACLProvider, or set "
							+ "lock.zookeeper.connect-string to use a dedicated client.");
		}
		return new ZooKeeperLockClient(framework, false);
	}

	@Override
	public void close() {
		if (this.own) {
			this.framework.close();
		}
	}

}
