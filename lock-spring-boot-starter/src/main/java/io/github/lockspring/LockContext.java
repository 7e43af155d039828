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

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.KeyText;

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

	private static final ThreadLocal<Frames> FRAMES = ThreadLocal.withInitial(Frames::new);

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
		LockHandle lock = FRAMES.get().top();
		if (lock == null) {
			throw none();
		}
		return lock;
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
			throw new IllegalStateException("The lock " + KeyText.describe(name) + " is not held here, only "
					+ names(context) + ": was the annotated method called by another method of the same object?");
		}
		return lock;
	}

	private static String names(@Nullable LockContext context) {
		StringBuilder names = new StringBuilder();
		for (LockContext each = context; each != null; each = each.outer) {
			names.append(names.isEmpty() ? "" : ", ").append(KeyText.describe(each.name));
		}
		return names.isEmpty() ? "none" : names.toString();
	}

	/**
	 * The chain of the current thread.
	 * @return the innermost lock, or {@code null} if there is none
	 */
	public static @Nullable LockContext get() {
		return FRAMES.get().chain();
	}

	/**
	 * Replaces the chain of the current thread. For use inside this library.
	 * @param context the innermost lock, or {@code null} for none
	 */
	public static void set(@Nullable LockContext context) {
		FRAMES.get().replace(context);
	}

	/**
	 * Makes the chain of the current thread longer. For use inside this library.
	 * @param name the name of the lock
	 * @param lock the held lock
	 */
	public static void enter(String name, LockHandle lock) {
		FRAMES.get().push(name, lock);
	}

	/**
	 * Takes the innermost lock out of the chain of the current thread. For use inside
	 * this library.
	 */
	public static void leave() {
		FRAMES.get().pop();
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
	 * Finds the asynchronous work that holds a key. Threads acquire again what they hold
	 * by themselves; work that runs beside them does not share their locks.
	 */
	@Nullable Object ownerOf(String backend, String storeKey) {
		for (LockContext context = this; context != null; context = context.outer) {
			Object owner = (context.lock instanceof HeldLock held) ? held.ownerOf(backend, storeKey)
					: (context.lock instanceof HeldLocks held) ? held.ownerOf(backend, storeKey) : null;
			if (owner != null && !(owner instanceof Thread)) {
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
	 * The chain of one thread, which becomes objects only for those that look at it.
	 */
	private static final class Frames {

		private static final int USUAL_DEPTH = 4;

		private @Nullable LockContext base;

		private String[] names = new String[USUAL_DEPTH];

		private LockHandle[] locks = new LockHandle[USUAL_DEPTH];

		private int size;

		@Nullable LockHandle top() {
			if (this.size > 0) {
				return this.locks[this.size - 1];
			}
			return (this.base != null) ? this.base.lock : null;
		}

		@Nullable LockContext chain() {
			LockContext chain = this.base;
			for (int i = 0; i < this.size; i++) {
				chain = new LockContext(this.names[i], this.locks[i], chain);
			}
			return chain;
		}

		void replace(@Nullable LockContext context) {
			while (this.size > 0) {
				pop();
			}
			this.base = context;
		}

		void push(String name, LockHandle lock) {
			if (this.size == this.locks.length) {
				this.names = Arrays.copyOf(this.names, 2 * this.size);
				this.locks = Arrays.copyOf(this.locks, 2 * this.size);
			}
			this.names[this.size] = name;
			this.locks[this.size++] = lock;
		}

		@SuppressWarnings("NullAway") // beyond the size there is nothing
		void pop() {
			if (this.size > 0) {
				this.size--;
				this.names[this.size] = null;
				this.locks[this.size] = null;
			}
			else if (this.base != null) {
				this.base = this.base.outer;
			}
		}

	}

}
