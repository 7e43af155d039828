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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.OnLost;

/**
 * Lock of a single call, as specified by one annotation.
 *
 * @param lock the lock operation of the method
 * @param key the key: a number, a string, or a list of strings
 * @param options the lock options
 */
record LockInvocation(LockOperation lock, Object key, LockOptions options) {

	/**
	 * Acquire the lock for a handle instead of a thread. A lock that is already held by
	 * the given chain is acquired reentrantly.
	 * @param outer the locks that are held already
	 * @return a future of the held lock
	 */
	@SuppressWarnings("unchecked")
	CompletableFuture<LockHandle> acquireAsync(@Nullable LockContext outer) {
		try {
			LockTemplate template = LockUtils.within(this.lock.template(), outer);
			return (this.key instanceof List<?> keys) ? template.acquireAllAsync((List<String>) keys, this.options)
					: template.acquireAsync(this.key.toString(), this.options);
		}
		catch (InvalidLockKeyException ex) {
			return CompletableFuture.failedFuture(this.lock.rejection(ex));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return the cause of the failure of a stage.
	 */
	static Throwable reasonOf(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Return whether the lock is held already, so that it is acquired reentrantly without
	 * waiting.
	 * @param held the locks that are held
	 * @return {@code true} if one of them has the same name and key
	 */
	boolean isHeldIn(@Nullable LockContext held) {
		return this.lock.isHeldIn(held, this.key);
	}

	/**
	 * Return the first of the keys as used in the store, in their natural order.
	 * @return the store key
	 * @throws InvalidLockKeyException if one of the keys cannot be locked
	 */
	String firstStoreKey() {
		return Collections.min(this.lock.storeKeys(this.key));
	}

	/**
	 * Return the locks whose loss cancels the work, including the given one if it is
	 * specified with {@link OnLost#INTERRUPT}.
	 */
	List<LockHandle> interrupting(List<LockHandle> others, LockHandle lock) {
		if (attributes().onLost() != OnLost.INTERRUPT) {
			return others;
		}
		List<LockHandle> all = new ArrayList<>(others);
		all.add(lock);
		return all;
	}

	LockAttributes attributes() {
		return this.lock.attributes();
	}

	String name() {
		return this.lock.name();
	}

}
