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

package io.github.lockspring.aop.annotation;

import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * What a method returns, and how the end of its work is known from that.
 *
 * @param kind when the work has ended
 * @param type the type that is returned
 * @param resultType the type of what the method, or the stage that it returns, completes
 * with
 * @param adapter converts reactive types, or {@code null}
 * @param required whether callers rely on a result
 */
public record ReturnType(Kind kind, Class<?> type, Class<?> resultType, @Nullable ReactiveAdapter adapter,
		boolean required) {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ReturnType.class.getClassLoader());

	private static final boolean COROUTINES = ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt",
			ReturnType.class.getClassLoader());

	private static final String PUBLISHER = "org.reactivestreams.Publisher";

	private static final String JDK_PUBLISHER = "java.util.concurrent.Flow$Publisher";

	private static final Set<String> MVC_RESULTS = Set.of(
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final String FLOW = "kotlinx.coroutines.flow.Flow";

	/**
	 * Finds out what a method returns.
	 * @param method the method that does the work
	 * @param targetClass the class of the bean, which resolves type variables
	 * @return the type
	 */
	static ReturnType of(Method method, Class<?> targetClass) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			return ofSuspending(method);
		}
		ResolvableType resolved = ResolvableType.forMethodReturnType(method, targetClass);
		Class<?> type = resolved.resolve(method.getReturnType());
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return new ReturnType(Kind.STAGE, type,
					resolved.as(CompletionStage.class).getGeneric(0).resolve(Object.class), null, false);
		}
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| BaseStream.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)
				|| isForLater(resolved, type)) {
			return unknown(type);
		}
		ReactiveAdapter adapter = canBeReactive(type) ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type)
				: null;
		if (adapter != null || hasName(type, PUBLISHER, JDK_PUBLISHER, FLOW)) {
			return ofReactive(type, adapter);
		}
		return new ReturnType(Kind.BLOCKING, type, type, null, type.isPrimitive() && type != void.class);
	}

	/**
	 * Spare applications whose locked methods return nothing or a simple value the time
	 * that the registry takes to look for the libraries: it is most of what their
	 * annotations cost at startup.
	 */
	private static boolean canBeReactive(Class<?> type) {
		return !type.isPrimitive() && !type.isArray() && !type.isEnum() && !type.isRecord()
				&& (!type.getName().startsWith("java.") || Flow.Publisher.class.isAssignableFrom(type));
	}

	/**
	 * Return whether the work is done later: by the caller of a function, or by Spring
	 * MVC, which waits for some results and asks others to write the response.
	 */
	private static boolean isForLater(ResolvableType resolved, Class<?> type) {
		if (type == Callable.class || type == Supplier.class || type == Runnable.class) {
			return true;
		}
		if (type.getName().equals("org.springframework.http.ResponseEntity")) {
			Class<?> body = resolved.getGeneric(0).resolve(Object.class);
			return isForLater(resolved.getGeneric(0), body) || hasName(body, PUBLISHER)
					|| CompletionStage.class.isAssignableFrom(body);
		}
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (MVC_RESULTS.contains(each.getName())) {
				return true;
			}
		}
		return false;
	}

	private static ReturnType unknown(Class<?> type) {
		return new ReturnType(Kind.UNKNOWN, type, type, null, false);
	}

	/**
	 * For a subclass, the adapter would return another type than the method.
	 */
	private static ReturnType ofReactive(Class<?> type, @Nullable ReactiveAdapter adapter) {
		return (REACTOR && adapter != null && adapter.getReactiveType() == type)
				? new ReturnType(Kind.REACTIVE, type, Object.class, adapter, !adapter.supportsEmpty()) : unknown(type);
	}

	private static ReturnType ofSuspending(Method method) {
		Class<?> type = new MethodParameter(method, -1).getParameterType();
		if (!REACTOR || !COROUTINES) {
			return unknown(type);
		}
		boolean required = type != void.class && type != Optional.class && !type.getName().equals(FLOW)
				&& Nullness.forMethodReturnType(method) == Nullness.NON_NULL;
		return new ReturnType(Kind.SUSPENDING, type, type, null, required);
	}

	/**
	 * Finds types that have no adapter if there is no Reactor, or are not there at all.
	 */
	private static boolean hasName(Class<?> type, String... names) {
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch((each) -> List.of(names).contains(each.getName()));
	}

	/**
	 * Whether a blocking method may turn out to have returned work that is not done.
	 */
	public boolean mayBeDeferred() {
		return this.kind == Kind.BLOCKING && this.type.isAssignableFrom(CompletableFuture.class);
	}

	/**
	 * Whether the stream may have more than one element.
	 */
	public boolean isSeveral() {
		return (this.adapter != null) ? this.adapter.isMultiValue() : this.type.getName().equals(FLOW);
	}

	/**
	 * When the work of a method has ended.
	 */
	public enum Kind {

		/**
		 * When the method has returned.
		 */
		BLOCKING,

		/**
		 * When the stage that it returned has completed.
		 */
		STAGE,

		/**
		 * When the stream that it returned has completed, failed or was cancelled.
		 */
		REACTIVE,

		/**
		 * When the suspending function has completed, or the flow that it returned.
		 */
		SUSPENDING,

		/**
		 * Not known.
		 */
		UNKNOWN

	}

}
