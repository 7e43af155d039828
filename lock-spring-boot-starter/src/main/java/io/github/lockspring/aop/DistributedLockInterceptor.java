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

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

import io.github.lockspring.LockKeyConverter;
import io.github.lockspring.LockTemplate;

/**
 * Runs methods under their locks. The template is asked for when the first method is
 * called, because this object is there before most beans are.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final LockAttributesSource source;

	private final BeanFactory beanFactory;

	private final KeyTexts texts;

	private final LockedCalls blockingCalls;

	private final ConcurrentMap<Class<?>, ConcurrentMap<Method, LockedMethod>> methods = new ConcurrentHashMap<>();

	DistributedLockInterceptor(LockAttributesSource source, BeanFactory beanFactory, OpenTransactions transactions) {
		this.source = source;
		this.beanFactory = beanFactory;
		this.texts = new KeyTexts(this::converters);
		this.blockingCalls = new BlockingCalls(transactions, new LockOrder());
	}

	private List<LockKeyConverter> converters() {
		return this.beanFactory.getBeanProvider(LockKeyConverter.class).orderedStream().toList();
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockedMethod method = methodOf(invocation);
		return method.calls().run(method, invocation);
	}

	private LockedMethod methodOf(MethodInvocation invocation) {
		Method method = invocation.getMethod();
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? target.getClass() : method.getDeclaringClass();
		ConcurrentMap<Method, LockedMethod> known = this.methods.get(targetClass);
		LockedMethod locked = (known != null) ? known.get(method) : null;
		return (locked != null) ? locked : prepare(method, targetClass);
	}

	private LockedMethod prepare(Method method, Class<?> targetClass) {
		MethodAttributes attributes = this.source.attributesOf(method, targetClass);
		if (attributes == null) {
			throw new IllegalStateException(MethodNames.describe(method) + " has no @DistributedLock");
		}
		LockTemplate template = this.beanFactory.getBean(LockTemplate.class);
		List<MethodLock> locks = attributes.locks()
			.stream()
			.map((lock) -> new MethodLock(lock, template, this.texts))
			.toList();
		LockedMethod locked = new LockedMethod(attributes, locks, callsOf(attributes.returnType()));
		this.methods.computeIfAbsent(targetClass, (type) -> new ConcurrentHashMap<>()).put(method, locked);
		return locked;
	}

	private LockedCalls callsOf(ReturnType returnType) {
		return switch (returnType.kind()) {
			case BLOCKING -> this.blockingCalls;
			default -> throw new IllegalStateException();
		};
	}

}
