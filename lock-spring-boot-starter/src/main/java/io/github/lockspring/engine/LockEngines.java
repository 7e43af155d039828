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
 * The engines of one application, one for each backend, told apart by the names of their
 * backends. One of them is the default. They have no locks in common: a key that is held
 * on one backend is free on the others.
 * <p>
 * Safe for use by many threads.
 */
public final class LockEngines implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockEngines.class);

	private final LockEngine defaultEngine;

	private final Map<String, LockEngine> engines;

	/**
	 * Creates engines out of those that there are.
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
						"There are two lock backends of the name '" + engine.backendName() + "'");
			}
		}
		this.defaultEngine = defaultEngine;
		this.engines = Collections.unmodifiableMap(engines);
	}

	/**
	 * The engines of an application with one backend.
	 * @param engine the only engine
	 * @return engines
	 */
	public static LockEngines of(LockEngine engine) {
		return new LockEngines(engine, List.of());
	}

	/**
	 * The engine for those that name no backend.
	 * @return the default
	 */
	public LockEngine defaultEngine() {
		return this.defaultEngine;
	}

	/**
	 * The engine on a backend.
	 * @param backend the name of the backend
	 * @return its engine
	 * @throws IllegalArgumentException if there is none; the message lists those that
	 * there are
	 */
	public LockEngine require(String backend) {
		LockEngine engine = this.engines.get(backend);
		if (engine == null) {
			throw new IllegalArgumentException("There is no lock backend '" + backend
					+ "'. The lock backends of this application are: " + String.join(", ", names()));
		}
		return engine;
	}

	/**
	 * The names of the backends, the default first.
	 * @return the names, at least one
	 */
	public Set<String> names() {
		return this.engines.keySet();
	}

	/**
	 * All engines, the default first.
	 * @return the engines, at least one
	 */
	public Collection<LockEngine> all() {
		return this.engines.values();
	}

	/**
	 * Opens all engines again that are shut down.
	 * @see LockEngine#start()
	 */
	public void start() {
		this.engines.values().forEach(LockEngine::start);
	}

	/**
	 * Shuts all engines down at the same time, as {@link LockEngine#shutdown(Duration)}
	 * does: it takes as long as the slowest of them. Returns when all are shut down, also
	 * in a thread that is interrupted, which hurries them.
	 * @param grace how long holders may take
	 */
	public void shutdown(Duration grace) {
		List<Shutdown> others = this.engines.values()
			.stream()
			.filter((engine) -> engine != this.defaultEngine)
			.map((engine) -> Shutdown.start(engine, grace))
			.toList();
		try {
			this.defaultEngine.shutdown(grace);
		}
		finally {
			others.forEach(Shutdown::await);
		}
	}

	/**
	 * Shuts down without waiting for holders. Does nothing if shut down already.
	 */
	@Override
	public void close() {
		this.engines.values().forEach(LockEngine::close);
	}

	/**
	 * The end of one engine, in a thread of its own.
	 */
	private record Shutdown(Thread thread) {

		static Shutdown start(LockEngine engine, Duration grace) {
			Thread thread = DaemonThreads.create("lock-" + engine.backendName() + "-shutdown",
					() -> shutdown(engine, grace));
			thread.start();
			return new Shutdown(thread);
		}

		private static void shutdown(LockEngine engine, Duration grace) {
			try {
				engine.shutdown(grace);
			}
			catch (RuntimeException ex) {
				logger.warn("The lock backend '" + engine.backendName() + "' was not shut down cleanly", ex);
			}
		}

		void await() {
			boolean interrupted = false;
			while (this.thread.isAlive()) {
				try {
					this.thread.join();
				}
				catch (InterruptedException ex) {
					interrupted = true;
					this.thread.interrupt();
				}
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
