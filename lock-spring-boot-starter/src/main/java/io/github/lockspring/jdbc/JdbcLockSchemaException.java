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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Thrown if the lock table is missing or incompatible with {@link JdbcLockBackend}.
 */
public final class JdbcLockSchemaException extends LockConfigurationException {

	private final String definition;

	JdbcLockSchemaException(String problem, String definition, @Nullable Throwable cause) {
		super(problem + " Expected table definition:\n\n" + definition,
				"Create or alter the table, or grant the privileges. With lock.jdbc.initialize-schema=always, a "
						+ "missing table is created at startup. Or select another backend with lock.backend.",
				cause);
		this.definition = definition;
	}

	/**
	 * Return the statement that creates the table.
	 * @return the DDL in the dialect of the database
	 */
	public String definition() {
		return this.definition;
	}

}
