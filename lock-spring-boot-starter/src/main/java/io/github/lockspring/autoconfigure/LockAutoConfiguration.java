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

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.aop.LockTransactionListener;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for distributed locks. A context
 * whose parent has locks uses those of its parent.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
		"org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration" })
@EnableConfigurationProperties(LockProperties.class)
@Import({ LockAopConfiguration.class, LockMetricsConfiguration.class,
		OnLockBackendCondition.WithoutOwnLockBackend.class, RedisLockConfiguration.class, RedlockConfiguration.class,
		ZooKeeperLockConfiguration.class, JdbcLockConfiguration.class, LocalLockConfiguration.class })
@ImportRuntimeHints(LockAutoConfiguration.Hints.class)
public final class LockAutoConfiguration {

	@Bean("io.github.lockspring.lockSettings")
	static LockSettings lockSettings(LockProperties properties, Environment environment) {
		new UnknownLockProperties(environment).check();
		return LockSettings.of(properties, environment.getProperty("spring.application.name"));
	}

	@Bean("io.github.lockspring.lockEngines")
	@ConditionalOnMissingBean
	LockEngines lockEngines(LockProperties properties, LockSettings settings, ObjectProvider<LockBackend> backends,
			ApplicationEventPublisher eventPublisher, ObjectProvider<TimeSource> time,
			ObjectProvider<LockBackendReplacement> replacement) {
		LockBackendReplacement replaced = replacement.getIfAvailable();
		return new LockEnginesFactory(properties, settings,
				(replaced != null) ? new ReplacedLockBackends(replaced, backends, properties) : backends,
				eventPublisher, time.getIfAvailable(() -> TimeSource.SYSTEM))
			.engines();
	}

	@Bean(name = "io.github.lockspring.lockEngine", destroyMethod = "")
	LockEngine lockEngine(LockEngines engines) {
		return engines.defaultEngine();
	}

	@Bean(LockSettings.TEMPLATE)
	@ConditionalOnMissingBean
	LockTemplate lockTemplate(LockEngines engines, LockSettings settings) {
		return settings.createTemplate(engines);
	}

	@Bean("io.github.lockspring.lockClient")
	@ConditionalOnMissingBean
	LockClient lockClient(ConfigurableListableBeanFactory beanFactory, LockSettings settings) {
		return new LockClient(settings.templateIn(beanFactory));
	}

	@Bean("io.github.lockspring.lockLifecycle")
	@ConditionalOnMissingBean
	LockLifecycle lockLifecycle(LockEngines engines, LockSettings settings) {
		return new LockLifecycle(engines, settings);
	}

	@Bean("io.github.lockspring.lockEventPublisher")
	@ConditionalOnMissingBean
	LockEventPublisher lockEventPublisher(ApplicationContext context, LockEngines engines) {
		return new LockEventPublisher(context, engines);
	}

	/**
	 * Registers the listener that checks the locks of a transaction before it commits:
	 * Spring Boot adds it to the transaction managers that it configures, however late
	 * they are created, and the registrar to all others.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ConfigurableTransactionManager.class)
	static class LockTransactionConfiguration {

		@Bean("io.github.lockspring.lockTransactionListener")
		@ConditionalOnMissingBean
		static LockTransactionListener lockTransactionListener() {
			return new LockTransactionListener();
		}

		@Bean("io.github.lockspring.lockTransactionListenerRegistrar")
		static SmartInitializingSingleton lockTransactionListenerRegistrar(ListableBeanFactory beanFactory,
				LockTransactionListener listener) {
			return () -> BeanFactoryUtils
				.beansOfTypeIncludingAncestors(beanFactory, ConfigurableTransactionManager.class, false, false)
				.values()
				.stream()
				.filter((manager) -> manager.getTransactionExecutionListeners()
					.stream()
					.noneMatch(LockTransactionListener.class::isInstance))
				.forEach((manager) -> manager.addListener(listener));
		}

	}

	/**
	 * Hints for the fields that are changed by variable handles, for virtual threads,
	 * which the oldest supported JDK does not have, and for the conversion of a property.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		private static final TypeReference[] WITH_HANDLES = {
				TypeReference.of("io.github.lockspring.DefaultLockHandle"),
				TypeReference.of("io.github.lockspring.engine.QueueNode"),
				TypeReference.of("io.github.lockspring.engine.Lease"),
				TypeReference.of("io.github.lockspring.engine.LocalQueue"),
				TypeReference.of("io.github.lockspring.engine.ObservedHoldListener") };

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			for (TypeReference type : WITH_HANDLES) {
				hints.reflection().registerType(type, MemberCategory.ACCESS_DECLARED_FIELDS);
			}
			for (String builder : List.of("java.lang.Thread$Builder", "java.lang.Thread$Builder$OfVirtual")) {
				hints.reflection().registerTypeIfPresent(classLoader, builder, MemberCategory.INVOKE_PUBLIC_METHODS);
			}
			hints.reflection()
				.registerType(DurationLimit.class,
						(type) -> type.withMethod("valueOf", List.of(TypeReference.of(String.class)),
								ExecutableMode.INVOKE))
				.registerType(Thread.class, (type) -> type.withMethod("ofVirtual", List.of(), ExecutableMode.INVOKE));
		}

	}

}
