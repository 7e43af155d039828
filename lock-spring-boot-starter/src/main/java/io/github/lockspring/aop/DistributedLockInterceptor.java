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
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockKeyConverter;
import io.github.lockspring.LockTemplate;

/**
 * Interceptor that runs methods under the locks specified by their annotations, for calls
 * intercepted by proxies as well as by woven code.
 * <p>
 * It is created before most other beans: configuration is not accessed before the first
 * annotation is read, nor the template before the first method is called.
 */
public final class DistributedLockInterceptor implements MethodInterceptor, DisposableBean {

	private static final String TASK_EXECUTOR = "applicationTaskExecutor";

	private final DeclarationChecks checks;

	private final Supplier<LockTemplate> templates;

	private volatile @Nullable LockTemplate template;

	private final LockAttributesSource source;

	private final BeanFactory beanFactory;

	private final boolean proxies;

	private final LockKeyResolver keyResolver;

	private final TransactionBinding transactions;

	private final LockedInvoker blockingInvoker;

	private final LockedInvoker asyncInvoker;

	private final StageExecutor stageExecutor;

	private final LockedInvoker stageInvoker;

	private final ConcurrentMap<Class<?>, ConcurrentMap<Method, LockedMethod>> methods = new ConcurrentHashMap<>();

	/**
	 * Whether a bean is proxied more than once.
	 */
	private volatile boolean nested;

	/**
	 * Create an interceptor.
	 * @param beanFactory the bean factory for the lookup of properties and converters
	 * @param defaults supplies the configuration of annotations; called when the first
	 * annotation is read
	 * @param templates supplies the template that acquires the locks, or an equal one;
	 * called when the first method is called, or before
	 * @param proxies whether calls are intercepted by proxies, which cannot intercept all
	 * methods
	 */
	public DistributedLockInterceptor(ConfigurableBeanFactory beanFactory, Supplier<LockDefaults> defaults,
			Supplier<LockTemplate> templates, boolean proxies) {
		Supplier<LockDefaults> known = SingletonSupplier.of(defaults);
		this.checks = new DeclarationChecks(() -> known.get().failOnInvalid());
		this.templates = templates;
		this.keyResolver = new LockKeyResolver(
				() -> beanFactory.getBeanProvider(LockKeyConverter.class).orderedStream().toList());
		this.source = new LockAttributesSource(new LockAttributesReader(beanFactory, known, proxies, this.keyResolver),
				this.checks, new ClassProxies(proxies ? beanFactory : null));
		this.beanFactory = beanFactory;
		this.proxies = proxies;
		this.transactions = new TransactionBinding(() -> known.get().rejectInsideTransaction());
		this.blockingInvoker = new BlockingInvoker(this.transactions, new LockOrder(),
				new PersistenceContexts(() -> known.get().jpa()));
		this.asyncInvoker = new AsyncInvocations(this.blockingInvoker);
		this.stageExecutor = new StageExecutor(this::taskExecutor, beanFactory.getBeanClassLoader());
		this.stageInvoker = new CompletionStageInvoker(this.transactions, this.stageExecutor,
				SingletonSupplier.of(this::taskDecorator));
	}

	public LockAttributesSource source() {
		return this.source;
	}

	public DeclarationChecks checks() {
		return this.checks;
	}

	/**
	 * Read the annotations of a class.
	 * @param type the class
	 * @return its annotated methods, empty if it has none
	 * @throws InvalidLockDeclarationException if one of the annotations is invalid
	 */
	public Collection<AnnotatedMethod> annotatedMethodsOf(Class<?> type) {
		return this.source.hasLocks(type) ? this.source.sitesIn(type) : List.of();
	}

	/**
	 * Reject the annotation of a method, or log a warning, as configured.
	 * @param method the method
	 * @param problem the rest of a sentence that begins with the annotation and the
	 * method
	 * @param remedy a sentence that describes how to correct it
	 * @throws InvalidLockDeclarationException if invalid annotations fail the startup
	 */
	public void reject(AnnotatedMethod method, String problem, String remedy) {
		this.checks.run(() -> {
			throw method.rejection(problem, remedy, null);
		});
	}

