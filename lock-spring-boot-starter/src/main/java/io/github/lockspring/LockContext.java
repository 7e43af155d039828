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

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockUtils.WorkPart;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.KeyFormat;

/**
 * Locks under which the current method runs, as acquired for {@link DistributedLock} and
 * {@link DistributedSemaphore} annotations: a chain from the innermost to the outermost.
 * The chain is visible neither to other threads nor to callbacks of asynchronous methods
 * that run later; these use the handle. Reactive code finds it in the subscriber context,
 * see {@link ReactiveLockContext}.
 * <p>
 * Immutable.
 */
public final class LockContext {

	/**
	 * Work of each thread, from the outermost to the innermost: the name and the handle
	 * of each lock that it acquired, and a {@link Part} for each asynchronous method of
	 * which it runs a part. The list contains no objects of this library once the thread
	 * has left all of them, so that a thread that outlives the application does not
	 * retain any.
	 */
	static final ThreadLocal<List<Object>> STACK = ThreadLocal.withInitial(ArrayList::new);

	private final String name;

	private final LockHandle lock;

	private final @Nullable LockContext outer;

	LockContext(String name, LockHandle lock, @Nullable LockContext outer) {
		this.name = name;
		this.lock = lock;
		this.outer = outer;
	}

	/**
	 * Return the innermost lock under which the current method runs.
	 * @return the handle of the lock, which may have been lost
	 * @throws IllegalStateException if the current thread runs no annotated method, or
	 * the method was not called through its proxy
	 */
	public static LockHandle current() {
		List<Object> stack = STACK.get();
		Object innermost = stack.isEmpty() ? null : stack.get(stack.size() - 1);
		if (innermost instanceof LockHandle lock) {
			return lock;
		}
		if (innermost instanceof Part part && part.context != null) {
			return part.context.lock;
		}
		throw none();
	}

	static IllegalStateException none() {
		return new IllegalStateException(
				"The current method does not run under a lock: was the annotated method called by another method of the same"
						+ " object?");
	}

	/**
	 * Return the innermost lock of the given name under which the current method runs.
	 * @param name the name, as specified by the annotation
	 * @return the handle of the lock, which may have been lost
	 * @throws IllegalStateException if the current thread holds no such lock
	 */
	public static LockHandle current(String name) {
		return require(get(), name);
	}

	static LockHandle require(@Nullable LockContext context, String name) {
		LockHandle lock = (context != null) ? context.find(name) : null;
		if (lock == null) {
			throw new IllegalStateException("The current method does not run under the lock " + KeyFormat.quote(name)
					+ " (held: " + names(context) + "): was the annotated method called by another method of the same"
					+ " object?");
		}
		return lock;
	}

	private static String names(@Nullable LockContext context) {
		StringBuilder names = new StringBuilder();
		for (LockContext each = context; each != null; each = each.outer) {
			names.append(names.isEmpty() ? "" : ", ").append(KeyFormat.quote(each.name));
		}
		return names.isEmpty() ? "none" : names.toString();
	}

	/**
	 * Return the chain of the current thread.
	 * @return the innermost lock, or {@code null} if there is none
	 */
	public static @Nullable LockContext get() {
		List<Object> stack = STACK.get();
		if (stack.isEmpty()) {
			return null;
		}
		int next = indexOfPart(stack) + 1;
		LockContext chain = (next > 0) ? ((Part) stack.get(next - 1)).context : null;
		for (; next < stack.size(); next += 2) {
			chain = new LockContext((String) stack.get(next), (LockHandle) stack.get(next + 1), chain);
		}
		return chain;
	}

	/**
	 * Return the index of the innermost part of asynchronous work, or -1.
	 */
	private static int indexOfPart(List<Object> stack) {
		int index = stack.size() - 1;
		while (index >= 0 && !(stack.get(index) instanceof Part)) {
			index -= 2;
		}
		return index;
	}

	static Object ownerOf(LockEngine engine, String storeKey) {
		List<Object> stack = STACK.get();
		int index = stack.isEmpty() ? -1 : indexOfPart(stack);
		if (index < 0) {
			return Thread.currentThread();
		}
		LockContext context = get();
		Object owner = (context != null) ? context.asyncOwnerOf(engine.backendName(), storeKey) : null;
		return (owner != null) ? owner : stack.get(index);
	}

	/**
	 * Return the name of the innermost lock.
	 * @return the name, as specified by the annotation
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the innermost lock.
	 * @return the handle
	 */
	public LockHandle lock() {
		return this.lock;
	}

	/**
	 * Return the locks that were held before the innermost lock.
	 * @return the remaining chain, or {@code null}
	 */
	public @Nullable LockContext outer() {
		return this.outer;
	}

	/**
	 * Find the asynchronous work that holds a key. Acquisitions by a blocking method are
	 * reentered through their own owner; concurrent work does not share its locks.
	 */
	@Nullable Object asyncOwnerOf(String backend, String storeKey) {
		for (LockContext context = this; context != null; context = context.outer) {
			Hold hold = holdOf(context.lock, backend, storeKey);
			Object owner = (hold != null) ? hold.owner() : null;
			if (owner != null && !(owner instanceof Thread || owner instanceof Part)) {
				return owner;
			}
		}
		return null;
	}

	static @Nullable Hold holdOf(LockHandle lock, String backend, String storeKey) {
		return (lock instanceof DefaultLockHandle held) ? held.holdOf(backend, storeKey)
				: (lock instanceof CompositeLockHandle held) ? held.holdOf(backend, storeKey) : null;
	}

	/**
	 * Find the innermost lock of the given name.
	 * @param name the name, as specified by the annotation
	 * @return the handle, or {@code null} if there is none
	 */
	public @Nullable LockHandle find(String name) {
		for (LockContext context = this; context != null; context = context.outer) {
			if (context.name.equals(name)) {
				return context.lock;
			}
		}
		return null;
	}

	/**
	 * Part of asynchronous work, an entry in the list of its thread.
	 */
	static final class Part implements WorkPart {

		private final @Nullable LockContext context;

		Part(@Nullable LockContext context) {
			this.context = context;
		}

		@Override
		public void close() {
			List<Object> stack = STACK.get();
			int index = stack.lastIndexOf(this);
			if (index >= 0) {
				stack.subList(index, stack.size()).clear();
			}
		}

	}

}
