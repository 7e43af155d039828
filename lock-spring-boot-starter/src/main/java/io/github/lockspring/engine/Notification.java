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

package io.github.lockspring.engine;

import java.time.Duration;

import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Notification sent by the store to a waiting hold.
 */
sealed interface Notification {

	/**
	 * The request may succeed if it is retried.
	 */
	enum Hint implements Notification {

		RETRY

	}

	/**
	 * The store granted the request after having denied it.
	 *
	 * @param request the granted request
	 * @param grant the grant
	 * @param attemptId the attempt id of the denial that it follows
	 * @param waited the time between them, by the clock of the store
	 */
	record Granted(LeaseRequest request, Grant grant, long attemptId, Duration waited) implements Notification {
	}

}
