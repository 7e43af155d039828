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

package io.github.lockspring;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Thrown if a method cannot be locked as declared by its {@link DistributedLock} or
 * {@link DistributedSemaphore} annotation. The bean is not created, so that the
 * application does not start.
 */
public final class InvalidLockDeclarationException extends LockConfigurationException {

	/**
	 * Create an exception.
	 * @param message the method, and what is wrong with its annotation
	 * @param remedy one or more sentences that describe how to correct it
	 * @param cause the cause
	 */
	public InvalidLockDeclarationException(String message, String remedy, @Nullable Throwable cause) {
		super(message, remedy, cause);
	}

}
