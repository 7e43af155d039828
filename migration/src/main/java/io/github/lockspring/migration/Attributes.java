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

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Tree;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.marker.Markers;

/**
 * Attributes of annotations.
 */
final class Attributes {

	private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");

	private Attributes() {
	}

	static String nameOf(J.Assignment attribute) {
		return ((J.Identifier) attribute.getVariable()).getSimpleName();
	}

	/**
	 * Return whether a name would be rejected: an expression, or one with a colon.
	 * @param name the value of the attribute
	 * @return whether it cannot be the name of a lock
	 */
	static boolean isUnusableName(Expression name) {
		String text = text(name);
		return text != null && (text.startsWith("#") || text.contains("#{")
				|| PLACEHOLDER.matcher(text).replaceAll("").contains(":"));
	}

	static @Nullable String text(Expression value) {
		return (value instanceof J.Literal literal && literal.getValue() instanceof String text) ? text : null;
	}

	static J.Assignment rename(J.Assignment attribute, String name) {
		J.Identifier variable = (J.Identifier) attribute.getVariable();
		JavaType.Variable field = variable.getFieldType();
		return attribute
			.withVariable(variable.withSimpleName(name).withFieldType((field != null) ? field.withName(name) : null));
	}

	static J.Assignment withText(J.Assignment attribute, String text) {
		Space prefix = attribute.getAssignment().getPrefix();
		String source = '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
		return attribute.withAssignment(
				new J.Literal(Tree.randomId(), prefix, Markers.EMPTY, text, source, null, JavaType.Primitive.String));
	}

}
