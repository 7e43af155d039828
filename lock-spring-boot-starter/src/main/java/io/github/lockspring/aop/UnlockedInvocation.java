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

/**
 * Call passed to a handler when its lock could not be acquired: it proceeds without that
 * lock, but under the other locks of the method, and with all other advice each time.
 */
final class UnlockedInvocation extends DelegatingInvocation {

	private final Continuation others;

	/**
	 * Create an invocation.
	 * @param invocation the call
	 * @param others the continuation under the other locks
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
