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
import java.util.List;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUtils;
import io.github.lockspring.OnLost;
import io.github.lockspring.aop.expression.LockExpression;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.support.KeyFormat;

/**
 * Lock operation of a method, from which a {@link LockInvocation} is created for each
 * call.
 */
final class LockOperation {

	private final LockAttributes attributes;

	private final String name;

	private final @Nullable LockExpression key;

	private final @Nullable LockExpression condition;

	private final LockOptions options;

	private final List<DynamicDuration> times;

	private final OnLost onLost;

	private final LockTemplate template;

	private final LockKeyResolver keyResolver;

	/**
	 * Create a lock operation.
	 * @param attributes the attributes of the annotation
	 * @param template the template that acquires the locks
	 * @param keyResolver the resolver of keys
	 */
	LockOperation(LockAttributes attributes, LockTemplate template, LockKeyResolver keyResolver) {
		this.attributes = attributes;
		this.name = attributes.name();
		this.key = attributes.key();
		this.condition = attributes.condition();
		this.options = attributes.options();
		this.times = attributes.times();
		this.onLost = attributes.onLost();
		this.template = (attributes.key() != null) ? template.named(attributes.name()) : template;
		LockUtils.registerName(template, attributes.name());
		this.keyResolver = keyResolver;
	}

	LockAttributes attributes() {
		return this.attributes;
	}

	String name() {
		return this.name;
	}

	OnLost onLost() {
		return this.onLost;
	}

	LockTemplate template() {
		return this.template;
	}

	/**
	 * Return whether a call is to be locked.
	 * @param invocation the call
	 * @return {@code true} if there is no condition, or if it is met
	 * @throws IllegalArgumentException if the condition cannot be evaluated
	 */
	boolean applies(MethodInvocation invocation) {
		LockExpression condition = this.condition;
		if (condition == null) {
			return true;
		}
		try {
			if (condition.valueFor(invocation) instanceof Boolean applies) {
				return applies;
			}
		}
		catch (InvalidLockKeyException ex) {
			throw rejection("condition", condition, String.valueOf(ex.getMessage()), causeOf(ex));
		}
		throw rejection("condition", condition, "it is neither true nor false", null);
	}

	/**
	 * Return whether its holder excludes others, as opposed to one permit of several.
	 */
	boolean isExclusive() {
		return this.options.permits() <= 1;
	}

	/**
	 * Return whether a key is held already, so that it is acquired reentrantly without
	 * waiting.
	 * @param held the locks that are held
	 * @param key the key of a call
	 * @return {@code true} if each of its keys is held by one of the locks
	 */
	boolean isHeldIn(@Nullable LockContext held, Object key) {
		List<LockHandle> locks = ofSameName(held);
		return !locks.isEmpty() && !this.attributes.isSemaphore() && storeKeys(key).stream()
			.allMatch((storeKey) -> holdsOf(locks, storeKey).anyMatch((hold) -> hold.permitLimit() == 0));
	}

	/**
	 * Return whether a key is held already by a blocking call, also if it was not
	 * acquired for an annotation, or is kept by a transaction.
	 * @param held the locks that are held for annotations
	 * @param key the key of a call
	 * @return {@code true} if each of its keys is held by the locks, or by the thread
	 */
	boolean isHeld(@Nullable LockContext held, Object key) {
		return isHeldIn(held, key) || isHeldByThread(key);
	}

	private boolean isHeldByThread(Object key) {
		LockOptions write = this.options.withType(LockType.REENTRANT);
		return !this.attributes.isSemaphore() && storeKeys(key).stream()
			.allMatch((storeKey) -> LockUtils.isHeld(this.template, storeKey, write)
					|| LockUtils.isHeld(this.template, storeKey, this.options));
	}

