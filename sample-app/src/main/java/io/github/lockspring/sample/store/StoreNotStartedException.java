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

package io.github.lockspring.sample.store;

import org.jspecify.annotations.Nullable;

/**
 * A store that was to be started did not start.
 */
public final class StoreNotStartedException extends RuntimeException {

	private static final String PROGRAMS = ". The programs of PostgreSQL and MariaDB are only in the jar of "
			+ "'mvn package -DskipTests -Pdatabases'";

	StoreNotStartedException(StoreType type, @Nullable Exception cause) {
		super("--store=%s=embedded did not start%s%s".formatted(type.id(),
				(cause != null) ? ": " + cause.getMessage() : ", see above", isLarge(type) ? PROGRAMS : ""), cause);
	}

	private static boolean isLarge(StoreType type) {
		return type == StoreType.POSTGRES || type == StoreType.MARIADB;
	}

}
