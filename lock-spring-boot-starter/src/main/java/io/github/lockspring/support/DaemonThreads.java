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

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Factory of background threads. They do not keep the JVM alive, and do not inherit the
 * thread locals and the context class loader of the creating thread: their context class
 * loader is that of this library.
 */
public final class DaemonThreads {

	private static final int FIRST_WITH_VIRTUAL = 21;

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
	 * Start a thread.
	 * @param name its name
	 * @param task the task of the thread
	 * @param onFailure called with the cause if no thread can be started
	 * @return the thread, or {@code null} if none can be started
	 */
	public static @Nullable Thread start(String name, Runnable task, Consumer<Throwable> onFailure) {
		try {
			Thread thread = create(name, task);
			thread.start();
			return thread;
		}
		catch (Throwable ex) {
			onFailure.accept(ex);
			return null;
		}
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
		if (Runtime.version().feature() < FIRST_WITH_VIRTUAL) {
			return null;
		}
		try {
			ThreadFactory threads = virtual(prefix);
			return (task) -> {
				Thread thread = threads.newThread(task);
				thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
				return thread;
			};
		}
		catch (ReflectiveOperationException ex) {
			return null;
		}
	}

	/**
	 * Create a factory by {@code Thread.ofVirtual()}, which the minimum supported JDK
	 * does not have.
	 */
	private static ThreadFactory virtual(String prefix) throws ReflectiveOperationException {
		Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
		Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
		type.getMethod("name", String.class, long.class).invoke(builder, prefix, 1L);
		type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
		return (ThreadFactory) type.getMethod("factory").invoke(builder);
	}

	/**
	 * Wait for the end of a thread, unless this thread is interrupted.
	 */
	public static void awaitEnd(Thread thread, Duration timeout) {
		try {
			thread.join(timeout.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Wait until the tasks of an executor that is shut down have ended. An interrupt ends
	 * the wait.
	 * @param executor the executor
	 * @param timeout the maximum time
	 */
	public static void awaitEnd(ExecutorService executor, Duration timeout) {
		try {
			executor.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
