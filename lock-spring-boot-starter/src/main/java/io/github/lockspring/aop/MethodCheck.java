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
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;

import io.github.lockspring.DistributedLock.OnFailure;
import io.github.lockspring.LockHandle;

/**
 * Finds methods that cannot be locked, or not for as long as their work takes.
 */
final class MethodCheck {

	private MethodCheck() {
	}

	static void requireLockable(Method method, OnFailure onFailure) {
		requireInterceptable(method);
		requireWorkEndsWith(method);
		Class<?> returnType = method.getReturnType();
		if (onFailure == OnFailure.SKIP && returnType.isPrimitive() && returnType != void.class) {
			throw new InvalidLockDeclarationException(method,
					"onFailure = SKIP needs a result for calls that are skipped, but the method returns " + returnType,
					"Return an object or an Optional, or use onFailure = THROW.", null);
		}
	}

	private static void requireInterceptable(Method method) {
		String obstacle = obstacleIn(method.getModifiers());
		if (obstacle != null) {
			throw new InvalidLockDeclarationException(method,
					"the method is " + obstacle + ", so that calls of it cannot be intercepted",
					"Make the method overridable: neither private, nor static, nor final.", null);
		}
	}

	private static @Nullable String obstacleIn(int modifiers) {
		if (Modifier.isPrivate(modifiers)) {
			return "private";
		}
		if (Modifier.isStatic(modifiers)) {
			return "static";
		}
		return Modifier.isFinal(modifiers) ? "final" : null;
	}

	private static void requireWorkEndsWith(Method method) {
		if (isDeferred(method)) {
			throw new InvalidLockDeclarationException(method,
					"the method returns " + method.getReturnType().getName()
							+ ", so that the lock would be given back before the work is done",
					"Annotate a method that does the work before it returns, or use LockTemplate where the work is done.",
					null);
		}
	}

	private static boolean isDeferred(Method method) {
		Class<?> type = method.getReturnType();
		return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| BaseStream.class.isAssignableFrom(type) || KotlinDetector.isSuspendingFunction(method)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	/**
	 * Finds the parameter that gets the handle.
	 * @param method the method
	 * @return the index of the parameter, or -1 if there is none
	 */
	static int handleIndex(Method method) {
		Class<?>[] types = method.getParameterTypes();
		long handles = Arrays.stream(types).filter((type) -> type == LockHandle.class).count();
		if (handles > 1) {
			throw new InvalidLockDeclarationException(method,
					"the method has " + handles + " parameters of type LockHandle",
					"Keep one of them: a call holds one lock.", null);
		}
		return Arrays.asList(types).indexOf(LockHandle.class);
	}

}
