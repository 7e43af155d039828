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

package io.github.lockspring.spi;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the application cannot start with its configuration. Consists of a cause, the
 * message, and a remedy, the action.
 */
public class LockConfigurationException extends RuntimeException {

	private final String action;

	/**
	 * Create an exception.
	 * @param message a description of the problem
	 * @param action one or more sentences that describe how to correct it
	 */
	public LockConfigurationException(String message, String action) {
		this(message, action, null);
	}

	/**
	 * Create an exception with a cause.
	 * @param message a description of the problem
	 * @param action one or more sentences that describe how to correct it
	 * @param cause the cause
	 */
	public LockConfigurationException(String message, String action, @Nullable Throwable cause) {
		super(message, cause);
		this.action = action;
	}

	/**
	 * Return the remedy.
	 * @return one or more sentences that describe how to correct the configuration
	 */
	public final String getAction() {
		return this.action;
	}

}
