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
 * Invoker of locked methods, with one implementation for each way in which the work of a
 * method ends.
 */
interface LockedInvoker {

	/**
	 * Acquire the locks, call the method, and release the locks.
	 * @param method the method and its locks
	 * @param invocation the call
	 * @return the result of the call
	 * @throws Throwable the exception thrown by the method, or the reason why it did not
	 * run
	 */
	@Nullable Object run(LockedMethod method, MethodInvocation invocation) throws Throwable;

}
