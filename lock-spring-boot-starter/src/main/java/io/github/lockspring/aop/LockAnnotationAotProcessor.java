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
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.OnFailure;

/**
 * Registers reflection hints for elements that annotations specify by name:
 * {@code fallback} methods, and the types of arguments whose properties and methods are
 * used in expressions. The annotations are read for the class of each bean, as at run
 * time, because they may be on a class, an interface or a superclass.
 */
final class LockAnnotationAotProcessor implements BeanRegistrationAotProcessor {

	private static final List<String> EXPRESSIONS = List.of("key", "condition", "waitTime", "leaseTime",
			"lockAtLeastFor", "retain");

	/**
	 * Pattern of access to a property or a method of a variable. Additional matches only
	 * cause additional hints.
	 */
	private static final Pattern NAVIGATION = Pattern.compile("#[^'\"]*\\.");

	private static final BindingReflectionHintsRegistrar PROPERTIES = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		List<LockDeclaration> declarations = LockAttributesSource.declarationsIn(bean.getBeanClass())
			.stream()
			.filter(LockDeclaration::isConsistent)
			.toList();
		return declarations.isEmpty() ? null : (generation, code) -> {
			ReflectionHints hints = generation.getRuntimeHints().reflection();
			fallbacksIn(declarations, bean.getBeanClass())
				.forEach((method) -> hints.registerMethod(method, ExecutableMode.INVOKE));
			argumentsIn(declarations).forEach((type) -> {
				hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
				PROPERTIES.registerReflectionHints(hints, type);
			});
		};
	}

	private static Set<Method> fallbacksIn(List<LockDeclaration> declarations, Class<?> beanClass) {
		return declarations.stream()
			.filter((declaration) -> declaration.onFailure() == OnFailure.FALLBACK)
			.flatMap((declaration) -> fallbackOf(declaration, beanClass))
			.collect(Collectors.toSet());
	}

	/**
	 * Return the fallback method of a declaration. An invalid declaration is reported
	 * when the application starts.
	 */
	private static Stream<Method> fallbackOf(LockDeclaration declaration, Class<?> beanClass) {
		try {
			return Stream.of(FallbackPolicy.of(declaration.text("fallback"), beanClass).fallback());
		}
		catch (InvalidLockDeclarationException ex) {
			return Stream.empty();
		}
	}

	private static Set<Class<?>> argumentsIn(List<LockDeclaration> declarations) {
		return declarations.stream()
			.filter(LockAnnotationAotProcessor::navigates)
			.flatMap((declaration) -> Stream.of(declaration.method().getParameterTypes()))
			.filter((type) -> !type.isPrimitive())
			.collect(Collectors.toSet());
	}

	private static boolean navigates(LockDeclaration declaration) {
		return EXPRESSIONS.stream()
			.anyMatch((attribute) -> NAVIGATION.matcher(declaration.text(attribute).text()).find());
	}

}
