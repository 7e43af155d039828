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

package io.github.lockspring.simulator.cluster;

import java.util.concurrent.Executor;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.simulator.machine.Replaced;

/**
 * What the threads of a process lock with.
 *
 * @param template acquires locks
 * @param client has locks and primitives
 * @param methods the proxy of annotated methods
 * @param executor runs tasks in other threads of the process
 */
public record ProcessLocks(LockTemplate template, LockClient client, LockedMethods methods, Executor executor) {

	/**
	 * Create what is needed. No other thread overtakes meanwhile: the class of the proxy
	 * is created once in a JVM, which must not take part in decisions.
	 * @param template acquires locks
	 * @param executor runs tasks in other threads of the process
	 * @return the locks
	 */
	public static ProcessLocks of(LockTemplate template, Executor executor) {
		Replaced.beginInitializer();
		try {
			return new ProcessLocks(template, new LockClient(template), LockedMethods.proxy(template, executor),
					executor);
		}
		finally {
			Replaced.endInitializer();
		}
	}

}
