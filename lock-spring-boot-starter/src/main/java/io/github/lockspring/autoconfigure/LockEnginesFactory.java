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

package io.github.lockspring.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.springframework.context.ApplicationEventPublisher;

import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.engine.TimeSource;
import io.github.lockspring.spi.LockBackend;

/**
 * Makes an engine for each backend that has none.
 */
final class LockEnginesFactory {

	private final LockProperties properties;

	private final ApplicationEventPublisher eventPublisher;

	LockEnginesFactory(LockProperties properties, ApplicationEventPublisher eventPublisher) {
		this.properties = properties;
		this.eventPublisher = eventPublisher;
	}

	LockEngine engine(LockBackend backend) {
		return new LockEngine(backend, LockSettings.of(this.properties).engineSettings(),
				new LockEventPublisher(this.eventPublisher, backend.name()), TimeSource.SYSTEM);
	}

	/**
	 * Puts the engines together, or closes those that it made.
	 * @param defaultEngine the default engine
	 * @param others the other engines that there are
	 * @param backends all backends
	 * @return the engines of the application
	 */
	LockEngines engines(LockEngine defaultEngine, List<LockEngine> others, List<LockBackend> backends) {
		List<LockEngine> made = new ArrayList<>();
		try {
			List<LockEngine> all = new ArrayList<>(others);
			all.remove(defaultEngine);
			for (LockBackend backend : backends) {
				if (!backend.name().equals(defaultEngine.backendName()) && !isThere(backend, all)) {
					LockEngine engine = engine(backend);
					made.add(engine);
					all.add(engine);
				}
			}
			LockEngines engines = new LockEngines(defaultEngine, all);
			requireBackendsOfNames(engines);
			return engines;
		}
		catch (RuntimeException ex) {
			made.forEach(LockEngine::close);
			throw ex;
		}
	}

	private static boolean isThere(LockBackend backend, List<LockEngine> engines) {
		return engines.stream().anyMatch((engine) -> engine.backendName().equals(backend.name()));
	}

	private void requireBackendsOfNames(LockEngines engines) {
		this.properties.getNames().forEach((name, named) -> {
			String backend = named.getBackend();
			if (backend != null && !engines.names().contains(backend)) {
				throw new LockConfigurationException(
						"The property " + LockSettings.propertyOf(name) + ".backend is '" + backend
								+ "', but there is no such backend.",
						"Set it to one of them: " + String.join(", ", engines.names())
								+ ", or name the backend in lock.additional-backends.");
			}
		});
	}

}
