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
import java.util.function.BiFunction;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockOptions;

/**
 * Reads annotations: resolves, understands and checks what they say.
 */
final class LockAttributesReader {

	private static final int MAX_NAME_BYTES = 256;

	private final ConfigurableBeanFactory beanFactory;

	private final Supplier<LockDefaults> defaults;

	private final LockKeyParser keys;

	LockAttributesReader(ConfigurableBeanFactory beanFactory, Supplier<LockDefaults> defaults) {
		this.beanFactory = beanFactory;
		this.defaults = defaults;
		this.keys = new LockKeyParser(beanFactory);
	}

	/**
	 * Reads one annotation.
	 * @param method the method that does the work, not the one of its interface
	 * @param annotation the annotation that was found for it
	 * @return what it says
	 * @throws InvalidLockDeclarationException if it cannot be done
	 */
	LockAttributes read(Method method, DistributedLock annotation) {
		MethodCheck.requireLockable(method, annotation.onFailure());
		return new LockAttributes(nameOf(method, annotation), keyOf(method, annotation), optionsOf(method, annotation),
				annotation.onFailure(), MethodCheck.handleIndex(method));
	}

	private String nameOf(Method method, DistributedLock annotation) {
		if (annotation.name().isEmpty()) {
			String name = method.getDeclaringClass().getName() + '.' + method.getName();
			return requireName(new AnnotationText(method, "name", name));
		}
		return requireName(new AnnotationText(method, "name", annotation.name()).resolve(this.beanFactory));
	}

	private static String requireName(AnnotationText name) {
		if (name.isBlank()) {
			throw name.refuse("is blank", "Give the lock a name, or leave the attribute out.", null);
		}
		if (name.text().indexOf(':') >= 0) {
			throw name.refuse("has a colon, which separates names from keys", "Write the name without colons.", null);
		}
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(name.text())) {
			throw name.refuse("is not well-formed Unicode", "Write another name.", null);
		}
		if (name.text().getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
			throw name.refuse("is longer than " + MAX_NAME_BYTES + " bytes in UTF-8", "Give the lock a shorter name.",
					null);
		}
		return name.text();
	}

	private @Nullable LockKey keyOf(Method method, DistributedLock annotation) {
		AnnotationText key = new AnnotationText(method, "key", annotation.key());
		if (key.text().isEmpty()) {
			return null;
		}
		if (key.isBlank()) {
			throw key.refuse("is blank", "Write an expression, or leave the attribute out.", null);
		}
		return this.keys.parse(key.text(), method);
	}

	private LockOptions optionsOf(Method method, DistributedLock annotation) {
		AnnotationText waitTime = resolve(method, "waitTime", annotation.waitTime());
		AnnotationText leaseTime = resolve(method, "leaseTime", annotation.leaseTime());
		AnnotationText autoRenew = resolve(method, "autoRenew", annotation.autoRenew());
		LockDefaults defaults = this.defaults.get();
		LockOptions options = defaults.options();
		options = withDuration(options, waitTime, LockOptions::withWaitTime);
		options = withDuration(options, leaseTime, LockOptions::withLeaseTime);
		options = autoRenew.isBlank() ? options : options.withAutoRenew(autoRenew.asBoolean());
		Duration renewInterval = defaults.renewInterval();
		if (renewInterval != null && options.autoRenew() && renewInterval.compareTo(options.leaseTime()) >= 0) {
			throw leaseTime.refuse("is not longer than the property lock.renew-interval, which is " + renewInterval,
					"Lengthen the lease, or shorten the interval.", null);
		}
		return options;
	}

	private AnnotationText resolve(Method method, String attribute, String text) {
		return new AnnotationText(method, attribute, text).resolve(this.beanFactory);
	}

	private static LockOptions withDuration(LockOptions options, AnnotationText text,
			BiFunction<LockOptions, Duration, LockOptions> change) {
		if (text.isBlank()) {
			return options;
		}
		try {
			return change.apply(options, text.asDuration());
		}
		catch (IllegalArgumentException ex) {
			throw text.refuse("is out of range: " + ex.getMessage(), "Write a duration in that range.", ex);
		}
	}

}
