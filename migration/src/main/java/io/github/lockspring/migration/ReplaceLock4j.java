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

package io.github.lockspring.migration;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Option;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Replaces Lock4j's {@code @Lock4j} by {@code @DistributedLock}. An annotation with
 * attributes that cannot be translated is left and marked; Lock4j continues to apply it.
 */
public final class ReplaceLock4j extends AnnotationMigration {

	/**
	 * Expressions that need no parentheses beside an operator.
	 */
	private static final Pattern PATH = Pattern.compile("[#@]?[\\w.()]+");

	@Option(displayName = "Keep `@Lock4j`",
			description = "Add `@DistributedLock` after `@Lock4j` instead of replacing it.", required = false)
	private final @Nullable Boolean keep;

	@JsonCreator
	public ReplaceLock4j(@JsonProperty("keep") @Nullable Boolean keep) {
		this.keep = keep;
	}

	@Override
	public String getDisplayName() {
		return "Replace `@Lock4j` by `@DistributedLock`";
	}

	@Override
	public String getDescription() {
		return "Replaces Lock4j's `@Lock4j`, with its keys joined to one, and its times with their unit.";
	}

	@Override
	boolean isKept() {
		return Boolean.TRUE.equals(this.keep);
	}

	@Override
	String oldType() {
		return "com.baomidou.lock.annotation.Lock4j";
	}

	@Override
	String newName() {
		return "DistributedLock";
	}

	@Override
	boolean isReplacedAnyway() {
		return false;
	}

	@Override
	J.@Nullable Assignment translate(J.Assignment attribute, List<String> untranslated) {
		Expression value = attribute.getAssignment();
		String name = Attributes.nameOf(attribute);
		J.Assignment translated = switch (name) {
			case "name" -> Attributes.isUnusableName(value) ? null : attribute;
			case "keys" -> key(attribute);
			case "expire" -> time(attribute, "leaseTime");
			case "acquireTimeout" -> time(attribute, "waitTime");
			default -> null;
		};
		if (translated == null && !isDefault(name, value)) {
			untranslated.add(name);
		}
		return translated;
	}

	private static boolean isDefault(String name, Expression value) {
		return switch (name) {
			case "keys" -> keys(value).stream().map(Attributes::text).allMatch((key) -> key != null && key.isEmpty());
			case "expire", "acquireTimeout" -> isNegative(number(value));
			case "autoRelease" -> value instanceof J.Literal literal && Boolean.TRUE.equals(literal.getValue());
			default -> false;
		};
	}

	private static J.@Nullable Assignment key(J.Assignment attribute) {
		List<Expression> keys = keys(attribute.getAssignment());
		List<String> texts = keys.stream().map(Attributes::text).toList();
		if (texts.contains(null) || texts.contains("") || texts.isEmpty()) {
			return null;
		}
		J.Assignment key = Attributes.rename(attribute, "key");
		return Attributes.withText(key, (texts.size() == 1) ? texts.get(0)
				: texts.stream().map(ReplaceLock4j::operand).collect(Collectors.joining(" + '/' + ")));
	}

	private static List<Expression> keys(Expression value) {
		List<Expression> elements = (value instanceof J.NewArray array) ? array.getInitializer() : List.of(value);
		return (elements != null) ? elements.stream().filter((key) -> !(key instanceof J.Empty)).toList() : List.of();
	}

	private static String operand(String expression) {
		return PATH.matcher(expression).matches() ? expression : "(" + expression + ")";
	}

	private static J.@Nullable Assignment time(J.Assignment attribute, String name) {
		Long millis = number(attribute.getAssignment());
		return (millis != null && !isNegative(millis))
				? Attributes.withText(Attributes.rename(attribute, name), text(millis)) : null;
	}

	/**
	 * Return whether a time is that of the properties.
	 */
	private static boolean isNegative(@Nullable Long millis) {
		return millis != null && millis < 0;
	}

	private static String text(long millis) {
		return (millis % 1000 == 0) ? millis / 1000 + "s" : millis + "ms";
	}

	/**
	 * Return the number that an expression such as {@code 60 * 1000} is.
	 */
	private static @Nullable Long number(Expression value) {
		if (value instanceof J.Literal literal && literal.getValue() instanceof Number number) {
			return number.longValue();
		}
		if (value instanceof J.Binary binary && binary.getOperator() == J.Binary.Type.Multiplication) {
			Long left = number(binary.getLeft());
			Long right = number(binary.getRight());
			return (left != null && right != null) ? left * right : null;
		}
		return null;
	}

}
