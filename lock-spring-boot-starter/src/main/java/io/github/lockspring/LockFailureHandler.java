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

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a call gets that could not acquire its lock. Beans of this type are named
 * by {@link DistributedLock#handler()}.
 * <p>
 * Must be safe for use by many threads.
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Called once for a call that does not hold its lock, in the thread that would have
	 * run the method.
	 * @param invocation the call. {@link MethodInvocation#proceed()} runs the method
	 * without the lock; whoever does that says so in the log.
	 * @param failure why the lock is not held: {@link LockNotAcquiredException} if
	 * another held it for the whole wait time, {@link LockUnavailableException} if the
	 * store failed
	 * @return the result of the call, of the return type of the method
	 * @throws Throwable what the caller of the method gets
	 */
	@Nullable Object onFailure(MethodInvocation invocation, LockException failure) throws Throwable;

}
