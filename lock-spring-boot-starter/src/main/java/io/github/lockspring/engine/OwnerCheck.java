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

package io.github.lockspring.engine;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.KeyFormat;

/**
 * Warns, once, about a thread that owns a lock but has left the task in which it acquired
 * the lock: it has ended, or waits in its pool for the next task, which could reenter the
 * lock. Not thread-safe.
 */
final class OwnerCheck {

	private static final Log logger = LogFactory.getLog(OwnerCheck.class);

	private boolean warned;

	/**
	 * Check the owner of a hold.
	 */
	void check(Hold hold) {
		if (!this.warned && hold.owner() instanceof Thread thread) {
			String reason = reason(thread);
			if (reason != null && hold.hasLease()) {
				this.warned = true;
				warn(hold, thread, reason);
			}
		}
	}

	private static void warn(Hold hold, Thread owner, String reason) {
		logger.warn("The lock on " + KeyFormat.quote(hold.key()) + " is still held by the thread '" + owner.getName()
				+ "', which " + reason + ". It is held until its handle is closed. Close the handle in the task"
				+ " that acquires the lock, or acquire with acquireAsync, or with a template that is ownedBy an object"
				+ " of the task. This warning is logged only once");
	}

	private static @Nullable String reason(Thread thread) {
		return switch (thread.getState()) {
			case TERMINATED -> "has ended";
			case WAITING, TIMED_WAITING -> isBetweenTasks(thread)
					? "is waiting for its next task, which could reenter the lock immediately" : null;
			default -> null;
		};
	}

	/**
	 * Return whether a thread waits for its next task, as known for the pools of the JDK
	 * and those derived from them, such as that of Tomcat: they call these methods only
	 * for the next task.
	 */
	private static boolean isBetweenTasks(Thread thread) {
		for (StackTraceElement frame : thread.getStackTrace()) {
			String pool = frame.getClassName();
			if (pool.endsWith(".ThreadPoolExecutor") && frame.getMethodName().equals("getTask")
					|| pool.equals("java.util.concurrent.ForkJoinPool") && frame.getMethodName().equals("awaitWork")) {
				return true;
			}
		}
		return false;
	}

}
