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

import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What happens to declarations that cannot work: the application does not start, or is
 * warned.
 */
final class DeclarationChecks {

	private static final Log logger = LogFactory.getLog(DeclarationChecks.class);

	private final Supplier<LockChecks> mode;

	DeclarationChecks(Supplier<LockChecks> mode) {
		this.mode = mode;
	}

	/**
	 * Runs a check.
	 * @param check what throws an {@link InvalidLockDeclarationException}
	 */
	void run(Runnable check) {
		try {
			check.run();
		}
		catch (InvalidLockDeclarationException ex) {
			if (this.mode.get() == LockChecks.FAIL) {
				throw ex;
			}
			logger.warn(ex.getMessage() + ". " + ex.getRemedy());
		}
	}

}
