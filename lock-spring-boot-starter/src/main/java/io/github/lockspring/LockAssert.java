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
 * Assertions that annotated methods run under their locks. They do not if they are called
 * by another method of the same object, because such a call bypasses the proxy.
 */
public final class LockAssert {

	private LockAssert() {
	}

	/**
	 * Assert that the current method runs under a lock that is still held.
	 * @throws IllegalStateException if there is no lock
	 * @throws LockLostException if the lock was lost
	 * @throws LockSuspendedException while it is unknown whether the lock is still held
	 */
	public static void assertLocked() {
		LockContext.current().checkpoint();
	}

	/**
	 * Assert that the current method runs under the lock of the given name, and that it
	 * is still held.
	 * @param name the name of the lock: that of the annotation or, if it has none, the
	 * fully qualified class name followed by the method name
	 * @throws IllegalStateException if there is no such lock
	 * @throws LockLostException if the lock was lost
	 * @throws LockSuspendedException while it is unknown whether the lock is still held
	 */
	public static void assertLocked(String name) {
		LockContext.current(name).checkpoint();
	}

}
