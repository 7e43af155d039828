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
import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.InvalidLockDeclarationException;

/**
 * Method with a lock annotation, as named in messages.
 *
 * @param annotation the simple name of the annotation
 * @param method the method
 */
public record AnnotatedMethod(String annotation, Method method) {

	public InvalidLockDeclarationException rejection(String problem, String remedy, @Nullable Throwable cause) {
		return new InvalidLockDeclarationException(this + ": " + problem, remedy, cause);
	}

	@Override
	public String toString() {
		return '@' + this.annotation + " on " + describe(this.method);
	}

	public static String describe(Method method) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
		return method.getDeclaringClass().getName() + '.' + method.getName() + parameters;
	}

}
