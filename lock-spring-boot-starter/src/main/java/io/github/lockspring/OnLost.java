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
 * Actions to take if the lease is lost while the method runs. A loss is always published
 * as {@link io.github.lockspring.event.LockLostEvent}, logged, and reported to callbacks
 * registered with {@link LockHandle#onLost(Runnable)}.
 */
public enum OnLost {

	/**
	 * Let the method continue and throw {@link LockLostException} to its caller when it
	 * has returned. A transaction to which the lock is bound is rolled back.
	 */
	THROW,

	/**
	 * Interrupt the thread that runs the method, or cancel the subscription, immediately;
	 * the caller receives {@link LockLostException}.
	 */
	INTERRUPT,

	/**
	 * Let the method continue and return its result to the caller.
	 */
	REPORT

}
