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

package io.github.lockspring.autoconfigure;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.spi.LockConfigurationException;

/**
 * Failure analyzer for {@link LockConfigurationException}.
 */
final class LockFailureAnalyzer extends AbstractFailureAnalyzer<LockConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockConfigurationException cause) {
		String bean = (cause instanceof InvalidLockDeclarationException) ? beanOf(rootFailure) : "";
		return new FailureAnalysis(bean + cause.getMessage(), cause.getAction(), cause);
	}

	/**
	 * Return the innermost bean that could not be created.
	 */
	private static String beanOf(Throwable failure) {
		String name = null;
		for (Throwable each = failure; each != null; each = each.getCause()) {
			if (each instanceof BeanCreationException creation && creation.getBeanName() != null) {
				name = creation.getBeanName();
			}
		}
		return (name != null) ? "Bean '" + name + "': " : "";
	}

}
