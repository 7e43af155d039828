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
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;

import io.github.lockspring.zookeeper.ZooKeeperLockBackend;

/**
 * Locks in ZooKeeper, with a client of our own if there is a connect string, or else with
 * that of the application.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(CuratorFramework.class)
@ConditionalOnLockBackend(value = LockBackendType.ZOOKEEPER, client = CuratorFramework.class,
		property = "lock.zookeeper.connect-string")
@ImportRuntimeHints(ZooKeeperLockRuntimeHints.class)
class ZooKeeperLockConfiguration {

	@Bean
	ZooKeeperLockClient zooKeeperLockClient(LockProperties lockProperties, ListableBeanFactory beanFactory) {
		LockSettings.of(lockProperties);
		return ZooKeeperLockClient.choose(lockProperties.getZookeeper(), beanFactory);
	}

	@Bean(destroyMethod = "")
	ZooKeeperLockBackend zooKeeperLockBackend(ZooKeeperLockClient client, LockProperties lockProperties) {
		return new ZooKeeperLockBackend(client.framework(), LockSettings.of(lockProperties).zooKeeperSettings());
	}

}
