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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.standard.SpelExpression;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.support.KeyFormat;

/**
 * Expression that is parsed once, and compiled after a number of evaluations.
 *
 * @param expression the expression, which may be a part of the one in the annotation
 * @param parsed the parsed expression, with the text of the annotation
 * @param variables the indexes of the arguments by their names
 * @param shared the evaluation context that all expressions share
 */
record ParsedExpression(String expression, SpelExpression parsed, Map<String, Integer> variables,
		EvaluationContext shared) implements LockExpression {

	@Override
	public @Nullable Object valueFor(MethodInvocation invocation) {
		try {
			return this.parsed.getValue(new LockEvaluationContext(this.shared, this.variables, invocation));
		}
		catch (InvalidLockKeyException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new InvalidLockKeyException(reasonOf(ex), ex);
		}
	}

	private String reasonOf(RuntimeException failure) {
		if (failure instanceof SpelEvaluationException ex) {
			List<String> parts = new ArrayList<>();
			collectParts(ex, this.parsed.getAST(), parts);
			if (parts.size() == 1) {
				return KeyFormat.quote(parts.get(0)) + " is null";
			}
		}
		return "its evaluation failed with " + failure;
	}

	/**
	 * Collect the parts whose value may have been {@code null}: those that precede a step
	 * that may have failed, in a chain of steps. The failure contains the name of the
	 * step, but not reliably its position.
	 */
	private void collectParts(SpelEvaluationException failure, SpelNode node, List<String> parts) {
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if (i > 0 && node instanceof CompoundExpression && isFailed(failure, child)) {
				parts.add(this.parsed.getExpressionString()
					.substring(node.getStartPosition(), node.getChild(i - 1).getEndPosition()));
			}
			collectParts(failure, child, parts);
		}
	}

	private static boolean isFailed(SpelEvaluationException failure, SpelNode step) {
		Object[] inserts = failure.getInserts();
		String name = (inserts != null && inserts.length > 0) ? String.valueOf(inserts[0]) : "";
		return switch (failure.getMessageCode()) {
			case PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL ->
				step instanceof PropertyOrFieldReference property && property.getName().equals(name);
			case METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED ->
				step instanceof MethodReference method && name.startsWith(method.getName() + '(');
			case CANNOT_INDEX_INTO_NULL_VALUE -> step instanceof Indexer;
			default -> false;
		};
	}

}
