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

package io.github.lockspring.sample.store;

import java.util.List;

/**
 * Where the instances keep their locks, and their stock unless that is in a database
 * besides. To close it ends what was started for it; to close it again does nothing.
 * Thread-safe.
 */
public interface Store extends AutoCloseable {

	/**
	 * Return the name of the store.
	 * @return the name, as in {@code --store}
	 */
	String name();

	/**
	 * Return the arguments that lead instances to the store.
	 * @return arguments for instances
	 */
	List<String> arguments();

	/**
	 * Return whether the store can be paused: whether its process is ours and the system
	 * has signals for that.
	 * @return whether it can be paused
	 */
	boolean isStoppable();

	/**
	 * Let the processes of the store stand still, with connections open. Does nothing if
	 * they do already.
	 * @throws IllegalStateException if the store is not stoppable
	 */
	void pause();

	/**
	 * Let the processes of the store continue. Does nothing if they run.
	 */
	void resume();

	@Override
	void close();

}
