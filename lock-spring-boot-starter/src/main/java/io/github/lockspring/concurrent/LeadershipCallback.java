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

package io.github.lockspring.concurrent;

import org.jspecify.annotations.Nullable;

/**
 * Callback for code that runs while this process is the leader of a
 * {@link LeaderElection}, with a result.
 *
 * @param <T> the type of the result
 * @param <E> the type of exception that may be thrown
 */
@FunctionalInterface
public interface LeadershipCallback<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Called in the thread that waited for the leadership, while this process has it.
	 * @param fencingToken the fencing token of the term, or 0 if the backend does not
	 * support fencing tokens
	 * @return the result
	 * @throws E if the action failed; the leadership is relinquished nevertheless
	 */
	T doAsLeader(long fencingToken) throws E;

}
