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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.internal.LockAccess;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for distributed locks.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
		"org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration" })
@EnableConfigurationProperties(LockProperties.class)
@Import({ LockAopConfiguration.class, LockTransactionConfiguration.class, LockMetricsConfiguration.class,
		WithoutOwnLockBackend.class, RedisLockConfiguration.class, RedlockConfiguration.class,
		ZooKeeperLockConfiguration.class, JdbcLockConfiguration.class, LocalLockConfiguration.class })
@ImportRuntimeHints(LockRuntimeHints.class)
public final class LockAutoConfiguration {

	@Bean
	LockEnginesFactory lockEnginesFactory(LockProperties properties, ObjectProvider<LockBackend> backends,
			ApplicationEventPublisher eventPublisher, ObjectProvider<TimeSource> time) {
		return new LockEnginesFactory(properties, backends, eventPublisher,
				time.getIfAvailable(() -> TimeSource.SYSTEM));
	}

	@Bean
	@ConditionalOnMissingBean
	LockEngine lockEngine(LockEnginesFactory factory) {
		return factory.defaultEngine();
	}

	@Bean
	@ConditionalOnMissingBean
	LockEngines lockEngines(LockEngine engine, ObjectProvider<LockEngine> engines, LockEnginesFactory factory) {
		return factory.engines(engine, engines.stream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	LockTemplate lockTemplate(LockEngines engines, LockProperties properties) {
		LockSettings settings = LockSettings.of(properties);
		return LockAccess.get().template(engines, settings.keyPrefix(), settings.options());
	}

	@Bean
	@ConditionalOnMissingBean
	LockClient lockClient(LockTemplate template) {
		return new LockClient(template);
	}

	@Bean
	LockLifecycle lockLifecycle(LockEngines engines, LockProperties properties) {
		return new LockLifecycle(engines, properties.getShutdownTimeout(), properties.isFailFast(),
				properties.getLeaseTime());
	}

	@Bean
	UnknownLockProperties unknownLockProperties(Environment environment) {
		return new UnknownLockProperties(environment);
	}

}
