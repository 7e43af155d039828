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

package io.github.lockspring.aop;

import java.util.function.Supplier;

import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.Ordered;

import io.github.lockspring.DistributedLock;

/**
 * Puts methods with {@link DistributedLock @DistributedLock} under their locks.
 * <p>
 * By default its order is just above the lowest precedence, which is that of transactions
 * and caches: the lock is acquired before a transaction begins, and released after it has
 * ended. Asynchronous execution and retries of the same method are outside the lock, so
 * that each attempt acquires it anew.
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor {

	/**
	 * The order if no other is set.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	/**
	 * Creates an advisor. It needs no other bean before the first annotation is read, and
	 * the template not before the first method is called.
	 * @param beanFactory where properties, the template and converters are looked up
	 * @param defaults what holds for annotations that say nothing else
	 */
	public DistributedLockAdvisor(ConfigurableBeanFactory beanFactory, Supplier<LockDefaults> defaults) {
		this(beanFactory, defaults, () -> InsideTransaction.AFTER_COMPLETION);
	}

	/**
	 * Creates an advisor.
	 * @param beanFactory where properties, the template and converters are looked up
	 * @param defaults what holds for annotations that say nothing else
	 * @param insideTransaction what happens to methods that are called inside an open
	 * transaction
	 */
	public DistributedLockAdvisor(ConfigurableBeanFactory beanFactory, Supplier<LockDefaults> defaults,
			Supplier<InsideTransaction> insideTransaction) {
		LockAttributesSource source = new LockAttributesSource(new LockAttributesReader(beanFactory, defaults, true),
				new DeclarationChecks(true));
		this.pointcut = new DistributedLockPointcut(source);
		this.advice = new DistributedLockInterceptor(source, beanFactory, new OpenTransactions(insideTransaction));
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

}
