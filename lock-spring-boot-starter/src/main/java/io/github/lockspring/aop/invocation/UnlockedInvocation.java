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

package io.github.lockspring.aop.invocation;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call as a handler sees it whose lock is not held: it may proceed without that lock,
 * but not without the others.
 */
final class UnlockedInvocation extends DelegatingInvocation {

	private final Continuation others;

	/**
	 * Creates the view.
	 * @param invocation the call
	 * @param others proceeds under the other locks
	 */
	UnlockedInvocation(MethodInvocation invocation, Continuation others) {
		super(invocation);
		this.others = others;
	}

	@Override
	public @Nullable Object proceed() throws Throwable {
		return this.others.proceed();
	}

	/**
	 * Continuation of a call.
	 */
	@FunctionalInterface
	interface Continuation {

		@Nullable Object proceed() throws Throwable;

	}

}
