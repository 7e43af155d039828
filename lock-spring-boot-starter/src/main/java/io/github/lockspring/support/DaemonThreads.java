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

package io.github.lockspring.support;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * Factory of background threads. They do not keep the JVM alive, and do not inherit the
 * thread locals and the context class loader of the creating thread: their context class
 * loader is that of this library.
 */
public final class DaemonThreads {

	private static final int FIRST_WITH_VIRTUAL = 21;

	private static final @Nullable MethodHandle VIRTUAL = (Runtime.version().feature() >= FIRST_WITH_VIRTUAL)
			? findVirtualFactory() : null;

	private DaemonThreads() {
	}

	/**
	 * Create a thread, which is not started.
	 * @param name its name
	 * @param task the task of the thread
	 * @return the thread
	 */
	public static Thread create(String name, Runnable task) {
		Thread thread = new Thread(null, task, name, 0, false);
		thread.setDaemon(true);
		thread.setPriority(Thread.NORM_PRIORITY);
		thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
		return thread;
	}

	/**
	 * Return a factory of threads with numbered names.
	 * @param prefix the prefix of the names
	 * @return the factory
	 */
	public static ThreadFactory named(String prefix) {
		AtomicLong number = new AtomicLong();
		return (task) -> create(prefix + number.incrementAndGet(), task);
	}

	/**
	 * Return a factory of threads with numbered names, which are virtual if the JDK has
	 * such threads.
	 * @param prefix the prefix of the names
	 * @return the factory
	 */
	public static ThreadFactory virtualOrNamed(String prefix) {
		ThreadFactory virtual = virtualNamed(prefix);
		return (virtual != null) ? virtual : named(prefix);
	}

	/**
	 * Return a factory of virtual threads with numbered names, if the JDK has them.
	 * @param prefix the prefix of the names
	 * @return the factory, or {@code null} before Java 21
	 */
	public static @Nullable ThreadFactory virtualNamed(String prefix) {
		MethodHandle factory = VIRTUAL;
		return (factory != null) ? virtualNamed(factory, prefix) : null;
	}

	private static ThreadFactory virtualNamed(MethodHandle factory, String prefix) {
		try {
			ThreadFactory threads = (ThreadFactory) factory.invokeExact(prefix);
			return (task) -> {
				Thread thread = threads.newThread(task);
				thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
				return thread;
			};
		}
		catch (Throwable ex) {
			throw new IllegalStateException("Virtual threads cannot be created", ex);
		}
	}

	/**
	 * Return a method handle that creates a factory of virtual threads with a prefix of
	 * their names, as {@code Thread.ofVirtual()}, {@code name},
	 * {@code inheritInheritableThreadLocals} and {@code factory} do, which the minimum
	 * supported JDK does not have.
	 */
	private static @Nullable MethodHandle findVirtualFactory() {
		try {
			MethodHandles.Lookup lookup = MethodHandles.publicLookup();
			Class<?> builder = Class.forName("java.lang.Thread$Builder");
			Class<?> ofVirtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
			MethodHandle create = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual));
			MethodHandle name = MethodHandles.insertArguments(
					lookup.findVirtual(ofVirtual, "name", MethodType.methodType(ofVirtual, String.class, long.class)),
					2, 1L);
			MethodHandle isolate = MethodHandles.insertArguments(lookup.findVirtual(ofVirtual,
					"inheritInheritableThreadLocals", MethodType.methodType(ofVirtual, boolean.class)), 1, false);
			MethodHandle factory = lookup.findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class))
				.asType(MethodType.methodType(ThreadFactory.class, ofVirtual));
			MethodHandle named = MethodHandles.foldArguments(name, create);
			return MethodHandles.filterReturnValue(MethodHandles.filterReturnValue(named, isolate), factory);
		}
		catch (ReflectiveOperationException ex) {
			return null;
		}
	}

}
