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

import java.util.concurrent.CompletableFuture;

/**
 * Call that waits for a connection.
 */
final class ConnectionWaiter extends CompletableFuture<LockConnection> {

	private final boolean urgent;

	ConnectionWaiter(boolean urgent) {
		this.urgent = urgent;
	}

	/**
	 * Return whether the call takes precedence over other calls.
	 */
	boolean isUrgent() {
		return this.urgent;
	}

}
