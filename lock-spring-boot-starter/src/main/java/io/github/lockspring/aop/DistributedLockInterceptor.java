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
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockspring.LockKeyConverter;
import io.github.lockspring.LockTemplate;

/**
 * Runs methods under the locks that their annotations name, whoever intercepts the calls:
 * proxies or woven code.
 * <p>
 * It is there before most beans are, and needs none of them before the first annotation
 * is read, and the template not before the first method is called.
 */
public final class DistributedLockInterceptor implements MethodInterceptor, DisposableBean {

	private static final String TASK_EXECUTOR = "applicationTaskExecutor";

	private final DeclarationChecks checks;

	private final LockAttributesSource source;

	private final BeanFactory beanFactory;

	private final boolean proxies;

	private final LockKeyResolver texts;

	private final TransactionBinding transactions;

	private final LockedInvoker blockingCalls;

	private final LockedInvoker asyncCalls;

	private final StageExecutor stageExecutor;

	private final LockedInvoker stageCalls;

	private final ConcurrentMap<Class<?>, ConcurrentMap<Method, LockedMethod>> methods = new ConcurrentHashMap<>();

	private volatile @Nullable LockTemplate template;

	/**
	 * Creates an interceptor.
	 * @param beanFactory where properties, the template and converters are looked up
	 * @param defaults what is configured for annotations, asked for when the first one is
	 * read
	 * @param proxies whether calls are intercepted by proxies, which cannot intercept all
	 * methods
	 */
	public DistributedLockInterceptor(ConfigurableBeanFactory beanFactory, Supplier<LockDefaults> defaults,
			boolean proxies) {
		Supplier<LockDefaults> known = SingletonSupplier.of(defaults);
		this.checks = new DeclarationChecks(() -> known.get().checks());
		this.source = new LockAttributesSource(new LockAttributesReader(beanFactory, known, proxies), this.checks,
				new ClassProxies(proxies ? beanFactory : null));
		this.beanFactory = beanFactory;
		this.proxies = proxies;
		this.texts = new LockKeyResolver(this::converters);
		this.transactions = new TransactionBinding(() -> known.get().insideTransaction());
		this.blockingCalls = new BlockingInvoker(this.transactions, new LockOrder(),
				new PersistenceContexts(() -> known.get().jpa()));
		this.asyncCalls = new AsyncInvocations(this.blockingCalls);
		this.stageExecutor = new StageExecutor(this::taskExecutor, beanFactory.getBeanClassLoader());
		this.stageCalls = new CompletionStageInvoker(this.transactions, this.stageExecutor,
				SingletonSupplier.of(this::taskDecorator));
	}

	LockAttributesSource source() {
		return this.source;
	}

	DeclarationChecks checks() {
		return this.checks;
	}

	private List<LockKeyConverter> converters() {
		return this.beanFactory.getBeanProvider(LockKeyConverter.class).orderedStream().toList();
	}

	/**
	 * That of Spring Boot, which is for work of this kind. If an application has others
	 * instead, they are for something else.
	 */
	private @Nullable Executor taskExecutor() {
		return this.beanFactory.containsBean(TASK_EXECUTOR)
				&& this.beanFactory.isTypeMatch(TASK_EXECUTOR, Executor.class)
						? this.beanFactory.getBean(TASK_EXECUTOR, Executor.class) : null;
	}

	/**
	 * All of them, as Spring Boot does for its executors.
	 */
	private TaskDecorator taskDecorator() {
		return new CompositeTaskDecorator(
				this.beanFactory.getBeanProvider(TaskDecorator.class).orderedStream().toList());
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockedMethod method = methodOf(invocation);
		return method.calls().run(method, invocation);
	}

	private LockedMethod methodOf(MethodInvocation invocation) {
		Method method = invocation.getMethod();
		Class<?> targetClass = targetClassOf(invocation);
		ConcurrentMap<Method, LockedMethod> known = this.methods.get(targetClass);
		LockedMethod locked = (known != null) ? known.get(method) : null;
		return (locked != null) ? locked : prepare(invocation, targetClass);
	}

	/**
	 * Woven code runs the method itself, not one that overrides it.
	 */
	private Class<?> targetClassOf(MethodInvocation invocation) {
		Object target = this.proxies ? invocation.getThis() : null;
		return (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
	}

	private LockedMethod prepare(MethodInvocation invocation, Class<?> targetClass) {
		Method method = invocation.getMethod();
		MethodAttributes attributes = this.source.attributesOf(method, targetClass);
		if (attributes == null) {
			throw new IllegalStateException(MethodNames.describe(method) + " has no @DistributedLock");
		}
		LockTemplate template = template();
		List<LockOperation> locks = attributes.locks()
			.stream()
			.map((lock) -> new LockOperation(lock, templateOf(lock, template), this.texts))
			.toList();
		LockedMethod locked = new LockedMethod(attributes, locks,
				callsOf(attributes.returnType(), invocation, targetClass));
		this.methods.computeIfAbsent(targetClass, (type) -> new ConcurrentHashMap<>()).put(method, locked);
		return locked;
	}

	private LockTemplate template() {
		LockTemplate template = this.template;
		return (template != null) ? template : this.beanFactory.getBean(LockTemplate.class);
	}

	/**
	 * Keeps the template, because methods may be called for the first time after the
	 * context was closed, which then has no beans to give.
	 */
	void use(LockTemplate template) {
		this.template = template;
	}

	private static LockTemplate templateOf(LockAttributes lock, LockTemplate template) {
		String backend = lock.backend();
		return (backend != null) ? template.on(backend) : template;
	}

	private LockedInvoker callsOf(ReturnType returnType, MethodInvocation invocation, Class<?> targetClass) {
		return switch (returnType.kind()) {
			case BLOCKING, UNKNOWN -> this.blockingCalls;
			case STAGE -> AsyncInvocations.include(invocation, targetClass, this) ? this.asyncCalls : this.stageCalls;
			case REACTIVE, SUSPENDING -> new ReactiveInvoker(this.transactions);
		};
	}

	/**
	 * Ends the threads that run stage methods, if there are any.
	 */
	@Override
	public void destroy() {
		this.stageExecutor.shutdown();
	}

}
