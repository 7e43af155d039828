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

package io.github.lockspring.aop;

import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.SpringProperties;

import io.github.lockspring.InvalidLockDeclarationException;

/**
 * Handling of invalid declarations: fails the startup of the application or logs a
 * warning, as configured. Ahead-of-time processing ignores invalid declarations, because
 * properties may be missing or have other values than at run time.
 */
final class DeclarationChecks {

	private static final Log logger = LogFactory.getLog(DeclarationChecks.class);

	private final BooleanSupplier fail;

	DeclarationChecks(BooleanSupplier fail) {
		this.fail = fail;
	}

	/**
	 * Run a check.
	 * @param check the check, which throws an {@link InvalidLockDeclarationException} if
	 * a declaration is invalid
	 */
	public void run(Runnable check) {
		try {
			check.run();
		}
		catch (InvalidLockDeclarationException ex) {
			if (!SpringProperties.getFlag(AbstractAotProcessor.AOT_PROCESSING)) {
				handle(ex);
			}
		}
	}

	private void handle(InvalidLockDeclarationException failure) {
		if (this.fail.getAsBoolean()) {
			throw failure;
		}
		logger.warn(failure.getMessage() + ". " + failure.getAction());
	}

}