	/**
	 * Return the task executor auto-configured by Spring Boot. Other executors of an
	 * application are for other purposes.
	 */
	private @Nullable Executor taskExecutor() {
		return (this.beanFactory.containsBean(TASK_EXECUTOR)
				&& this.beanFactory.isTypeMatch(TASK_EXECUTOR, Executor.class))
						? this.beanFactory.getBean(TASK_EXECUTOR, Executor.class) : null;
	}

	/**
	 * Return a composite of all task decorators, like Spring Boot does for its executors.
	 */
	private TaskDecorator taskDecorator() {
		return new CompositeTaskDecorator(
				this.beanFactory.getBeanProvider(TaskDecorator.class).orderedStream().toList());
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (this.nested && NestedProxiesInvoker.isGuarded(invocation)) {
			return NestedProxiesInvoker.proceed(invocation);
		}
		LockedMethod method = methodOf(invocation);
		return method.invoker().run(method, invocation);
	}

	private LockedMethod methodOf(MethodInvocation invocation) {
		Method method = invocation.getMethod();
		// woven code runs the method itself
		Object target = this.proxies ? invocation.getThis() : null;
		Class<?> targetClass = (target != null) ? target.getClass() : method.getDeclaringClass();
		ConcurrentMap<Method, LockedMethod> known = this.methods.get(targetClass);
		LockedMethod locked = (known != null) ? known.get(method) : null;
		return (locked != null) ? locked : prepare(invocation, targetClass);
	}

	private LockedMethod prepare(MethodInvocation invocation, Class<?> targetClass) {
		Method method = invocation.getMethod();
		MethodAttributes attributes = this.source.attributesOf(method, targetClass);
		if (attributes == null) {
			throw new IllegalStateException(AnnotatedMethod.describe(method) + " has no @DistributedLock");
		}
		LockTemplate template = template();
		List<LockOperation> locks = attributes.locks()
			.stream()
			.map((lock) -> new LockOperation(lock, templateOf(lock, template), this.keyResolver))
			.toList();
		LockedMethod locked = new LockedMethod(attributes, locks,
				invokerOf(attributes.returnType(), invocation, targetClass));
		this.methods.computeIfAbsent(targetClass, (type) -> new ConcurrentHashMap<>()).put(method, locked);
		return locked;
	}

	/**
	 * Return the template that acquires the locks. To be called once before the context
	 * is closed, when beans can no longer be looked up, but methods may still be called
	 * for the first time. A thread that finds none holds no lock while it looks for one,
	 * because another one may be creating beans that it needs.
	 */
	public LockTemplate template() {
		LockTemplate known = this.template;
		if (known == null) {
			known = this.templates.get();
			this.template = known;
		}
		return known;
	}

	private static LockTemplate templateOf(LockAttributes lock, LockTemplate template) {
		String backend = lock.backend();
		return (backend != null) ? template.on(backend) : template;
	}

	private LockedInvoker invokerOf(ReturnType returnType, MethodInvocation invocation, Class<?> targetClass) {
		LockedInvoker invoker = switch (returnType.kind()) {
			case BLOCKING, UNKNOWN -> this.blockingInvoker;
			case STAGE ->
				AsyncInvocations.include(invocation, targetClass, this) ? this.asyncInvoker : this.stageInvoker;
			case REACTIVE, SUSPENDING -> new ReactiveInvoker(this.transactions);
		};
		if (!(invocation.getThis() instanceof Advised)) {
			return invoker;
		}
		this.nested = true;
		return new NestedProxiesInvoker(invoker, this);
	}

	/**
	 * Shut down the threads that run methods returning a stage, if any.
	 */
	@Override
	public void destroy() {
		this.stageExecutor.shutdown();
	}

}
