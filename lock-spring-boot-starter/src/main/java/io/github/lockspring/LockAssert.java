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
 * Asserts that annotated methods run under their locks. They do not if they are called by
 * another method of the same object, because such a call does not pass the proxy.
 */
public final class LockAssert {

	private LockAssert() {
	}

	/**
	 * Asserts that the current method runs under a lock, and still holds it.
	 * @throws IllegalStateException if there is no lock
	 * @throws LockLostException if the lock was lost
	 */
	public static void assertLocked() {
		LockContext.current().checkpoint();
	}

	/**
	 * Asserts that the current method runs under the lock of a name, and still holds it.
	 * @param name the name of the lock: that of the annotation or, if it has none, the
	 * full name of the class and the method's name
	 * @throws IllegalStateException if there is no such lock
	 * @throws LockLostException if the lock was lost
	 */
	public static void assertLocked(String name) {
		LockContext.current(name).checkpoint();
	}

}
