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

/**
 * Listener for events of holds. Methods return immediately and do not throw exceptions.
 */
public interface EngineListener {

	/**
	 * A listener that does nothing.
	 */
	EngineListener NONE = new EngineListener() {
	};

	/**
	 * Called when the lease of a hold was lost, once per hold, in a separate thread.
	 * @param key the key
	 * @param token the fencing token of the hold, or 0 if the backend has none
	 */
	default void lost(String key, long token) {
	}

	/**
	 * Called when an election in this process was won, in a separate thread.
	 * @param key the key
	 * @param token the fencing token of the term, or 0 if the backend has none
	 */
	default void leadershipGranted(String key, long token) {
	}

	/**
	 * Called when the leadership of this process has ended, in a separate thread.
	 * @param key the key
	 * @param token the fencing token of the term, or 0 if the backend has none
	 */
	default void leadershipRevoked(String key, long token) {
	}

}
