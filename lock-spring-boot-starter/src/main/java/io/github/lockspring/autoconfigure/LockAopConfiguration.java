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
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.aop.InterceptionCheck;
import io.github.lockspring.aop.LeaseTimeCheck;
import io.github.lockspring.aop.ProxyCheck;
import io.github.lockspring.aop.StartupCheck;
import io.github.lockspring.aop.expression.LockExpressionRootObject;
import io.github.lockspring.autoconfigure.LockProperties.AopMode;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.LockConfigurationException;

/**
 * Configuration of the advice for annotated methods. The interceptor is created before
 * most other beans and must not depend on them.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockAopConfiguration.ModeSelector.class)
@ImportRuntimeHints(LockAopConfiguration.Hints.class)
class LockAopConfiguration {

	@Bean("io.github.lockspring.distributedLockInterceptor")
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockInterceptor distributedLockInterceptor(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<LockSettings> settings, Environment environment) {
		return new DistributedLockInterceptor(beanFactory, () -> settings.getObject().annotationDefaults(),
				() -> settings.getObject().templateIn(beanFactory), ModeSelector.modeIn(environment) == AopMode.PROXY);
	}

	@Bean("io.github.lockspring.lockStartupCheck")
	static StartupCheck lockStartupCheck(ConfigurableListableBeanFactory beanFactory,
			DistributedLockInterceptor interceptor, LockSettings settings, InterceptionCheck interception,
			Environment environment) {
		requireModeOfTheBuild(ModeSelector.modeIn(environment), interception);
		return new StartupCheck(beanFactory, interceptor, settings.annotationDefaults(), interception);
	}

	/**
	 * Reject a mode other than that of the build, in an application that was processed
	 * ahead of time: its annotations would be checked for a mode that does not lock them.
	 */
	private static void requireModeOfTheBuild(AopMode mode, InterceptionCheck interception) {
		if ((mode == AopMode.PROXY) != (interception instanceof ProxyCheck)) {
			throw new LockConfigurationException(
					"The property lock.aop.mode is " + mode.name().toLowerCase(Locale.ROOT)
							+ ", but the application was built ahead of time (AOT) with another mode.",
					"Set the property to the same mode for the build.");
		}
	}

	@Bean("io.github.lockspring.lockLeaseTimeCheck")
	static LeaseTimeCheck lockLeaseTimeCheck(ApplicationContext context, DistributedLockInterceptor interceptor,
			LockEngines engines, LockProperties properties) {
		return new LeaseTimeCheck(context, interceptor, (backend) -> engines.require(backend).inspection().probe(),
				properties.getOperationTimeout());
	}

	/**
	 * Selects the configuration for proxies or for weaving.
	 */
	static final class ModeSelector implements ImportSelector {

		private final Environment environment;

		ModeSelector(Environment environment) {
			this.environment = environment;
		}

		@Override
		public String[] selectImports(AnnotationMetadata metadata) {
			return new String[] { switch (modeIn(this.environment)) {
				case PROXY -> ProxiedLockConfiguration.class.getName();
				case ASPECTJ -> WovenLockConfiguration.class.getName();
			} };
		}

		/**
		 * Return the mode, bound in the same way as {@link LockProperties}.
		 */
		static AopMode modeIn(Environment environment) {
			BindResult<AopMode> mode = Binder.get(environment).bind("lock.aop.mode", AopMode.class);
			return mode.isBound() ? mode.get() : AopMode.PROXY;
		}

	}

	/**
	 * Hints for the properties of {@code #root} in expressions, and for the classes by
	 * which optional libraries are detected. Hints for the types of arguments are
	 * registered for each annotated method.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		private static final List<String> LIBRARIES = List.of("reactor.core.publisher.Flux",
				"kotlinx.coroutines.reactor.MonoKt",
				"org.springframework.transaction.support.TransactionSynchronizationManager",
				"org.springframework.transaction.reactive.TransactionSynchronizationManager",
				"org.springframework.orm.jpa.EntityManagerHolder", "jakarta.persistence.EntityManager");

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			ReflectionHints reflection = hints.reflection();
			reflection.registerType(LockExpressionRootObject.class, MemberCategory.INVOKE_PUBLIC_METHODS);
			LIBRARIES.forEach((type) -> reflection.registerTypeIfPresent(classLoader, type));
		}

	}

}
