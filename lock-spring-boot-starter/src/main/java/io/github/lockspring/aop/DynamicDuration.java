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

import java.time.Duration;
import java.util.function.BiFunction;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.aop.expression.LockExpression;
import io.github.lockspring.support.KeyFormat;

/**
 * Duration that is evaluated for each call.
 *
 * @param text the value of the attribute
 * @param expression the expression of the duration
 * @param change the function that sets the duration in lock options
 */
record DynamicDuration(AnnotationText text, LockExpression expression,
		BiFunction<LockOptions, Duration, LockOptions> change) {

	/**
	 * Evaluate the duration for a call and set it in lock options.
	 * @param options the options
	 * @param invocation the call
	 * @return the changed options
	 * @throws IllegalArgumentException if the duration cannot be evaluated or is out of
	 * range
	 */
	public LockOptions applyTo(LockOptions options, MethodInvocation invocation) {
		try {
			return this.change.apply(options, durationOf(this.expression.valueFor(invocation)));
		}
		catch (InvalidLockKeyException ex) {
			throw rejection(String.valueOf(ex.getMessage()), (ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (IllegalArgumentException ex) {
			throw rejection(String.valueOf(ex.getMessage()), ex);
		}
	}

	private Duration durationOf(@Nullable Object value) {
		if (value instanceof Duration duration) {
			return duration;
		}
		if (value instanceof CharSequence characters) {
			return parse(characters.toString().strip());
		}
		throw new IllegalArgumentException(
				"it returned " + ((value != null) ? "a value of " + value.getClass() : "null")
						+ ", neither a Duration nor a string such as '5s'");
	}

	private static Duration parse(String text) {
		if (AnnotationText.isNumber(text)) {
			throw new IllegalArgumentException("it returned " + KeyFormat.quote(text) + ", which has no unit");
		}
		try {
			return DurationFormatterUtils.detectAndParse(text);
		}
		catch (RuntimeException ex) {
			throw new IllegalArgumentException("it returned " + KeyFormat.quote(text) + ", which is not a duration",
					ex);
		}
	}

	private IllegalArgumentException rejection(String reason, Throwable cause) {
		return new IllegalArgumentException(
				"The time " + this.text.describe() + " of " + this.text.site() + " cannot be used: " + reason, cause);
	}

}
