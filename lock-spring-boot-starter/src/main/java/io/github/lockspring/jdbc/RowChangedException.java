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

import java.sql.SQLTransientException;

/**
 * Thrown if a row was changed by another session after it had been read: nothing was
 * written, and the row must be read again.
 */
final class RowChangedException extends SQLTransientException {

	RowChangedException() {
		super("The row was changed by another session", "40001");
	}

	@Override
	public Throwable fillInStackTrace() {
		return this; // thrown often, and never reported
	}

}
