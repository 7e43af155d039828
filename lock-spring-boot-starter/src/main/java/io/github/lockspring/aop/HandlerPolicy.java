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

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

import io.github.lockspring.LockException;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockShutdownException;

/**
 * Asks a bean, which is looked up when it is needed.
 *
 * @param text the attribute that names the bean
 * @param beanFactory where the bean is
 */
record HandlerPolicy(AnnotationText text, BeanFactory beanFactory) implements FailurePolicy {

	/**
	 * Finds out whether there is such a bean.
	 * @throws InvalidLockDeclarationException if there is none
	 */
	void requireHandler() {
		if (!this.beanFactory.containsBean(this.text.text())) {
			throw this.text.refuse("is not the name of a bean",
					"Define a bean of type " + LockFailureHandler.class.getName() + " with that name.", null);
		}
		if (!this.beanFactory.isTypeMatch(this.text.text(), LockFailureHandler.class)) {
			throw this.text.refuse("is the name of a bean that is not a LockFailureHandler",
					"Specify a bean of type " + LockFailureHandler.class.getName() + '.', null);
		}
	}

	@Override
	public boolean runsApplicationCode() {
		return true;
	}

	@Override
	public @Nullable Object resultOf(MethodInvocation invocation, LockException failure) throws Throwable {
		if (failure instanceof LockShutdownException) {
			throw failure;
		}
		return this.beanFactory.getBean(this.text.text(), LockFailureHandler.class).onFailure(invocation, failure);
	}

}
