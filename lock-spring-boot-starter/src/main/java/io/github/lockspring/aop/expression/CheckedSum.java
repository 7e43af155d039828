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

import java.util.function.Function;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;

/**
 * Sum or concatenation that rejects operands that the language would convert to arbitrary
 * strings: {@code null}, an empty {@code Optional}, and objects without a conversion.
 */
final class CheckedSum extends OpPlus {

	private final Function<Object, String> texts;

	private CheckedSum(Function<Object, String> texts, int start, int end, SpelNodeImpl... operands) {
		super(start, end, operands);
		this.texts = texts;
	}

	/**
	 * Replace the sums of an expression with checked ones: the expression itself,
	 * operands of a sum, branches of a condition, elements of a list or a projection,
	 * indexes, and arguments of a method.
	 * @param node the expression
	 * @param texts the conversion of keys to strings
	 * @return the resulting expression, which is the same if it contains no sum
	 */
	static SpelNodeImpl in(SpelNode node, Function<Object, String> texts) {
		SpelNodeImpl[] children = new SpelNodeImpl[node.getChildCount()];
		boolean changed = false;
		for (int i = 0; i < children.length; i++) {
			children[i] = in(node.getChild(i), texts);
			changed |= children[i] != node.getChild(i);
		}
		if (node instanceof OpPlus && children.length == 2) {
			return new CheckedSum(texts, node.getStartPosition(), node.getEndPosition(), children);
		}
		return changed ? copyOf((SpelNodeImpl) node, children) : (SpelNodeImpl) node;
	}

	private static SpelNodeImpl copyOf(SpelNodeImpl node, SpelNodeImpl[] children) {
		int start = node.getStartPosition();
		int end = node.getEndPosition();
		if (node instanceof MethodReference method) {
			return new MethodReference(method.isNullSafe(), method.getName(), start, end, children);
		}
		if (node instanceof Indexer index) {
			return new Indexer(index.isNullSafe(), start, end, children[0]);
		}
		if (node instanceof CompoundExpression) {
			return new CompoundExpression(start, end, children);
		}
		if (node instanceof Ternary) {
			return new Ternary(start, end, children);
		}
		if (node instanceof Elvis) {
			return new Elvis(start, end, children);
		}
		if (node instanceof Projection projection) {
			return new Projection(projection.isNullSafe(), start, end, children[0]);
		}
		return (node instanceof InlineList) ? new InlineList(start, end, children) : node;
	}

	@Override
	public TypedValue getValueInternal(ExpressionState state) throws EvaluationException {
		return new TypedValue(SumExpression.sumOf(presentOf(this.children[0], state),
				presentOf(this.children[1], state), this.texts));
	}

	private static Object presentOf(SpelNodeImpl operand, ExpressionState state) {
		return SumExpression.present(operand.getTypedValue(state).getValue(), operand::toStringAST);
	}

	@Override
	public boolean isCompilable() {
		return false;
	}

}
