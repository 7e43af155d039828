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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockUtils;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.expression.InvalidLockExpressionException;
import io.github.lockspring.aop.expression.LockExpression;
import io.github.lockspring.aop.expression.LockExpressionParser;

/**
 * Reader of lock annotations, which resolves, parses and validates their attributes.
 */
final class LockAttributesReader {

	private static final int MAX_NAME_BYTES = 256;

	private final ConfigurableBeanFactory beanFactory;

	private final Supplier<LockDefaults> defaults;

	private final boolean proxies;

	private final LockExpressionParser expressions;

	/**
	 * Create a reader.
	 * @param beanFactory the bean factory for the lookup of properties and beans
	 * @param defaults supplies the configuration of annotations; called when the first
	 * annotation is read
	 * @param proxies whether calls are intercepted by proxies, which cannot intercept all
	 * methods
	 * @param keyResolver the resolver of keys
	 */
	LockAttributesReader(ConfigurableBeanFactory beanFactory, Supplier<LockDefaults> defaults, boolean proxies,
			LockKeyResolver keyResolver) {
		this.beanFactory = beanFactory;
		this.defaults = defaults;
		this.proxies = proxies;
		this.expressions = new LockExpressionParser(beanFactory, keyResolver::textOf);
	}

	/**
	 * Read the annotations of a method.
	 * @param declarations the annotations, at least one
	 * @param targetClass the class of the bean
	 * @return the attributes
	 * @throws InvalidLockDeclarationException if one of the annotations is invalid
	 */
	MethodAttributes read(List<LockDeclaration> declarations, Class<?> targetClass) {
		declarations.forEach(LockDeclaration::requireConsistent);
		AnnotatedMethod site = declarations.get(0).site();
		MethodCheck.requireWork(site);
		if (this.proxies) {
			MethodCheck.requireInterceptable(site, targetClass);
			MethodCheck.requireCaller(site, targetClass);
		}
		ReturnType returnType = ReturnType.of(site.method(), targetClass);
		MethodCheck.requireEnd(site, returnType);
		if (!this.proxies) {
			MethodCheck.requireNotSuspending(site, returnType);
		}
		List<LockAttributes> locks = declarations.stream()
			.map((declaration) -> read(declaration, returnType, targetClass))
			.toList();
		locks.forEach((lock) -> MethodCheck.requireNoWaitForItself(lock, locks));
		return new MethodAttributes(locks, returnType, MethodCheck.handleIndex(site));
	}

	private LockAttributes read(LockDeclaration declaration, ReturnType returnType, Class<?> targetClass) {
		MethodCheck.requireEmptyResult(declaration.site(), declaration.onFailure(), returnType);
		String name = nameOf(declaration);
		List<DynamicDuration> times = new ArrayList<>();
		LockOptions options = optionsOf(declaration, name, times);
		return new LockAttributes(declaration.site(), name, expressionOf(declaration, "key"),
				expressionOf(declaration, "condition"), options, List.copyOf(times),
				failurePolicyOf(declaration, returnType, targetClass), declaration.onLost(),
				backendOf(declaration, name));
	}

	private @Nullable String backendOf(LockDeclaration declaration, String name) {
		String configured = this.defaults.get().forName(name).backend();
		AnnotationText backend = resolve(declaration, "backend");
		return (configured != null || backend.isBlank()) ? configured : backend.text().strip();
	}

	private String nameOf(LockDeclaration declaration) {
		AnnotationText name = declaration.text("name");
		if (name.text().isEmpty()) {
			Method method = declaration.method();
			return requireName(new AnnotationText(declaration.site(), "name",
					method.getDeclaringClass().getName() + '.' + method.getName()));
		}
		return requireName(name.resolve(this.beanFactory));
	}

