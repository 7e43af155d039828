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
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;

import io.github.lockspring.spi.LockConfigurationException;
import io.github.lockspring.zookeeper.ZooKeeperLockBackend;

/**
 * Configuration of locks in ZooKeeper, with a dedicated client if a connect string is
 * set, or with the client of the application.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(CuratorFramework.class)
@ConditionalOnLockBackend(value = LockBackendType.ZOOKEEPER, client = CuratorFramework.class,
		property = "lock.zookeeper.connect-string")
@ImportRuntimeHints(ZooKeeperLockConfiguration.Hints.class)
class ZooKeeperLockConfiguration {

	@Bean("io.github.lockspring.zooKeeperLockClient")
	ZooKeeperLockClient zooKeeperLockClient(LockSettings settings, ListableBeanFactory beanFactory) {
		return ZooKeeperLockClient.choose(settings.properties().getZookeeper(), beanFactory);
	}

	@Bean(name = "io.github.lockspring.zooKeeperLockBackend", destroyMethod = "")
	ZooKeeperLockBackend zooKeeperLockBackend(ZooKeeperLockClient client, LockSettings settings) {
		return new ZooKeeperLockBackend(client.framework(), settings.zooKeeperSettings());
	}

	/**
	 * Client for locks in ZooKeeper. A dedicated client is closed with this bean, on
	 * which the backend depends; the client of the application is not closed. A dedicated
	 * client is not a bean of type {@link CuratorFramework}, so that it is not injected
	 * into other beans.
	 *
	 * @param framework the client
	 * @param dedicated whether it is a dedicated client
	 */
	record ZooKeeperLockClient(CuratorFramework framework, boolean dedicated) implements AutoCloseable {

		private static final ClientBeanSelector<CuratorFramework> CLIENT = new ClientBeanSelector<>(
				CuratorFramework.class, "Curator client", "ZooKeeper", "lock.zookeeper.client",
				"lock.zookeeper.connect-string");

		static ZooKeeperLockClient choose(ZooKeeperLockProperties properties, ListableBeanFactory beanFactory) {
			return (properties.getConnectString() != null) ? start(properties) : find(properties, beanFactory);
		}

		private static ZooKeeperLockClient start(ZooKeeperLockProperties properties) {
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

		private static ZooKeeperLockClient find(ZooKeeperLockProperties properties, ListableBeanFactory beanFactory) {
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
			if (this.dedicated) {
				this.framework.close();
			}
		}

	}

	/**
	 * Hints for the classes that ZooKeeper and Curator look up by name: the connections,
	 * one of which is selected by a system property, and the classes by which versions of
	 * ZooKeeper are distinguished.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			ReflectionHints reflection = hints.reflection();
			reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.ClientCnxnSocketNIO",
					MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
			reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.ClientCnxnSocketNetty",
					MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
			reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.AddWatchMode");
			reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.server.quorum.MultipleAddresses",
					MemberCategory.INVOKE_PUBLIC_METHODS);
			reflection.registerTypeIfPresent(classLoader, "org.apache.zookeeper.server.quorum.QuorumPeer$QuorumServer",
					(type) -> type.withField("addr"));
		}

	}

}
