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

import io.github.lockspring.LockException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockUnavailableException;

/**
 * What a call gets that could not acquire its lock.
 */
@FunctionalInterface
interface FailurePolicy {

	/**
	 * The caller gets the failure.
	 */
	FailurePolicy THROW = (invocation, failure) -> {
		throw failure;
	};

	/**
	 * Tells whether policies are asked what to do about a failure.
	 * @param failure why the lock is not held
	 */
	static boolean isAskedAbout(Throwable failure) {
		return failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException
				|| failure instanceof LockShutdownException;
	}

	/**
	 * Decides.
	 * @param invocation the call
	 * @param failure why the lock is not held: by another, because the store is down, or
	 * because the application is shutting down
	 * @return the result of the call. For an asynchronous method it may also be what that
	 * method completes with.
	 * @throws Throwable what the caller gets
	 */
	@Nullable Object resultOf(MethodInvocation invocation, LockException failure) throws Throwable;

	/**
	 * Whether the application has written what decides, which may take its time.
	 */
	default boolean runsApplicationCode() {
		return false;
	}

}
