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

package io.github.lockspring.jdbc;

import java.util.regex.Pattern;

import org.springframework.util.Assert;

/**
 * Name of a table, safe to be part of a statement.
 *
 * @param value the name, with or without its schema
 */
record TableName(String value) {

	/**
	 * Pattern for valid names. With the suffix, no name is longer than 63 characters, to
	 * which PostgreSQL truncates names.
	 */
	private static final Pattern ALLOWED = Pattern
		.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,56}(_value)?");

	private static final String VALUE_SUFFIX = "_value";

	private static final int MAX_SHOWN = 128;

	TableName {
		Assert.notNull(value, "'tableName' must not be null");
		Assert.isTrue(ALLOWED.matcher(value).matches(),
				() -> "The name of the lock table must be 'table' or 'schema.table' of letters, digits and underscores "
						+ "without a digit in front, at most 57 for the table and 63 for the schema, not '"
						+ shown(value) + "'");
	}

	/**
	 * Return the name of the value table next to a lock table, in the same schema.
	 */
	TableName ofValues() {
		return new TableName(this.value + VALUE_SUFFIX);
	}

	/**
	 * Return the schema, empty if the name has none.
	 */
	String schema() {
		return this.value.substring(0, Math.max(0, this.value.indexOf('.')));
	}

	/**
	 * Return the name without the schema.
	 */
	String simpleName() {
		return this.value.substring(this.value.indexOf('.') + 1);
	}

	private static String shown(String value) {
		String start = (value.length() > MAX_SHOWN) ? value.substring(0, MAX_SHOWN) + "…" : value;
		return start.replaceAll("\\p{Cntrl}", "?");
	}

	@Override
	public String toString() {
		return this.value;
	}

}
