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

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.support.DaemonThreads;

/**
 * Engines of one application, one for each backend, identified by the names of their
 * backends. One of them is the default. They share no locks: a key that is held on one
 * backend is free on the others.
 * <p>
 * Thread-safe.
 */
public final class LockEngines implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockEngines.class);

	private final LockEngine defaultEngine;

	private final Map<String, LockEngine> engines;

	private final LockNames lockNames = new LockNames();

	/**
	 * Create the engines of an application.
	 * @param defaultEngine the default
	 * @param others the others, none for an application with one backend
	 * @throws IllegalArgumentException if two of them have backends of the same name
	 */
	public LockEngines(LockEngine defaultEngine, Collection<LockEngine> others) {
		Map<String, LockEngine> engines = new LinkedHashMap<>();
		engines.put(defaultEngine.backendName(), defaultEngine);
		for (LockEngine engine : others) {
			if (engines.put(engine.backendName(), engine) != null) {
				throw new IllegalArgumentException(
						"There is more than one lock backend named '" + engine.backendName() + "'");
			}
		}
		this.defaultEngine = defaultEngine;
		this.engines = Collections.unmodifiableMap(engines);
	}

	/**
	 * Create the engines of an application with one backend.
	 * @param engine the only engine
	 * @return the engines
	 */
	public static LockEngines of(LockEngine engine) {
		return new LockEngines(engine, List.of());
	}

	/**
	 * Return the default engine.
	 * @return the engine used where no backend is named
	 */
	public LockEngine defaultEngine() {
		return this.defaultEngine;
	}

	/**
	 * Return the engine of a backend.
	 * @param backend the name of the backend
	 * @return its engine
	 * @throws IllegalArgumentException if there is none; the message lists the existing
	 * ones
	 */
	public LockEngine require(String backend) {
		LockEngine engine = this.engines.get(backend);
		if (engine == null) {
			throw new IllegalArgumentException("There is no lock backend named '" + backend
					+ "'. The lock backends of this application are: " + String.join(", ", names()));
		}
		return engine;
	}

	/**
	 * Return the names of the backends, the default first.
	 * @return the names, at least one
	 */
	public Set<String> names() {
		return this.engines.keySet();
	}

	/**
	 * Return all engines, the default first.
	 * @return the engines, at least one
	 */
	public Collection<LockEngine> all() {
		return this.engines.values();
	}

	/**
	 * Return the names of the locks, which are the same for all backends.
	 * @return the names known by now
	 */
	public LockNames lockNames() {
		return this.lockNames;
	}

	/**
	 * Restart all engines that are shut down.
	 * @see LockEngine#start()
	 */
	public void start() {
		this.engines.values().forEach(LockEngine::start);
	}

	/**
	 * Shut down all engines in parallel, like {@link LockEngine#shutdown(Duration)}:
	 * takes as long as the slowest of them. Returns when all are shut down, even if the
	 * thread is interrupted, which ends the grace period.
	 * @param grace the grace period for holders
	 */
	public void shutdown(Duration grace) {
		List<Thread> others = this.engines.values()
			.stream()
			.filter((engine) -> engine != this.defaultEngine)
			.map((engine) -> DaemonThreads.create("lock-" + engine.backendName() + "-shutdown",
					() -> shutdown(engine, grace)))
			.toList();
		others.forEach(Thread::start);
		try {
			this.defaultEngine.shutdown(grace);
		}
		finally {
			others.forEach(LockEngines::await);
		}
	}

	private static void shutdown(LockEngine engine, Duration grace) {
		try {
			engine.shutdown(grace);
		}
		catch (RuntimeException ex) {
			logger.warn("The lock backend '" + engine.backendName() + "' was not shut down cleanly", ex);
		}
	}

	private static void await(Thread thread) {
		boolean interrupted = false;
		while (thread.isAlive()) {
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				interrupted = true;
				thread.interrupt();
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Shut down without waiting for holders. Has no effect if shut down already.
	 */
	@Override
	public void close() {
		this.engines.values().forEach(LockEngine::close);
	}

}
