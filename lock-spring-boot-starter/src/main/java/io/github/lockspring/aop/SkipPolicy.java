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

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockShutdownException;

/**
 * Skips calls whose lock is held by another, or that come when the application is
 * shutting down.
 *
 * @param result what their callers get
 */
record SkipPolicy(@Nullable Object result) implements FailurePolicy {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/**
	 * Skips with an empty result of a type.
	 */
	static SkipPolicy of(Class<?> resultType) {
		return new SkipPolicy(EMPTY.get(resultType));
	}

	@Override
	public @Nullable Object resultOf(MethodInvocation invocation, LockException failure) {
		if (failure instanceof LockNotAcquiredException || failure instanceof LockShutdownException) {
			return this.result;
		}
		throw failure;
	}

}
