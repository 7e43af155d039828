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

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

/**
 * A process that uses an engine as an application does: with connections, threads and an
 * identity of its own.
 */
public final class EngineProcess implements AutoCloseable {

	public final Queue<Long> lostTokens = new ConcurrentLinkedQueue<>();

	public final StoreClient client;

	public final LockBackend backend;

	public final LockEngine engine;

	/**
	 * Starts a process.
	 * @param store what it connects to
	 * @param settings its settings
	 */
	public EngineProcess(Store store, EngineSettings settings) {
		this(store, settings, TimeSource.SYSTEM);
	}

	/**
	 * Starts a process with a clock of its own.
	 * @param store what it connects to
	 * @param settings its settings
	 * @param time its clock
	 */
	public EngineProcess(Store store, EngineSettings settings, TimeSource time) {
		this.client = store.connect(settings);
		this.backend = this.client.backend();
		this.engine = new LockEngine(this.backend, settings, new EngineListener() {

			@Override
			public void lost(String key, long token) {
				EngineProcess.this.lostTokens.add(token);
			}

		}, time);
	}

	/**
	 * Loses all connections without a word, as a process does that is killed.
	 */
	public void disconnect() {
		this.client.disconnect();
	}

	@Override
	public void close() {
		this.engine.close();
		this.client.close();
	}

}
