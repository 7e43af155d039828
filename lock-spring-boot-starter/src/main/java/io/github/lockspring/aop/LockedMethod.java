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

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.DistributedLock.OnFailure;
import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.engine.KeyText;
import io.github.lockspring.LockTemplate;

/**
 * A method and its lock: turns calls of the one into calls of the other.
 */
final class LockedMethod {

	private final Method method;

	private final LockAttributes attributes;

	private final LockTemplate locks;

	private final KeyTexts texts;

	/**
	 * Creates the connection.
	 * @param method the method that is called
	 * @param attributes what its annotation says
	 * @param template where locks are acquired
	 * @param texts how keys become texts
	 */
	LockedMethod(Method method, LockAttributes attributes, LockTemplate template, KeyTexts texts) {
		this.method = method;
		this.attributes = attributes;
		this.locks = (attributes.key() != null) ? template.named(attributes.name()) : template;
		this.texts = texts;
	}

	/**
	 * Acquires the lock for one call.
	 * @param invocation the call
	 * @return the held lock, or {@code null} if the call is to be skipped
	 */
	@Nullable LockHandle acquire(MethodInvocation invocation) {
		LockKey key = this.attributes.key();
		if (key == null) {
			return acquire(this.attributes.name());
		}
		try {
			Object value = KeyTexts.requirePresent(key.valueFor(invocation));
			if (value instanceof Long || value instanceof Integer) {
				return acquire(((Number) value).longValue());
			}
			Collection<?> elements = KeyTexts.elementsOf(value);
			return (elements != null) ? acquireAll(this.texts.textsOf(elements)) : acquire(this.texts.textOf(value));
		}
		catch (InvalidLockKeyException ex) {
			throw new InvalidLockKeyException(
					"The key " + KeyText.describe(key.expression()) + " of @DistributedLock on "
							+ MethodNames.describe(this.method) + " cannot be locked: " + ex.getMessage(),
					(ex.getCause() != null) ? ex.getCause() : ex);
		}
	}

	private @Nullable LockHandle acquire(long key) {
		return isSkipping() ? this.locks.tryAcquire(key, this.attributes.options())
				: this.locks.acquire(key, this.attributes.options());
	}

	private @Nullable LockHandle acquire(String key) {
		return isSkipping() ? this.locks.tryAcquire(key, this.attributes.options())
				: this.locks.acquire(key, this.attributes.options());
	}

	private @Nullable LockHandle acquireAll(List<String> keys) {
		return isSkipping() ? this.locks.tryAcquireAll(keys, this.attributes.options())
				: this.locks.acquireAll(keys, this.attributes.options());
	}

	private boolean isSkipping() {
		return this.attributes.onFailure() == OnFailure.SKIP;
	}

	/**
	 * Gives the held lock to the method, if it has a parameter for it.
	 * @param lock the held lock
	 * @param invocation the call
	 */
	void offer(LockHandle lock, MethodInvocation invocation) {
		if (this.attributes.handleIndex() != LockAttributes.NO_HANDLE) {
			invocation.getArguments()[this.attributes.handleIndex()] = lock;
		}
	}

	/**
	 * What the caller of a call gets that is skipped.
	 * @return an empty result
	 */
	@Nullable Object skippedResult() {
		return (this.method.getReturnType() == Optional.class) ? Optional.empty() : null;
	}

}
