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

import java.util.concurrent.ExecutorService;

import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

/**
 * Creates engines whose threads are those of an executor.
 */
public final class SimulatedEngine {

	private SimulatedEngine() {
	}

	/**
	 * Create an engine.
	 * @param backend the store
	 * @param settings the settings
	 * @param listener the listener
	 * @param time the clocks
	 * @param executor runs all work of the engine
	 * @return the engine
	 */
	public static LockEngine create(LockBackend backend, EngineSettings settings, EngineListener listener,
			TimeSource time, ExecutorService executor) {
		return new LockEngine(backend, settings, listener, time, executor);
	}

}
