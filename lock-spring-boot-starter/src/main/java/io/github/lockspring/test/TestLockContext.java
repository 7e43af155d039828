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

package io.github.lockspring.test;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockAction;
import io.github.lockspring.LockAssert;
import io.github.lockspring.LockCallback;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockUtils;

/**
 * Lock context for unit tests without an application context: code runs in it as in a
 * method with {@code @DistributedLock}, so that {@link LockAssert} passes and
 * {@link LockContext} returns a handle. Nothing is locked.
 *
 * <pre class="code">{@code
 * TestLockContext.executeWithoutResult("order:42", (lock) -> new Orders().pay(42));
 * }</pre>
 * <p>
 * Applies to the current thread, until the code returns or throws. Can be nested.
 */
public final class TestLockContext {

	private TestLockContext() {
	}

	/**
	 * Run an action as if it held a lock.
	 * @param <E> the type of exception thrown by the action
	 * @param key the name and the key of the lock, such as {@code order:42}, or only its
	 * name
	 * @param action the action to run, which gets a handle that is held
	 * @throws E if thrown by the action
	 */
	public static <E extends Throwable> void executeWithoutResult(String key, LockAction<E> action) throws E {
		execute(key, (lock) -> {
			action.doWithLock(lock);
			return lock;
		});
	}

	/**
	 * Run an action as if it held a lock.
	 * @param <T> the type of the result
	 * @param <E> the type of exception thrown by the action
	 * @param key the name and the key of the lock, such as {@code order:42}, or only its
	 * name
	 * @param action the action to run, which gets a handle that is held
	 * @return the result of the action
	 * @throws E if thrown by the action
	 */
	public static <T extends @Nullable Object, E extends Throwable> T execute(String key, LockCallback<T, E> action)
			throws E {
		int colon = key.indexOf(':');
		NoOpLockHandle lock = new NoOpLockHandle("lock:" + key, key.substring(colon + 1),
				LockOptions.defaults().leaseTime());
		LockUtils.enter((colon >= 0) ? key.substring(0, colon) : key, lock);
		try {
			return action.doWithLock(lock);
		}
		finally {
			LockUtils.leave();
			lock.close();
		}
	}

}
