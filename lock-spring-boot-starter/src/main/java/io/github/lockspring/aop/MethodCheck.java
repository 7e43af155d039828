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
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

import io.github.lockspring.LockHandle;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.expression.LockExpression;
import io.github.lockspring.support.KeyFormat;

/**
 * Checks of annotated methods, which reject methods that cannot be locked for the
 * duration of their work.
 */
final class MethodCheck {

	private static final List<String> CALLBACKS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	private static final List<Class<?>> CALLBACK_TYPES = List.of(InitializingBean.class, DisposableBean.class);

	private static final List<String> HANDLERS = List.of("org.springframework.web.bind.annotation.RequestMapping",
			"org.springframework.web.bind.annotation.ExceptionHandler",
			"org.springframework.messaging.handler.annotation.MessageMapping");

	private static final String BEAN = "org.springframework.context.annotation.Bean";

	private MethodCheck() {
	}

	/**
	 * Reject methods that a proxy cannot intercept. A subclass in another package does
	 * not override a package-private method.
	 */
	static void requireInterceptable(AnnotatedMethod site, Class<?> targetClass) {
		String obstacle = obstacleIn(site.method(), targetClass);
		if (obstacle != null) {
			throw site.rejection("the method is " + obstacle + ", so that its calls cannot be intercepted",
					"Make the method overridable: neither private, nor static, nor final, nor package-private in a"
							+ " superclass of another package.",
					null);
		}
	}

	/**
	 * Reject lifecycle callbacks, which the container calls on the bean itself and not
	 * through a proxy. An annotation of the class is accepted, because it is not meant
	 * for them.
	 */
	static void requireCaller(AnnotatedMethod site, Class<?> targetClass) {
		String callback = callbackOf(site.method(), targetClass);
		if (callback != null && isLocked(MergedAnnotations.from(site.method()))) {
			throw site.rejection(
					"the method is called by the container, as " + callback + " specifies, and not through the proxy",
					"Acquire the lock in a method of another bean, or with a LockTemplate inside the method.", null);
		}
	}

	private static @Nullable String callbackOf(Method method, Class<?> targetClass) {
		MergedAnnotations annotations = MergedAnnotations.from(method);
		return Stream
			.concat(CALLBACKS.stream()
				.filter(annotations::isPresent)
				.map((type) -> '@' + ClassUtils.getShortName(type)),
					CALLBACK_TYPES.stream()
						.filter((type) -> type.isAssignableFrom(targetClass)
								&& ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes()))
						.map(Class::getSimpleName))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Reject a fallback method with an annotation of its own, because it is called on the
	 * object itself.
	 */
	static void requireUnlocked(Method fallback, AnnotationText text) {
		if (isLocked(MergedAnnotations.from(fallback, SearchStrategy.TYPE_HIERARCHY))) {
			throw text.rejection(
					"is a method with a lock annotation, which has no effect, because a fallback is not called through"
							+ " the proxy",
					"Remove the annotation of the fallback, or call a method of another bean in it.", null);
		}
	}

	private static boolean isLocked(MergedAnnotations annotations) {
		return LockAnnotationScan.ANNOTATIONS.stream().anyMatch(annotations::isPresent);
	}

