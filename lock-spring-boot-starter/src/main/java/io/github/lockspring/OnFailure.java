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
 * What a call gets that could not acquire the lock because another held it.
 */
public enum OnFailure {

	/**
	 * {@link LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * The method is skipped; its caller gets {@code null}, or what is empty: an empty
	 * {@link java.util.Optional}, a stage that completes with one of these, a reactive
	 * stream without elements. The same when the application is shutting down. Not for
	 * methods that return a primitive value.
	 */
	SKIP,

	/**
	 * The method that {@link DistributedLock#fallback()} names is called instead.
	 */
	FALLBACK,

	/**
	 * The bean that {@link DistributedLock#handler()} names gives the result. It is also
	 * asked when the store is down.
	 */
	HANDLE

}
