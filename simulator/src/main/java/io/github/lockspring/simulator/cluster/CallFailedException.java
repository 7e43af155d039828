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

package io.github.lockspring.simulator.cluster;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;

/**
 * Thrown for a call without a reply.
 */
@SuppressWarnings("serial")
public final class CallFailedException extends RuntimeException {

	private final boolean sent;

	CallFailedException(String message, boolean sent) {
		super(message, null, false, false);
		this.sent = sent;
	}

	/**
	 * Return the failure as backends report it.
	 * @return the failure
	 */
	BackendException translate() {
		String message = String.valueOf(getMessage());
		return this.sent ? new OutcomeUnknownException(message, this) : new BackendUnavailableException(message, this);
	}

}
