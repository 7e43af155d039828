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
 * What happens to a call that loses the lease while it runs. A loss is always published
 * as {@link LockLostEvent}, logged, and told to {@link LockHandle#onLost(Runnable)}.
 */
public enum OnLost {

	/**
	 * The method goes on; its caller gets {@link LockLostException} at its end. A
	 * transaction that keeps the lock is rolled back.
	 */
	THROW,

	/**
	 * The thread that runs the method is interrupted, or the subscription cancelled, at
	 * once; the caller gets {@link LockLostException}.
	 */
	INTERRUPT,

	/**
	 * The method goes on, and its caller gets its result.
	 */
	REPORT

}
