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
package io.github.lockspring.benchmarks.store;

/**
 * A count of the commands that a store executes for its clients.
 */
@FunctionalInterface
public interface CommandCount extends AutoCloseable {

	/**
	 * How many there were since the count began.
	 * @return the number
	 */
	long soFar();

	/**
	 * How many commands the store has executed for scripts, as found by the last
	 * {@link #soFar()}. They cost no trip, and are not among those.
	 * @return the number
	 */
	default long inScripts() {
		return 0;
	}

	@Override
	default void close() {
	}

}
