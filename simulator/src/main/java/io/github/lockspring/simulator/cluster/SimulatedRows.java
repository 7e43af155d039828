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

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.state.StateBackend;
import io.github.lockspring.spi.state.StateStore;
import io.github.lockspring.spi.state.StateStore.Snapshot;

/**
 * Table of texts at a server, each of which is read and replaced by one request.
 */
public final class SimulatedRows implements SimulatedStore {

	private final Map<String, String> rows = new HashMap<>();

	private final Server server;

	private Map<String, String> remembered = Map.of();

	/**
	 * Create an empty table.
	 * @param server the server at which it is
	 */
	public SimulatedRows(Server server) {
		this.server = server;
	}

	@Override
	public LockBackend backend(Link link) {
		return new StateBackend("rows", new RemoteRows(link));
	}

	@Override
	public void remember() {
		this.remembered = Map.copyOf(this.rows);
	}

	@Override
	public void failOver() {
		this.rows.clear();
		this.rows.putAll(this.remembered);
	}

	@Override
	public void forget() {
		this.rows.clear();
	}

	private Snapshot read(String id) {
		return new Snapshot(this.rows.get(id), Instant.ofEpochMilli(this.server.node().currentTimeMillis()));
	}

	private boolean compareAndSet(String id, @Nullable String expected, String text) {
		if (!Objects.equals(this.rows.get(id), expected)) {
			return false;
		}
		this.rows.put(id, text);
		return true;
	}

	/**
	 * The rows as a process sees them.
	 */
	private final class RemoteRows implements StateStore {

		private final Link link;

		RemoteRows(Link link) {
			this.link = link;
		}

		@Override
		public Snapshot read(String id, Duration timeout) {
			try {
				return this.link.call(() -> SimulatedRows.this.read(id), timeout);
			}
			catch (CallFailedException ex) {
				throw new BackendUnavailableException(String.valueOf(ex.getMessage()), ex);
			}
		}

		@Override
		public boolean compareAndSet(String id, @Nullable String expected, String text, Duration timeout) {
			try {
				return this.link.call(() -> SimulatedRows.this.compareAndSet(id, expected, text), timeout);
			}
			catch (CallFailedException ex) {
				throw ex.translate();
			}
		}

	}

}
