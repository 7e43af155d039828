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
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

import io.github.lockspring.OnFailure;

/**
 * Registers hints for the methods that are called by the names that annotations specify
 * as {@code fallback}. They are found as at run time, for the class of each bean, because
 * the annotation may be that of a class, an interface or a superclass.
 */
final class FallbackAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Set<Method> fallbacks = fallbacksIn(bean.getBeanClass());
		return fallbacks.isEmpty() ? null : (generation, code) -> fallbacks.forEach(
				(method) -> generation.getRuntimeHints().reflection().registerMethod(method, ExecutableMode.INVOKE));
	}

	private static Set<Method> fallbacksIn(Class<?> beanClass) {
		return LockAttributesSource.declarationsIn(beanClass)
			.stream()
			.filter((declaration) -> declaration.onFailure() == OnFailure.FALLBACK)
			.flatMap((declaration) -> fallbackOf(declaration, beanClass))
			.collect(Collectors.toSet());
	}

	/**
	 * A wrong declaration is explained when the application starts.
	 */
	private static Stream<Method> fallbackOf(LockDeclaration declaration, Class<?> beanClass) {
		try {
			return Stream.of(FallbackPolicy.of(declaration.text("fallback"), beanClass).fallback());
		}
		catch (InvalidLockDeclarationException ex) {
			return Stream.empty();
		}
	}

}
