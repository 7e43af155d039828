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

package io.github.lockspring.aop.expression;

import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

import io.github.lockspring.support.KeyFormat;

/**
 * Check of a parsed expression for constructs that are invalid or not allowed, before it
 * is evaluated for the first time.
 */
final class ExpressionCheck {

	/**
	 * Properties of a {@link LockExpressionRootObject}.
	 */
	private static final Set<String> CALL = Set.of("method", "methodName", "target", "targetClass", "args");

	private final Set<String> variables;

	private final boolean namesKnown;

	/**
	 * Create a check.
	 * @param variables the names of the variables
	 * @param namesKnown whether parameter names are available
	 */
	ExpressionCheck(Set<String> variables, boolean namesKnown) {
		this.variables = variables;
		this.namesKnown = namesKnown;
	}

	@Nullable String problemIn(SpelNode node) {
		return problemIn(node, true, true);
	}

	/**
	 * Return the first problem of a node and its children.
	 * @param node the node
	 * @param ofCall whether a property at this place belongs to the call, and not to a
	 * value
	 * @param argumentsOfCall whether a property in the arguments of a method belongs to
	 * the call
	 * @return the problem, or {@code null}
	 */
	private @Nullable String problemIn(SpelNode node, boolean ofCall, boolean argumentsOfCall) {
		String problem = problemAt(node, ofCall);
		boolean within = argumentsOfCall && !(node instanceof Projection) && !(node instanceof Selection);
		for (int i = 0; problem == null && i < node.getChildCount(); i++) {
			boolean child = (node instanceof MethodReference) ? within : ofCall && isOfCall(node, i);
			problem = problemIn(node.getChild(i), child, within);
		}
		return problem;
	}

	/**
	 * Return whether a property at this place belongs to the call. Steps of a chain after
	 * the first are read from a value, and so is the content of brackets and braces,
	 * where names may be keys.
	 */
	private static boolean isOfCall(SpelNode parent, int child) {
		return !(parent instanceof CompoundExpression && child > 0) && !(parent instanceof Indexer)
				&& !(parent instanceof Projection) && !(parent instanceof Selection) && !(parent instanceof InlineMap);
	}

	private @Nullable String problemAt(SpelNode node, boolean ofCall) {
		if (ofCall && node instanceof PropertyOrFieldReference property && !CALL.contains(property.getName())) {
			return notOfCall(property.getName());
		}
		if (node instanceof TypeReference) {
			return "must not refer to a type with T(…); found at position " + node.getStartPosition();
		}
		if (node instanceof ConstructorReference) {
			return "must not call a constructor; found at position " + node.getStartPosition();
		}
		if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
			return "must not assign values; found at position " + node.getStartPosition();
		}
		if (node instanceof FunctionReference) {
			return "must not call a function; found at position " + node.getStartPosition();
		}
		return (node instanceof VariableReference && !isKnown(nameOf(node))) ? unknown(node) : null;
	}

	private String notOfCall(String name) {
		return this.variables.contains(name) ? "names the argument " + name + " without '#': use '#" + name + "'"
				: "has the unknown property " + KeyFormat.quote(name) + ": arguments are written with '#', as in "
						+ this.variables.stream().map((each) -> '#' + each).collect(Collectors.joining(", "))
						+ ", and text in quotes, as in \"'" + name + "'\"";
	}

	private boolean isKnown(String variable) {
		return variable.equals("root") || variable.equals("this") || this.variables.contains(variable);
	}

	private String unknown(SpelNode variable) {
		String available = this.variables.stream().map((name) -> ", #" + name).collect(Collectors.joining());
		String names = this.namesKnown ? "" : ". Parameter names are not available, because the class was compiled"
				+ " without the compiler option -parameters";
		return "has the unknown variable " + KeyFormat.quote(variable.toStringAST()) + " at position "
				+ variable.getStartPosition() + ". Available are #root" + available + names;
	}

	static String nameOf(SpelNode variable) {
		return variable.toStringAST().substring(1);
	}

}
