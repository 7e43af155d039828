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
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Return type of a method, which determines how the end of its work is detected.
 *
 * @param kind the way in which the work ends
 * @param type the declared type
 * @param resultType the type of the result of the method or of the returned stage
 * @param adapter the adapter of a reactive type, or {@code null}
 * @param required whether callers rely on a result
 */
record ReturnType(Kind kind, Class<?> type, Class<?> resultType, @Nullable ReactiveAdapter adapter, boolean required) {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ReturnType.class.getClassLoader());

	private static final boolean COROUTINES = ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt",
			ReturnType.class.getClassLoader());

	private static final List<String> FOR_LATER = List.of("kotlin.Function", "kotlin.sequences.Sequence",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

	private static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private static final List<String> REACTIVE = List.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", FLOW);

	/**
	 * Determine the return type of a method.
	 * @param method the implementing method
	 * @param targetClass the class of the bean, used to resolve type variables
	 * @return the return type
	 */
	static ReturnType of(Method method, Class<?> targetClass) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			return ofSuspending(method);
		}
		ResolvableType resolved = ResolvableType.forMethodReturnType(method, targetClass);
		ReturnType type = of(resolved, resolved.resolve(method.getReturnType()));
		return hasWorkWithin(resolved, new HashSet<>()) ? unknown(type.type()) : type;
	}

	private static ReturnType of(ResolvableType resolved, Class<?> type) {
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return new ReturnType(Kind.STAGE, type,
					resolved.as(CompletionStage.class).getGeneric(0).resolve(Object.class), null, false);
		}
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| BaseStream.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)) {
			return unknown(type);
		}
		ReactiveAdapter adapter = canBeReactive(type) ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type)
				: null;
		if (adapter != null || hasName(type, REACTIVE)) {
			return ofReactive(type, adapter);
		}
		return isForLater(type) ? unknown(type)
				: new ReturnType(Kind.BLOCKING, type, type, null, type.isPrimitive() && type != void.class);
	}

	/**
	 * Return whether the result contains work that is not done when the outer type
	 * signals its end, as in a list of futures. Each type argument is considered like the
	 * type of a result. A class object is not an instance of its type argument.
	 */
	private static boolean hasWorkWithin(ResolvableType resolved, Set<Type> seen) {
		if (resolved.resolve() == Class.class) {
			return false;
		}
		Stream<ResolvableType> parts = resolved.isArray() ? Stream.of(resolved.getComponentType())
				: Arrays.stream(resolved.getGenerics());
		return parts.filter((part) -> seen.add(part.getType()))
			.anyMatch((part) -> of(part, part.toClass()).kind() != Kind.BLOCKING || hasWorkWithin(part, seen));
	}

	/**
	 * Return whether a type may be reactive. Excludes {@code void} and simple types
	 * without a lookup in the registry, whose initialization would be most of the startup
	 * time of annotations.
	 */
	private static boolean canBeReactive(Class<?> type) {
		return !type.isPrimitive() && !type.isArray() && !type.isEnum() && !type.isRecord()
				&& (!type.getName().startsWith("java.") || Flow.Publisher.class.isAssignableFrom(type));
	}

	/**
	 * Return whether the work is done after the method has returned: by the caller of a
	 * returned function, or by Spring MVC, which waits for some results and lets others
	 * write the response.
	 */
	private static boolean isForLater(Class<?> type) {
		return isFunction(type) || hasName(type, FOR_LATER);
	}

	/**
	 * Return whether instances are functions. Collections that can be implemented by a
	 * function are not meant.
	 */
	private static boolean isFunction(Class<?> type) {
		return type.isInterface() && type.isAnnotationPresent(FunctionalInterface.class)
				&& !Iterable.class.isAssignableFrom(type);
	}

	private static ReturnType unknown(Class<?> type) {
		return new ReturnType(Kind.UNKNOWN, type, type, null, false);
	}

	/**
	 * Return a reactive type. A subclass of one is not supported, because the adapter
	 * would return a different type than the method.
	 */
	private static ReturnType ofReactive(Class<?> type, @Nullable ReactiveAdapter adapter) {
		return (REACTOR && adapter != null && adapter.getReactiveType() == type)
				? new ReturnType(Kind.REACTIVE, type, Object.class, adapter, !adapter.supportsEmpty()) : unknown(type);
	}

	private static ReturnType ofSuspending(Method method) {
		Class<?> type = new MethodParameter(method, -1).getParameterType();
		ResolvableType resolved = ResolvableType.forMethodParameter(method, method.getParameterCount() - 1)
			.getGeneric(0);
		if (!REACTOR || !COROUTINES || hasWorkWithin(resolved, new HashSet<>())
				|| !(type.getName().equals(FLOW) || of(resolved, type).kind() == Kind.BLOCKING)) {
			return unknown(type);
		}
		boolean required = type != void.class && type != Optional.class && !type.getName().equals(FLOW)
				&& Nullness.forMethodReturnType(method) == Nullness.NON_NULL;
		return new ReturnType(Kind.SUSPENDING, type, type, null, required);
	}

	/**
	 * Return whether a type is or extends one of the named types, which may be missing or
	 * may have no adapter without Reactor.
	 */
	private static boolean hasName(@Nullable Class<?> type, List<String> names) {
		return type != null && (names.contains(type.getName()) || hasName(type.getSuperclass(), names)
				|| Arrays.stream(type.getInterfaces()).anyMatch((each) -> hasName(each, names)));
	}

	/**
	 * Return whether a blocking method may return a result whose work is not done.
	 */
	public boolean mayBeDeferred() {
		return this.kind == Kind.BLOCKING && this.type.isAssignableFrom(CompletableFuture.class);
	}

	/**
	 * Return whether the stream may have more than one element.
	 */
	public boolean isSeveral() {
		return (this.adapter != null) ? this.adapter.isMultiValue() : this.type.getName().equals(FLOW);
	}

	/**
	 * Ways in which the work of a method ends.
	 */
	public enum Kind {

		/**
		 * Work that ends when the method returns.
		 */
		BLOCKING,

		/**
		 * Work that ends when the returned stage completes.
		 */
		STAGE,

		/**
		 * Work that ends when the returned stream completes, fails or is cancelled.
		 */
		REACTIVE,

		/**
		 * Work that ends when the suspending function, or the flow that it returns,
		 * completes.
		 */
		SUSPENDING,

		/**
		 * Work whose end is unknown.
		 */
		UNKNOWN

	}

}
