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
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;

import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.support.KeyFormat;

/**
 * String value of an attribute of an annotation, and its conversion to other types.
 *
 * @param site the annotated method
 * @param attribute the name of the attribute
 * @param text the value, without placeholders
 */
record AnnotationText(AnnotatedMethod site, String attribute, String text) {

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final String PLACEHOLDER = "${";

	/**
	 * Replace placeholders with the values of their properties.
	 */
	AnnotationText resolve(ConfigurableBeanFactory beanFactory) {
		String resolved;
		try {
			resolved = beanFactory.resolveEmbeddedValue(this.text);
		}
		catch (IllegalArgumentException ex) {
			throw rejection("cannot be resolved: " + ex.getMessage(), "Define the property.", ex);
		}
		AnnotationText text = new AnnotationText(this.site, this.attribute, (resolved != null) ? resolved : "");
		if (text.hasPlaceholder()) {
			throw rejection("has an unresolved placeholder", "Define the property.", null);
		}
		return text;
	}

	boolean hasPlaceholder() {
		return this.text.contains(PLACEHOLDER);
	}

	boolean isBlank() {
		return !StringUtils.hasText(this.text);
	}

	Duration asDuration() {
		if (isNumber(this.text.strip())) {
			throw rejection("has no unit", "Add a unit, as in '500ms' or '5s'.", null);
		}
		try {
			return DurationFormatterUtils.detectAndParse(this.text.strip());
		}
		catch (RuntimeException ex) {
			throw rejection("is not a duration", "Use a number with a unit, as in '500ms', '5s' or 'PT5S'.", ex);
		}
	}

	/**
	 * Return whether a string is a number, which as a duration would lack its unit.
	 */
	static boolean isNumber(String text) {
		return NUMBER.matcher(text).matches();
	}

	/**
	 * Return whether the value is an expression that is evaluated for each call, and not
	 * a constant.
	 */
	boolean isExpression() {
		return this.text.indexOf('#') >= 0 || this.text.indexOf('@') >= 0;
	}

	int asPositiveInt() {
		try {
			int number = Integer.parseInt(this.text.strip());
			if (number > 0) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			throw rejection("is not an integer", "Use an integer of 1 or more.", ex);
		}
		throw rejection("is not positive", "Use an integer of 1 or more.", null);
	}

	boolean asBoolean() {
		return switch (this.text.strip()) {
			case "true" -> true;
			case "false" -> false;
			default -> throw rejection("is neither true nor false", "Use 'true' or 'false'.", null);
		};
	}

	String describe() {
		return this.attribute + " = " + KeyFormat.quote(this.text);
	}

	public InvalidLockDeclarationException rejection(String problem, String remedy, @Nullable Throwable cause) {
		return this.site.rejection(describe() + ' ' + problem, remedy, cause);
	}

}
