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
 * Strategy interface that determines the result of a call whose lock could not be
 * acquired. Beans of this type are referred to by {@link DistributedLock#handler()}.
 * <p>
 * Implementations must be thread-safe.
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Called once for a call that does not hold its lock, in the thread that would have
	 * run the method.
	 * @param invocation the call. {@link MethodInvocation#proceed()} runs the method
	 * without the lock; implementations that call it should log that.
	 * @param failure the reason why the lock is not held:
	 * {@link LockNotAcquiredException} if it was held by another owner for the whole wait
	 * time, {@link LockUnavailableException} if the store failed
	 * @return the result of the call, of the return type of the method
	 * @throws Throwable the exception to be thrown to the caller of the method
	 */
	@Nullable Object onFailure(MethodInvocation invocation, LockException failure) throws Throwable;

}
