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
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.TimeSource;
import io.github.lockspring.spi.LockBackend;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for distributed locks.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration" })
@EnableConfigurationProperties(LockProperties.class)
@Import({ LockAopConfiguration.class, LockMetricsConfiguration.class })
public final class LockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockEngine lockEngine(LockProperties properties, ObjectProvider<LockBackend> backends,
			ApplicationEventPublisher eventPublisher) {
		LockSettings settings = LockSettings.of(properties);
		LockBackend backend = new LockBackendChoice(properties.getBackend()).requireOne(backends);
		return new LockEngine(backend, settings.engineSettings(), new LockEventPublisher(eventPublisher),
				TimeSource.SYSTEM);
	}

	@Bean
	@ConditionalOnMissingBean
	LockTemplate lockTemplate(LockEngine engine, LockProperties properties) {
		LockSettings settings = LockSettings.of(properties);
		return new LockTemplate(engine, settings.keyPrefix(), settings.options());
	}

	@Bean
	@ConditionalOnMissingBean
	LockClient lockClient(LockEngine engine, LockTemplate template) {
		return new LockClient(engine, template);
	}

	@Bean
	LockLifecycle lockLifecycle(LockEngine engine, LockProperties properties) {
		return new LockLifecycle(engine, properties.getShutdownTimeout(), properties.isFailFast());
	}

	@Bean
	UnknownLockProperties unknownLockProperties(Environment environment) {
		return new UnknownLockProperties(environment);
	}

	/**
	 * The backends that are shipped. A backend that the application defines itself counts
	 * as its choice.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LockBackend.class)
	@Import({ RedisLockConfiguration.class, RedlockConfiguration.class, JdbcLockConfiguration.class,
			LocalLockConfiguration.class })
	static class BackendConfiguration {

	}

}