	/**
	 * Return the locks with the name of this one: others have other keys.
	 */
	List<LockHandle> ofSameName(@Nullable LockContext held) {
		List<LockHandle> locks = List.of();
		for (LockContext each = held; each != null; each = each.outer()) {
			if (each.name().equals(name())) {
				locks = locks.isEmpty() ? new ArrayList<>() : locks;
				locks.add(each.lock());
			}
		}
		return locks;
	}

	/**
	 * Return the holds of a key.
	 * @param locks the handles to search
	 * @param storeKey the key used in the store
	 * @return those that are held
	 */
	Stream<Hold> holdsOf(List<LockHandle> locks, String storeKey) {
		return locks.stream()
			.map((lock) -> LockUtils.holdOf(lock, this.template, storeKey))
			.filter((hold) -> hold != null && hold.isHeld());
	}

	/**
	 * Return the lock options for a call.
	 * @param invocation the call
	 * @return the options
	 * @throws IllegalArgumentException if a duration cannot be evaluated
	 */
	LockOptions optionsOf(MethodInvocation invocation) {
		LockOptions options = this.options;
		for (DynamicDuration time : this.times) {
			options = time.applyTo(options, invocation);
		}
		return options;
	}

	/**
	 * Return the key of a call.
	 * @param invocation the call
	 * @return the key: a number, a string, or a list of strings
	 * @throws InvalidLockKeyException if the key cannot be evaluated
	 */
	Object keyOf(MethodInvocation invocation) {
		LockExpression key = this.key;
		if (key == null) {
			return this.name;
		}
		try {
			Object value = key.valueFor(invocation);
			return (value instanceof String) ? value : this.keyResolver.keyOf(value);
		}
		catch (InvalidLockKeyException ex) {
			throw rejection("key", key, String.valueOf(ex.getMessage()), causeOf(ex));
		}
	}

	private static Throwable causeOf(InvalidLockKeyException failure) {
		return (failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Acquire the lock for the current thread.
	 * @param key the key
	 * @param options the lock options
	 * @return the held lock
	 */
	@SuppressWarnings("unchecked")
	LockHandle acquire(Object key, LockOptions options) {
		try {
			if (key instanceof String text) {
				return this.template.acquire(text, options);
			}
			return (key instanceof Number number) ? this.template.acquire(number.longValue(), options)
					: this.template.acquireAll((List<String>) key, options);
		}
		catch (InvalidLockKeyException ex) {
			throw rejection(ex);
		}
		catch (IllegalArgumentException ex) {
			throw (IllegalArgumentException) explain(ex);
		}
	}

	/**
	 * Add the annotated method to an {@link IllegalArgumentException}, which is thrown if
	 * the key is in use with a different number of permits.
	 */
	Throwable explain(Throwable failure) {
		return (failure.getClass() == IllegalArgumentException.class)
				? new IllegalArgumentException(this.attributes.site() + ": " + failure.getMessage(), failure) : failure;
	}

	/**
	 * Add the key expression to the failure of a key.
	 */
	InvalidLockKeyException rejection(InvalidLockKeyException failure) {
		LockExpression key = this.key;
		return (key != null) ? rejection("key", key, String.valueOf(failure.getMessage()), causeOf(failure)) : failure;
	}

	private InvalidLockKeyException rejection(String attribute, LockExpression expression, String reason,
			@Nullable Throwable cause) {
		return new InvalidLockKeyException(
				"The " + attribute + ' ' + KeyFormat.quote(expression.expression()) + " of " + this.attributes.site()
						+ " cannot be " + (attribute.equals("key") ? "locked" : "used") + ": " + reason,
				cause);
	}

	/**
	 * Return the different keys as used in the store.
	 */
	List<String> storeKeys(Object key) {
		List<?> keys = (key instanceof List<?> list) ? list : List.of(key);
		try {
			if (keys.isEmpty()) {
				throw new InvalidLockKeyException("it has no elements");
			}
			return keys.stream().map((each) -> this.template.storeKey(each.toString())).distinct().toList();
		}
		catch (InvalidLockKeyException ex) {
			throw rejection(ex);
		}
	}

}
