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
package io.github.lockspring.benchmarks.application;

import java.util.Set;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.contestant.CuratorLocks;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.benchmarks.contestant.SpringIntegrationZooKeeper;

/**
 * An application that uses ZooKeeper by Curator.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@Import(LockStarterConfiguration.class)
class ZooKeeperApplication {

	static final String CONNECT_PROPERTY = "application.connect-string";

	private static final String CURATOR_MUTEX = "curator-mutex";

	private static final String SPRING_INTEGRATION = "spring-integration";

	static final Set<String> CONTESTANTS = Set.of(LockStarter.NAME, CURATOR_MUTEX, SPRING_INTEGRATION);

	@Bean(initMethod = "start")
	CuratorFramework curator(@Value("${" + CONNECT_PROPERTY + "}") String connectString) {
		return CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.ensembleTracker(false)
			.retryPolicy(new RetryOneTime(100))
			.build();
	}

	@Bean
	StoreUse storeUse(CuratorFramework curator) {
		return new StoreUse(() -> readRoot(curator));
	}

	private static void readRoot(CuratorFramework curator) {
		try {
			curator.getChildren().forPath("/");
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Bean(destroyMethod = "")
	@Profile(StoreApplication.PLAIN)
	Contestant withoutLocks(StoreUse use) {
		return use.withoutLocks();
	}

	@Bean(destroyMethod = "")
	@Profile(CURATOR_MUTEX)
	Contestant curatorMutex(CuratorFramework curator) {
		return CuratorLocks.mutex(curator);
	}

	@Bean(destroyMethod = "")
	@Profile(SPRING_INTEGRATION)
	Contestant springIntegration(CuratorFramework curator) {
		return new SpringIntegrationZooKeeper(curator);
	}

}
