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

package io.github.lockspring.benchmarks.jmh;

import java.util.Optional;

import com.baomidou.lock.executor.AbstractLockExecutor;
import com.baomidou.lock.executor.LockExecutor;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.spi.LockBackend;

/**
 * Applications with one service each. Proxies are made as Spring Boot makes them; the
 * peers are set up by themselves, and only what would talk to a store is replaced.
 */
final class Applications {

	private Applications() {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	@Import(Services.Plain.class)
	static class WithPlainProxy {

		@Bean
		static Advisor emptyAdvisor() {
			NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(new EmptyInterceptor());
			advisor.setMappedName("pay*");
			return advisor;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	@Import(Services.Ours.class)
	static class WithOurs {

		@Bean
		LockBackend lockBackend() {
			return new NoOpBackend();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	@Import(Services.ForTransactions.class)
	static class WithTransactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new NoOpTransactionManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	@Import(Services.ForCache.class)
	static class WithCache {

		@Bean
		CacheManager cacheManager() {
			return new NoOpCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	@Import({ com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration.class, Services.ForLock4j.class })
	static class WithLock4j {

		@Bean
		LockExecutor<Boolean> lockExecutor() {
			return new NoOpExecutor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	@EnableSchedulerLock(defaultLockAtMostFor = "30s")
	@Import(Services.ForShedLock.class)
	static class WithShedLock {

		private static final Optional<SimpleLock> GRANTED = Optional.of(() -> {
		});

		@Bean
		LockProvider lockProvider() {
			return (configuration) -> GRANTED;
		}

	}

	private static final class EmptyInterceptor implements MethodInterceptor {

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			return invocation.proceed();
		}

	}

	private static final class NoOpTransactionManager extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

	private static final class NoOpExecutor extends AbstractLockExecutor<Boolean> {

		@Override
		public Boolean acquire(String key, String value, long expire, long acquireTimeout) {
			return Boolean.TRUE;
		}

		@Override
		public boolean releaseLock(String key, String value, Boolean lock) {
			return true;
		}

	}

}