	private static @Nullable String obstacleIn(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers)) {
			return "private";
		}
		if (Modifier.isStatic(modifiers)) {
			return "static";
		}
		if (Modifier.isFinal(modifiers)) {
			return "final";
		}
		return isVisible(method, targetClass) ? null
				: "package-private, in another package than " + targetClass.getName();
	}

	/**
	 * Return whether a subclass in the package of the bean's class inherits a method.
	 */
	static boolean isVisible(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers) || !Modifier.isPrivate(modifiers)
				&& method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName());
	}

	/**
	 * Return whether a proxy can be a subclass of the type, or need not be one.
	 */
	static boolean canBeExtended(Class<?> type) {
		return !(Modifier.isFinal(type.getModifiers()) || type.isSealed()) || Proxy.isProxyClass(type)
				|| ClassUtils.isLambdaClass(type);
	}

	/**
	 * Reject methods that create beans. Calls of the bean are not calls of the method.
	 */
	static void requireWork(AnnotatedMethod site) {
		if (MergedAnnotations.from(site.method(), SearchStrategy.TYPE_HIERARCHY).isPresent(BEAN)) {
			throw site.rejection(
					"the method creates a bean, so that the lock would be held while the bean is created, and not"
							+ " when it is called",
					"Annotate methods of the bean, or acquire the lock with a LockTemplate inside them.", null);
		}
	}

	/**
	 * Reject methods whose return type does not signal the end of their work.
	 */
	static void requireEnd(AnnotatedMethod site, ReturnType returnType) {
		if (returnType.kind() == ReturnType.Kind.UNKNOWN) {
			Method method = site.method();
			String type = (returnType.type() == method.getReturnType()) ? method.getGenericReturnType().getTypeName()
					: returnType.type().getName();
			throw site.rejection(
					"the method returns " + type + ", so that the lock would be released before the work is done",
					"Return a CompletableFuture or a reactive type for which Reactor is on the class path, not within"
							+ " another type, or do the work before the method returns.",
					null);
		}
	}

	/**
	 * Reject suspending functions in woven code, which would be locked each time they are
	 * resumed.
	 */
	static void requireNotSuspending(AnnotatedMethod site, ReturnType returnType) {
		if (returnType.kind() == ReturnType.Kind.SUSPENDING) {
			throw site.rejection(
					"the method is a suspending function, which is supported with proxies, but not with" + " weaving",
					"Set the property lock.aop.mode to proxy, or acquire the lock in a method that does not suspend.",
					null);
		}
	}

	/**
	 * Reject {@link OnFailure#SKIP} for methods whose return type has no empty value.
	 */
	static void requireEmptyResult(AnnotatedMethod site, OnFailure onFailure, ReturnType returnType) {
		if (onFailure == OnFailure.SKIP && returnType.required()) {
			throw site.rejection(
					"onFailure = SKIP requires an empty result for skipped calls, but the method returns "
							+ returnType.type().getTypeName() + ", which has none",
					"Use a return type that can be empty, such as an object or an Optional, or use onFailure = THROW.",
					null);
		}
	}

	/**
	 * Reject methods of which every call would wait for itself, because it needs one key
	 * as a lock and as a semaphore, or more permits than there are.
	 */
	static void requireNoWaitForItself(LockAttributes lock, List<LockAttributes> locks) {
		List<LockAttributes> same = locks.stream().filter((other) -> isSameKey(lock, other)).toList();
		boolean mixed = same.stream().anyMatch((other) -> other.isSemaphore() != lock.isSemaphore());
		if (mixed || (lock.isSemaphore() && same.size() > lock.options().permits())) {
			throw lock.site()
				.rejection(
						"each call would wait for itself: it acquires the name " + KeyFormat.quote(lock.name())
								+ (mixed ? " as a lock and as a semaphore" : " more often than there are permits"),
						"Specify another name for one of the annotations.", null);
		}
	}

	private static boolean isSameKey(LockAttributes one, LockAttributes other) {
		return one.condition() == null && other.condition() == null && one.name().equals(other.name())
				&& Objects.equals(one.backend(), other.backend())
				&& Objects.equals(textOf(one.key()), textOf(other.key()));
	}

	private static @Nullable String textOf(@Nullable LockExpression key) {
		return (key != null) ? key.expression() : null;
	}

	private static boolean isHandler(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return HANDLERS.stream().anyMatch(annotations::isPresent);
	}

	/**
	 * Return the index of the parameter for the handle.
	 * @param site the annotated method
	 * @return the index of the parameter, or -1 if there is none
	 */
	static int handleIndex(AnnotatedMethod site) {
		Method method = site.method();
		List<Class<?>> types = Arrays.asList(method.getParameterTypes());
		int handles = Collections.frequency(types, LockHandle.class);
		if (handles > 1) {
			throw site.rejection("the method has " + handles + " parameters of type LockHandle",
					"Keep one of them; LockContext provides the handles of all locks.", null);
		}
		if (handles > 0 && isHandler(method)) {
			throw site.rejection("the method is called by Spring with arguments from a request, which do not include a"
					+ " LockHandle", "Remove the parameter and use LockContext.current().", null);
		}
		return types.indexOf(LockHandle.class);
	}

}
