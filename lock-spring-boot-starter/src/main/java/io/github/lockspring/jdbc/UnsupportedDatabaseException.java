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

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Thrown if the database is not supported by the {@code jdbc} backend.
 */
public final class UnsupportedDatabaseException extends LockConfigurationException {

	UnsupportedDatabaseException(String message) {
		this(message, "Set lock.jdbc.data-source to a data source of a supported database, or select another backend "
				+ "with lock.backend.");
	}

	UnsupportedDatabaseException(String message, String action) {
		super(message, action);
	}

}
