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

import java.util.concurrent.CompletionException;

import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * Calls that are run later, in another thread, or more than once.
 */
final class Invocations {

	private Invocations() {
	}

	/**
	 * A call that goes on from here and has arguments of its own.
	 */
	static MethodInvocation detached(MethodInvocation invocation) {
		if (invocation instanceof JoinPointInvocation call) {
			return call.copy();
		}
		return (invocation instanceof ProxyMethodInvocation call) ? call.invocableClone() : invocation;
	}

	/**
	 * What a stage failed with.
	 */
	static Throwable reasonOf(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
