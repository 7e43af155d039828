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

package io.github.lockspring.fencing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * Verifies that an update compares and stores the fencing token:
 * <ol>
 * <li>comments and string literals are blanked out;</li>
 * <li>the statement starts with {@code UPDATE} and has a {@code SET} and a {@code WHERE}
 * clause outside of parentheses;</li>
 * <li>the {@code SET} clause sets a column to {@code :fence};</li>
 * <li>the {@code WHERE} clause requires the same column to be {@code <= :fence};</li>
 * <li>and no {@code OR} outside of parentheses bypasses that condition.</li>
 * </ol>
 * It is a safeguard against mistakes, not a parser: it rejects statements that it does
 * not recognize.
 */
final class FencedSql {

	/**
	 * Name of the parameter.
	 */
	static final String FENCE = "fence";

	private static final String PATTERN = "UPDATE account SET balance = :balance, fence = :fence"
			+ " WHERE id = :id AND fence <= :fence";

	private static final Pattern TEXT_OR_COMMENT = Pattern.compile("'[^']*'|--[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);

	private static final Pattern QUOTED_NAME = Pattern.compile("\"[^\"]*\"|`[^`]*`");

	private static final Pattern CLAUSES = Pattern.compile("\\s*UPDATE\\b.*?\\bSET\\b(.*?)\\bWHERE\\b(.*)",
			Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

	private static final Pattern OR = Pattern.compile("\\bOR\\b", Pattern.CASE_INSENSITIVE);

	private static final Pattern SET_FENCE = Pattern.compile(
			"(?:^|[\\s,.])(\"[^\"]+\"|`[^`]+`|\\w+)\\s*=\\s*:fence(?=\\s*(?:,|::|FROM\\b|$))",
			Pattern.CASE_INSENSITIVE);

	private FencedSql() {
	}

	/**
	 * Verify that no former holder can write with this statement.
	 * @throws IllegalArgumentException if one could; the message describes the problem
	 */
	static void check(String sql) {
		Assert.hasText(sql, "'sql' must not be empty");
		String fault = fault(blank(sql, TEXT_OR_COMMENT));
		if (fault != null) {
			throw new IllegalArgumentException("The update is not protected by the fencing token: " + fault
					+ ". Write it as\n\t" + PATTERN + "\nand not as\n\t" + sql);
		}
	}

	private static @Nullable String fault(String sql) {
		Matcher clauses = CLAUSES.matcher(withoutParentheses(blank(sql, QUOTED_NAME)));
		if (!clauses.matches()) {
			return "it is not an UPDATE with SET and WHERE";
		}
		Matcher set = SET_FENCE.matcher(sql.substring(clauses.start(1), clauses.end(1)));
		if (!set.find()) {
			return "it sets no column to :fence";
		}
		String column = set.group(1);
		if (!comparing(column).matcher(sql.substring(clauses.start(2))).find()) {
			return "its WHERE clause does not require " + column + " <= :fence";
		}
		return OR.matcher(clauses.group(2)).find() ? "the OR in its WHERE clause needs parentheses" : null;
	}

	/**
	 * Also accept {@code COALESCE(column, 0)}, for rows that have no token yet.
	 */
	private static Pattern comparing(String column) {
		String name = "(?<![\\w\"`])" + Pattern.quote(column) + "(?![\\w\"`])";
		return Pattern.compile(name + "(?:\\s*,\\s*0\\s*\\))?\\s*<=\\s*:fence\\b(?!\\s*[-+*/|])"
				+ "|(?<![-+*/|]\\s?):fence\\s*>=\\s*(?:\\w+\\.)?" + name, Pattern.CASE_INSENSITIVE);
	}

	private static String blank(String sql, Pattern part) {
		return part.matcher(sql).replaceAll((found) -> " ".repeat(found.end() - found.start()));
	}

	private static String withoutParentheses(String sql) {
		StringBuilder outside = new StringBuilder(sql);
		int depth = 0;
		for (int i = 0; i < sql.length(); i++) {
			depth += (sql.charAt(i) == '(') ? 1 : 0;
			if (depth > 0) {
				outside.setCharAt(i, ' ');
			}
			depth -= (sql.charAt(i) == ')') ? 1 : 0;
		}
		return outside.toString();
	}

}
