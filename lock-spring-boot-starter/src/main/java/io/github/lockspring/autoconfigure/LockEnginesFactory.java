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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;

import io.github.lockspring.LeadershipGrantedEvent;
import io.github.lockspring.LeadershipRevokedEvent;
import io.github.lockspring.LockLostEvent;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.KeyFormat;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.LockConfigurationException;

/**
 * Factory of the lock engines: creates an engine for each backend without one.
 */
final class LockEnginesFactory {

	private final LockSettings settings;

	private final DefaultBackendSelector selector;

	private final ObjectProvider<LockBackend> backends;

	private final ApplicationEventPublisher eventPublisher;

	private final TimeSource time;

	private @Nullable LockEngine ownDefault;

	LockEnginesFactory(LockProperties properties, LockSettings settings, ObjectProvider<LockBackend> backends,
			ApplicationEventPublisher eventPublisher, TimeSource time) {
		this.settings = settings;
		this.selector = new DefaultBackendSelector(properties);
		this.backends = backends;
		this.eventPublisher = eventPublisher;
		this.time = time;
	}

	LockEngine defaultEngine() {
		LockEngine engine = engine(this.selector.requireDefault(this.backends));
		this.ownDefault = engine;
		return engine;
	}

	private LockEngine engine(LockBackend backend) {
		return new LockEngine(backend, this.settings.engineSettings(),
				new EventPublisher(this.eventPublisher, backend.name()), this.time);
	}

	/**
	 * Create the engines that are missing. If this fails, the engines created by this
	 * call are closed.
	 * @param defaultEngine the default engine
	 * @param beans the engines that are defined as beans
	 * @return the engines of the application
	 */
	LockEngines engines(LockEngine defaultEngine, List<LockEngine> beans) {
		List<LockEngine> others = new ArrayList<>(beans);
		others.remove(defaultEngine);
		List<LockEngine> created = new ArrayList<>();
		try {
			for (LockBackend backend : withoutEngine(defaultEngine, beans)) {
				created.add(engine(backend));
			}
			others.addAll(created);
			return checked(defaultEngine, others);
		}
		catch (RuntimeException ex) {
			created.forEach(LockEngine::close);
			throw ex;
		}
	}

	/**
	 * Return the backends that need an engine. If the application defines the default
	 * engine itself, only additional backends do.
	 */
	private List<LockBackend> withoutEngine(LockEngine defaultEngine, List<LockEngine> beans) {
		return this.backends.stream()
			.filter((backend) -> !backend.name().equals(defaultEngine.backendName()))
			.filter((backend) -> beans.stream().noneMatch((bean) -> bean.backendName().equals(backend.name())))
			.filter((backend) -> defaultEngine == this.ownDefault || this.selector.isAdditional(backend))
			.toList();
	}

	private LockEngines checked(LockEngine defaultEngine, List<LockEngine> others) {
		List<String> names = new ArrayList<>();
		names.add(defaultEngine.backendName());
		others.forEach((engine) -> names.add(engine.backendName()));
		DefaultBackendSelector.requireUnique(names);
		this.selector.requireAdditional(names);
		requireBackendsOfNames(names);
		return new LockEngines(defaultEngine, others);
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
	 */
	private static final class EventPublisher implements EngineListener {

		private static final Log logger = LogFactory.getLog(EventPublisher.class);

		private final ApplicationEventPublisher publisher;

		private final String backend;

		EventPublisher(ApplicationEventPublisher publisher, String backend) {
			this.publisher = publisher;
			this.backend = backend;
		}

		@Override
		public void lost(String key, long token) {
			publish(new LockLostEvent(key, token, this.backend), key);
		}

		@Override
		public void leadershipGranted(String key, long token) {
			publish(new LeadershipGrantedEvent(key, token, this.backend), key);
		}

		@Override
		public void leadershipRevoked(String key, long token) {
			publish(new LeadershipRevokedEvent(key, token, this.backend), key);
		}

		private void publish(Object event, String key) {
			try {
				this.publisher.publishEvent(event);
			}
			catch (Throwable ex) {
				logger.warn("Listener of " + event.getClass().getSimpleName() + " failed for the lock on "
						+ KeyFormat.quote(key), ex);
			}
		}

	}

}