	private static String requireName(AnnotationText name) {
		if (name.isBlank()) {
			throw name.rejection("is blank", "Specify a name, or omit the attribute.", null);
		}
		if (name.text().indexOf(':') >= 0) {
			throw name.rejection("contains a colon, which separates names from keys", "Use a name without colons.",
					null);
		}
		if (name.text().startsWith("#") || name.text().contains("#{")) {
			throw name.rejection("looks like an expression, but names are not evaluated",
					"Use the attribute key for values that depend on the arguments, as in key = \"#id\".", null);
		}
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(name.text())) {
			throw name.rejection("is not well-formed Unicode", "Use another name.", null);
		}
		if (name.text().getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
			throw name.rejection("is longer than " + MAX_NAME_BYTES + " bytes in UTF-8", "Use a shorter name.", null);
		}
		return name.text();
	}

	private @Nullable LockExpression expressionOf(LockDeclaration declaration, String attribute) {
		AnnotationText text = declaration.text(attribute);
		if (text.text().isEmpty()) {
			return null;
		}
		if (text.isBlank()) {
			throw text.rejection("is blank", "Specify an expression, or omit the attribute.", null);
		}
		if (text.hasPlaceholder()) {
			throw text.rejection("contains a placeholder, which is not resolved in an expression",
					"Use @environment.getProperty('…') instead.", null);
		}
		return parse(text, declaration);
	}

	private LockExpression parse(AnnotationText text, LockDeclaration declaration) {
		try {
			return this.expressions.parse(text.text(), declaration.declared(), declaration.method());
		}
		catch (InvalidLockExpressionException ex) {
			throw text.rejection(String.valueOf(ex.getMessage()), "Correct the expression.", ex.getCause());
		}
	}

	private LockOptions optionsOf(LockDeclaration declaration, String name, List<DynamicDuration> times) {
		LockDefaults defaults = this.defaults.get();
		LockOptions options = defaults.options().withType(declaration.type());
		options = withTime(options, declaration, "waitTime", LockOptions::withWaitTime, times);
		options = withTime(options, declaration, "leaseTime", LockOptions::withLeaseTime, times);
		options = withTime(options, declaration, "lockAtLeastFor", LockOptions::withLockAtLeastFor, times);
		options = withTime(options, declaration, "retain", LockOptions::withRetain, times);
		AnnotationText autoRenew = resolve(declaration, "autoRenew");
		options = autoRenew.isBlank() ? options : options.withAutoRenew(autoRenew.asBoolean());
		LockDefaults.Overrides overrides = defaults.forName(name);
		options = overrides.applyTo(options);
		times.removeIf((time) -> overrides.hasTime(time.text().attribute()));
		if (declaration.isSemaphore()) {
			options = options.withPermits(resolve(declaration, "permits").asPositiveInt());
		}
		requireRenewable(declaration, options, defaults.renewInterval());
		requireRetainable(declaration, options);
		return options;
	}

	private static void requireRetainable(LockDeclaration declaration, LockOptions options) {
		AnnotationText retain = declaration.text("retain");
		if (!retain.isBlank() && !options.retain().isZero() && !LockUtils.acquireOptions(options).isRetained()) {
			throw retain.rejection("has no effect with " + options,
					"Remove the attribute, or use a lock that is neither fair nor a read lock, with automatic renewal and without a"
							+ " minimum time.",
					null);
		}
	}

	private static void requireRenewable(LockDeclaration declaration, LockOptions options,
			@Nullable Duration interval) {
		if (interval != null && options.autoRenew() && interval.compareTo(options.leaseTime()) >= 0) {
			throw declaration.text("leaseTime")
				.rejection("is not longer than the property lock.renew-interval, which is " + interval,
						"Increase the lease time, or reduce the interval.", null);
		}
	}

	private AnnotationText resolve(LockDeclaration declaration, String attribute) {
		return declaration.text(attribute).resolve(this.beanFactory);
	}

	private LockOptions withTime(LockOptions options, LockDeclaration declaration, String attribute,
			BiFunction<LockOptions, Duration, LockOptions> change, List<DynamicDuration> times) {
		AnnotationText text = resolve(declaration, attribute);
		if (text.isBlank()) {
			return options;
		}
		if (text.isExpression()) {
			times.add(new DynamicDuration(text, parse(text, declaration), change));
			return options;
		}
		try {
			return change.apply(options, text.asDuration());
		}
		catch (IllegalArgumentException ex) {
			throw text.rejection("is out of range: " + ex.getMessage(), "Use a duration in that range.", ex);
		}
	}

	private FailurePolicy failurePolicyOf(LockDeclaration declaration, ReturnType returnType, Class<?> targetClass) {
		AnnotationText fallback = declaration.text("fallback");
		AnnotationText handler = declaration.text("handler");
		requireTogether(fallback, declaration.onFailure(), OnFailure.FALLBACK);
		requireTogether(handler, declaration.onFailure(), OnFailure.HANDLE);
		return switch (declaration.onFailure()) {
			case THROW -> FailurePolicy.THROW;
			case SKIP -> FailurePolicy.Skip.of(returnType.resultType());
			case FALLBACK -> fallbackPolicyOf(fallback, targetClass);
			case HANDLE -> new FailurePolicy.Handle(handler, this.beanFactory);
		};
	}

	private FallbackPolicy fallbackPolicyOf(AnnotationText fallback, Class<?> targetClass) {
		FallbackPolicy policy = FallbackPolicy.of(fallback, targetClass);
		if (this.proxies) {
			MethodCheck.requireUnlocked(policy.fallback(), fallback);
		}
		return policy;
	}

	private static void requireTogether(AnnotationText text, OnFailure onFailure, OnFailure user) {
		if (text.isBlank() && onFailure == user) {
			throw text.site()
				.rejection("onFailure = " + onFailure + " requires the attribute " + text.attribute(),
						"Set the attribute " + text.attribute() + ", or use another onFailure.", null);
		}
		if (!text.isBlank() && onFailure != user) {
			throw text.rejection("is not supported with onFailure = " + onFailure,
					"Use this attribute only with onFailure = " + user + '.', null);
		}
	}

}
