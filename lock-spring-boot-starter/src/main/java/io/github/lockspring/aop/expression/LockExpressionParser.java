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

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.function.SingletonSupplier;

/**
 * Parser of the expressions of annotations, which are parsed once, when the bean is
 * proxied. Only the text of the annotation is parsed, and never the value of an argument.
 * Spring's expression language is not loaded for expressions that consist of an argument
 * only.
 */
public final class LockExpressionParser {

	private final SingletonSupplier<Language> language;

	/**
	 * Create a parser.
	 * @param beanFactory the bean factory for references to beans
	 * @param texts the conversion of keys to strings
	 */
	public LockExpressionParser(ConfigurableBeanFactory beanFactory, Function<Object, String> texts) {
		this.language = SingletonSupplier.of(() -> new Language(beanFactory, texts));
	}

	/**
	 * Parse an expression.
	 * @param text the expression, without placeholders
	 * @param methods the methods by whose parameters arguments may be named: the one with
	 * the annotation, and the one that implements it. If they use a name differently, the
	 * first one decides.
	 * @return the expression
	 * @throws InvalidLockExpressionException if it cannot be parsed or is not allowed
	 */
	public LockExpression parse(String text, Method... methods) {
		Map<String, Integer> variables = new LinkedHashMap<>();
		for (Method method : methods) {
			addNames(DefaultParameterNameDiscoverer.getSharedInstance().getParameterNames(method), variables);
		}
		boolean named = !variables.isEmpty() || methods[0].getParameterCount() == 0;
		addIndexes(methods[0].getParameterCount(), variables);
		Integer index = text.startsWith("#") ? variables.get(text.substring(1)) : null;
		return (index != null) ? new LockExpression.Argument(text, index)
				: this.language.obtain().parse(text, variables, named);
	}

	/**
	 * Add the names of the arguments. The continuation of a suspending function has none.
	 */
	private static void addNames(@Nullable String @Nullable [] names, Map<String, Integer> variables) {
		for (int i = 0; names != null && i < names.length; i++) {
			if (names[i] != null) {
				variables.putIfAbsent(names[i], i);
			}
		}
	}

	/**
	 * Add the names that refer to the arguments by index, as in {@code @Cacheable}.
	 */
	private static void addIndexes(int parameterCount, Map<String, Integer> variables) {
		for (int i = 0; i < parameterCount; i++) {
			variables.putIfAbsent("p" + i, i);
			variables.putIfAbsent("a" + i, i);
		}
		variables.remove("root");
	}

	/**
	 * Supported subset of Spring's expression language.
	 */
	private static final class Language {

		private final SpelParserConfiguration configuration;

		private final SpelExpressionParser parser;

		private final EvaluationContext shared;

		private final Function<Object, String> texts;

		Language(ConfigurableBeanFactory beanFactory, Function<Object, String> texts) {
			this.configuration = new SpelParserConfiguration(SpelCompilerMode.MIXED, beanFactory.getBeanClassLoader());
			this.parser = new SpelExpressionParser(this.configuration);
			StandardEvaluationContext shared = new StandardEvaluationContext();
			shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
			this.shared = shared;
			this.texts = texts;
		}

		LockExpression parse(String text, Map<String, Integer> variables, boolean named) {
			SpelExpression parsed = parseRaw(text);
			String problem = new ExpressionCheck(variables.keySet(), named).problemIn(parsed.getAST());
			if (problem != null) {
				throw new InvalidLockExpressionException(problem, null);
			}
			return expressionOf(parsed.getAST(), text, variables, text);
		}

		private SpelExpression parseRaw(String text) {
			try {
				SpelExpression parsed = this.parser.parseRaw(text);
				return new SpelExpression(text, CheckedSum.in(parsed.getAST(), this.texts), this.configuration);
			}
			catch (ParseException ex) {
				throw new InvalidLockExpressionException(
						"is not an expression: " + ex.getSimpleMessage() + ", at position " + ex.getPosition(), ex);
			}
		}

		/**
		 * Return the expression for a node, in the form that is the fastest to evaluate.
		 * @param node the expression, or a part of it
		 * @param expression the text of the node
		 * @param variables the indexes of the arguments by their names
		 * @param whole the text of the whole expression
		 * @return the expression
		 */
		private LockExpression expressionOf(SpelNode node, String expression, Map<String, Integer> variables,
				String whole) {
			Integer index = variables.get(variableIn(node));
			if (index != null) {
				return new LockExpression.Argument(expression, index);
			}
			if (node instanceof Literal literal) {
				return new LockExpression.Literal(expression, literal.getLiteralValue().getValue());
			}
			if (node instanceof OpPlus sum && sum.getChildCount() == 2) {
				return new SumExpression(expression, operandOf(sum, 0, variables, whole),
						operandOf(sum, 1, variables, whole), this.texts);
			}
			return new ParsedExpression(expression, new SpelExpression(whole, (SpelNodeImpl) node, this.configuration),
					variables, this.shared);
		}

		private LockExpression operandOf(SpelNode sum, int operand, Map<String, Integer> variables, String whole) {
			SpelNode node = sum.getChild(operand);
			return expressionOf(node, node.toStringAST(), variables, whole);
		}

		private static @Nullable String variableIn(SpelNode node) {
			return (node instanceof VariableReference) ? ExpressionCheck.nameOf(node) : null;
		}

	}

}
