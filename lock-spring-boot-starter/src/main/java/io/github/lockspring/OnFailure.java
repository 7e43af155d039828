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

/**
 * Actions to take if the lock could not be acquired because another owner held it.
 */
public enum OnFailure {

	/**
	 * Throw {@link LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * Skip the method and return {@code null} or an empty value to its caller: an empty
	 * {@link java.util.Optional}, a stage that completes with {@code null} or an empty
	 * optional, or an empty reactive stream. Also applies if the application is shutting
	 * down. Not supported for methods with a primitive return type.
	 */
	SKIP,

	/**
	 * Call the method specified by {@link DistributedLock#fallback()} instead.
	 */
	FALLBACK,

	/**
	 * Delegate to the bean specified by {@link DistributedLock#handler()}, which provides
	 * the result. It is also called if the store is unavailable.
	 */
	HANDLE

}
