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

import io.github.lockspring.engine.KeyFormat;

/**
 * The locks under which the current method runs, as far as
 * {@link DistributedLock @DistributedLock} and
 * {@link DistributedSemaphore @DistributedSemaphore} took them: a chain from the
 * innermost to the outermost. Other threads do not see it, nor do the callbacks of
 * asynchronous methods, which run later: they use the handle. Reactive code finds it in
 * the context of its subscriber, see {@link ReactiveLockContext}.
 * <p>
 * Immutable.
 */
public final class LockContext {

	/**
	 * What each thread does at present, from the outside to the inside: the name and the
	 * handle of each lock that it took, and a {@link Part} for each asynchronous method
	 * of which it runs a part. The list has nothing of this library when the thread has
	 * left all of them, so that a thread that outlives the application keeps nothing of
	 * it.
	 */
	private static final ThreadLocal<List<Object>> STACK = ThreadLocal.withInitial(ArrayList::new);

	private final String name;

	private final LockHandle lock;

	private final @Nullable LockContext outer;

	/**
	 * Makes a chain longer. For use inside this library.
	 * @param name the name of the lock
	 * @param lock the held lock
	 * @param outer what was held before
	 */
	public LockContext(String name, LockHandle lock, @Nullable LockContext outer) {
		this.name = name;
		this.lock = lock;
		this.outer = outer;
	}

	/**
	 * The innermost lock under which the current method runs.
	 * @return the held lock, which may be lost by now
	 * @throws IllegalStateException if the current thread is in no annotated method, or
	 * the method was not called through its proxy
	 */
	public static LockHandle current() {
		Object innermost = last(STACK.get());
		if (innermost instanceof LockHandle lock) {
			return lock;
		}
		if (innermost instanceof Part part && part.context != null) {
			return part.context.lock;
		}
		throw none();
	}

	private static @Nullable Object last(List<Object> stack) {
		return stack.isEmpty() ? null : stack.get(stack.size() - 1);
	}

	static IllegalStateException none() {
		return new IllegalStateException(
				"No annotated method runs here under a lock: was it called by another method of the same object?");
	}

	/**
	 * The innermost lock of a name under which the current method runs.
	 * @param name the name, as the annotation has it
	 * @return the held lock, which may be lost by now
	 * @throws IllegalStateException if the current thread holds no such lock
	 */
	public static LockHandle current(String name) {
		return require(get(), name);
	}

	static LockHandle require(@Nullable LockContext context, String name) {
		LockHandle lock = (context != null) ? context.find(name) : null;
		if (lock == null) {
			throw new IllegalStateException("The lock " + KeyFormat.quote(name) + " is not held here, only "
					+ names(context) + ": was the annotated method called by another method of the same object?");
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
	 * The chain of the current thread.
	 * @return the innermost lock, or {@code null} if there is none
	 */
	public static @Nullable LockContext get() {
		List<Object> stack = STACK.get();
		int next = indexOfPart(stack) + 1;
		LockContext chain = (next > 0) ? ((Part) stack.get(next - 1)).context : null;
		for (; next < stack.size(); next += 2) {
			chain = new LockContext((String) stack.get(next), (LockHandle) stack.get(next + 1), chain);
		}
		return chain;
	}

	/**
	 * Where the innermost part of asynchronous work begins, or -1.
	 */
	private static int indexOfPart(List<Object> stack) {
		int index = stack.size() - 1;
		while (index >= 0 && !(stack.get(index) instanceof Part)) {
			index -= 2;
		}
		return index;
	}

	/**
	 * Begins a part of asynchronous work in the current thread: its locks take the place
	 * of those of the thread, until the part is closed in the same thread. For use inside
	 * this library.
	 * @param context the innermost lock of the work, or {@code null} for none
	 * @return the part
	 */
	public static Part begin(@Nullable LockContext context) {
		Part part = new Part(context);
		STACK.get().add(part);
		return part;
	}

	/**
	 * Makes the chain of the current thread longer. For use inside this library.
	 * @param name the name of the lock
	 * @param lock the held lock
	 */
	public static void enter(String name, LockHandle lock) {
		List<Object> stack = STACK.get();
		stack.add(name);
		stack.add(lock);
	}

	/**
	 * Takes the innermost lock out of the chain of the current thread. For use inside
	 * this library.
	 */
	public static void leave() {
		List<Object> stack = STACK.get();
		if (last(stack) instanceof LockHandle) {
			stack.remove(stack.size() - 1);
			stack.remove(stack.size() - 1);
		}
	}

	/**
	 * Tells to whom a lock belongs that the current thread acquires or gives back by a
	 * blocking method: to the asynchronous method that holds the key and of which the
	 * thread runs a part, or else to that part, which ends before the thread does
	 * anything else, or else to the thread. For use inside this library.
	 * @param backend the name of the backend
	 * @param storeKey the key as the store knows it
	 * @return the owner
	 */
	public static Object ownerOf(String backend, String storeKey) {
		List<Object> stack = STACK.get();
		int index = indexOfPart(stack);
		if (index < 0) {
			return Thread.currentThread();
		}
		LockContext context = get();
		Object owner = (context != null) ? context.asyncOwnerOf(backend, storeKey) : null;
		return (owner != null) ? owner : stack.get(index);
	}

	/**
	 * The name of the innermost lock.
	 * @return the name, as the annotation has it
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The innermost lock.
	 * @return the handle
	 */
	public LockHandle lock() {
		return this.lock;
	}

	/**
	 * What was held before the innermost lock.
	 * @return the rest of the chain, or {@code null}
	 */
	public @Nullable LockContext outer() {
		return this.outer;
	}

	/**
	 * Finds the asynchronous work that holds a key. Who acquires by a blocking method
	 * acquires again by itself what it holds; work that runs beside does not share its
	 * locks.
	 */
	@Nullable Object asyncOwnerOf(String backend, String storeKey) {
		for (LockContext context = this; context != null; context = context.outer) {
			Object owner = (context.lock instanceof DefaultLockHandle held) ? held.ownerOf(backend, storeKey)
					: (context.lock instanceof CompositeLockHandle held) ? held.ownerOf(backend, storeKey) : null;
			if (owner != null && !(owner instanceof Thread || owner instanceof Part)) {
				return owner;
			}
		}
		return null;
	}

	/**
	 * Finds the innermost lock of a name.
	 * @param name the name, as the annotation has it
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
	 * What one thread does of asynchronous work at a stretch. It owns what it acquires by
	 * the blocking methods, so that neither other work that the thread does later, nor
	 * another part of the same work that runs beside, acquires that again. For use inside
	 * this library.
	 */
	public static final class Part implements AutoCloseable {

		private final @Nullable LockContext context;

		private Part(@Nullable LockContext context) {
			this.context = context;
		}

		/**
		 * Ends this part, and whatever began inside it, if the current thread runs it.
		 */
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
