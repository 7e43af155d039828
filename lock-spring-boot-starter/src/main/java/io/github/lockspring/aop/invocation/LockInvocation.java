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

package io.github.lockspring.aop.invocation;

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
import io.github.lockspring.OnLost;
import io.github.lockspring.aop.annotation.LockAttributes;
import io.github.lockspring.internal.LockAccess;

/**
 * What one call locks by one annotation.
 *
 * @param lock the lock of the method
 * @param key a number, a text, or a list of texts
 * @param options how to lock
 */
record LockInvocation(LockOperation lock, Object key, LockOptions options) {

	/**
	 * Acquire the lock for a handle instead of a thread. A lock that is already held by
	 * the given chain is acquired again.
	 * @param outer what is held already
	 * @return the held lock, in the future
	 */
	@SuppressWarnings("unchecked")
	CompletableFuture<LockHandle> acquireAsync(@Nullable LockContext outer) {
		try {
			LockTemplate template = LockAccess.get().within(this.lock.template(), outer);
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
	 * Return the reason why a stage has failed.
	 */
	static Throwable reasonOf(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Whether the same is held already, so that it is acquired again without waiting.
	 * @param held the locks that are held
	 */
	boolean isHeldIn(@Nullable LockContext held) {
		return this.lock.isHeldIn(held, this.key);
	}

	/**
	 * The first of its keys as the store knows them.
	 * @return the key
	 * @throws InvalidLockKeyException if one of them cannot be locked
	 */
	String firstStoreKey() {
		return Collections.min(this.lock.storeKeys(this.key));
	}

	/**
	 * Adds a lock to those whose loss ends the work, if it is one of them.
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
