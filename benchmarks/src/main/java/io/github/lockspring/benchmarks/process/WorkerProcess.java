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

package io.github.lockspring.benchmarks.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.process.HeldLeases.Cost;
import io.github.lockspring.benchmarks.store.Store;

/**
 * A {@link Worker} as seen by who started it. What begins with {@code start} is answered
 * later.
 */
public final class WorkerProcess implements AutoCloseable {

	private final JavaProcess process;

	public WorkerProcess(Store store, Entrant entrant) {
		String address = Objects.requireNonNull(store.address(), "No process can join this store");
		this.process = new JavaProcess(Worker.class, store.name(), address, entrant.name());
	}

	/**
	 * Lets threads contend.
	 * @param key the key
	 * @param threads how many threads
	 * @param time for how long
	 * @param occupancy the file of an {@link Occupancy}, if there is one
	 */
	public void startTeam(String key, int threads, Duration time, @Nullable Path occupancy) {
		String file = (occupancy != null) ? " " + occupancy : "";
		this.process.send("team " + key + ' ' + threads + ' ' + time.toMillis() + file);
	}

	public TeamResult teamResult() {
		return TeamResult.parse(this.process.receive());
	}

	public void startAcquire(String key) {
		this.process.send("acquire " + key);
	}

	public long acquiredAt() {
		return Long.parseLong(this.process.receive());
	}

	/**
	 * Release what was acquired.
	 * @return when the release began
	 */
	public long release() {
		return Long.parseLong(ask("release"));
	}

	public Cost hold(int leases) {
		return Cost.parse(ask("hold " + leases));
	}

	public long cpuNanos() {
		return Long.parseLong(ask("cpu"));
	}

	public void drop() {
		ask("drop");
	}

	/**
	 * Lets threads wait for keys that another process holds.
	 * @param keys how many keys, each with a thread that waits for it
	 */
	public void await(int keys) {
		ask("await " + keys);
	}

	/**
	 * How many threads wait no longer.
	 * @return the number
	 */
	public long served() {
		return Long.parseLong(ask("served"));
	}

	public void awaitAllServed() {
		ask("await-served");
	}

	private String ask(String command) {
		this.process.send(command);
		return this.process.receive();
	}

	@Override
	public void close() {
		this.process.close();
	}

}
