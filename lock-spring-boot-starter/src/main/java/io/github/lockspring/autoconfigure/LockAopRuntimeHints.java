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

package io.github.lockspring.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.github.lockspring.aop.expression.LockExpressionRootObject;

/**
 * Tells a native image of what expressions may ask for with {@code #root}, and of the
 * classes by which the libraries are known to be there that make calls special. The types
 * of the arguments are the application's to register, as they are for other expressions.
 */
final class LockAopRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		ReflectionHints reflection = hints.reflection();
		reflection.registerType(LockExpressionRootObject.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		reflection.registerTypeIfPresent(classLoader, "reactor.core.publisher.Flux");
		reflection.registerTypeIfPresent(classLoader,
				"org.springframework.transaction.support.TransactionSynchronizationManager");
	}

}
