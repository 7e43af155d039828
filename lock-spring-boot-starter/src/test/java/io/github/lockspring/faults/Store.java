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

package io.github.lockspring.faults;

import io.github.lockspring.engine.EngineSettings;

/**
 * A store that processes of a test can connect to.
 */
public interface Store {

	/**
	 * Connects as a process of its own does, with connections of its own.
	 * @param settings the settings of the engine
	 * @return the process' connection, of which the backend is not started yet
	 */
	StoreClient connect(EngineSettings settings);

}
