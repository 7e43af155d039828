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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.event.LeadershipGrantedEvent;
import io.github.lockspring.event.LeadershipRevokedEvent;
import io.github.lockspring.event.LockLostEvent;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockConfigurationException;
import io.github.lockspring.spi.TimeSource;

/**
 * Creates an engine for each backend.
 */
final class LockEnginesFactory {

	private final LockSettings settings;

	private final DefaultBackendSelector selector;

	private final ObjectProvider<LockBackend> backends;

	private final ApplicationEventPublisher eventPublisher;

	private final TimeSource time;

	LockEnginesFactory(LockProperties properties, LockSettings settings, ObjectProvider<LockBackend> backends,
			ApplicationEventPublisher eventPublisher, TimeSource time) {
		this.settings = settings;
		this.selector = new DefaultBackendSelector(properties);
		this.backends = backends;
		this.eventPublisher = eventPublisher;
		this.time = time;
	}

	/**
	 * Create the engines of the application. If one of them cannot be created, the others
	 * are closed.
	 */
	LockEngines engines() {
		LockBackend first = this.selector.requireDefault(this.backends);
		List<LockEngine> engines = new ArrayList<>();
		try {
			engines.add(engine(first));
			this.backends.stream()
				.filter((backend) -> !backend.name().equals(first.name()))
				.forEach((backend) -> engines.add(engine(backend)));
			List<String> names = engines.stream().map(LockEngine::backendName).toList();
			DefaultBackendSelector.requireUnique(names);
			this.selector.requireAdditional(names);
			requireBackendsOfNames(names);
			return new LockEngines(engines.get(0), engines.subList(1, engines.size()));
		}
		catch (Throwable ex) {
			engines.forEach(LockEngine::close);
			throw ex;
		}
	}

	private LockEngine engine(LockBackend backend) {
		EngineSettings settings = this.settings.engineSettings();
		// a lock that has been released is not held for a test
		boolean retaining = !(this.backends instanceof ReplacedLockBackends);
		return new LockEngine(backend, retaining ? settings : settings.withMaxRetainedKeys(0),
				new EventPublisher(this.eventPublisher, backend.name()), this.time);
	}

	private void requireBackendsOfNames(List<String> names) {
		this.settings.annotationDefaults().names().forEach((name, overrides) -> {
			String backend = overrides.backend();
			if (backend != null && !names.contains(backend)) {
				throw new LockConfigurationException(
						"The property " + LockSettings.propertyOf(name) + ".backend is '" + backend
								+ "', but no such backend exists.",
						"Set it to one of them: " + String.join(", ", names)
								+ ", or add the backend to lock.additional-backends.");
			}
		});
	}

	/**
	 * Publishes notifications of the engine as application events.
	 *
	 * @param publisher the publisher
	 * @param backend the name of the backend
	 */
	private record EventPublisher(ApplicationEventPublisher publisher, String backend) implements EngineListener {

		@Override
		public void lost(String key, long token) {
			LockEventPublisher.publish(this.publisher, new LockLostEvent(key, token, this.backend), key);
		}

		@Override
		public void leadershipGranted(String key, long token) {
			LockEventPublisher.publish(this.publisher, new LeadershipGrantedEvent(key, token, this.backend), key);
		}

		@Override
		public void leadershipRevoked(String key, long token) {
			LockEventPublisher.publish(this.publisher, new LeadershipRevokedEvent(key, token, this.backend), key);
		}

	}

}
