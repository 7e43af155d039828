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

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

import io.github.lockspring.engine.AcquireOutcome;
import io.github.lockspring.engine.EngineObserver;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.engine.LockKind;
import io.github.lockspring.event.LockAcquiredEvent;
import io.github.lockspring.event.LockNotAcquiredEvent;
import io.github.lockspring.event.LockReleasedEvent;
import io.github.lockspring.support.KeyFormat;

/**
 * Publishes application events for acquisitions and releases, if there are listeners for
 * them when the context starts. Otherwise the engines are not observed.
 */
final class LockEventPublisher implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(LockEventPublisher.class);

	private final ApplicationContext context;

	private final LockEngines engines;

	private volatile boolean running;

	private boolean observing;

	LockEventPublisher(ApplicationContext context, LockEngines engines) {
		this.context = context;
		this.engines = engines;
	}

	/**
	 * Start the engines again after a stop, and look for listeners. Beans with listener
	 * methods are known by now.
	 */
	@Override
	public void start() {
		this.engines.start();
		this.running = true;
		if (!this.observing) {
			Set<Class<?>> wanted = Stream
				.<Class<?>>of(LockAcquiredEvent.class, LockNotAcquiredEvent.class, LockReleasedEvent.class)
				.filter(this::isListenedTo)
				.collect(Collectors.toUnmodifiableSet());
			if (!wanted.isEmpty()) {
				this.observing = true;
				this.engines.all()
					.forEach((engine) -> engine.addObserver(new Observer(engine.backendName(), wanted, this.context)));
			}
		}
	}

	private boolean isListenedTo(Class<?> event) {
		ResolvableType type = ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, event);
		for (ApplicationContext each = this.context; each != null; each = each.getParent()) {
			if (hasListenerFor(each, type) || hasBeanFor(each, type)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether a context has a listener, or does not reveal its listeners.
	 */
	private static boolean hasListenerFor(ApplicationContext context, ResolvableType event) {
		return !(context instanceof AbstractApplicationContext known)
				|| known.getApplicationListeners().stream().anyMatch((listener) -> supports(listener, event));
	}

	private static boolean supports(ApplicationListener<?> listener, ResolvableType event) {
		GenericApplicationListener generic = (listener instanceof GenericApplicationListener own) ? own
				: new GenericApplicationListenerAdapter(listener);
		return generic.supportsEventType(event);
	}

	/**
	 * Return whether a listener is a bean, which may not have been created yet.
	 */
	private static boolean hasBeanFor(ListableBeanFactory beanFactory, ResolvableType event) {
		for (String name : beanFactory.getBeanNamesForType(ApplicationListener.class, true, false)) {
			Class<?> type = beanFactory.getType(name, false);
			if (type != null
					&& isListenerOf(ResolvableType.forClass(type).as(ApplicationListener.class).getGeneric(), event)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isListenerOf(ResolvableType declared, ResolvableType event) {
		return declared.resolve() != null && declared.isAssignableFrom(event);
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Return the lowest phase, to start before other beans, which may acquire locks.
	 */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

	/**
	 * Publish an event. A listener that fails has no effect on the lock.
	 */
	static void publish(ApplicationEventPublisher publisher, Object event, String key) {
		try {
			publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("Listener of " + event.getClass().getSimpleName() + " failed for the lock on "
					+ KeyFormat.quote(key), ex);
		}
	}

	/**
	 * Observes the engine of one backend.
	 *
	 * @param backend the name of the backend
	 * @param wanted the types of events to publish
	 * @param publisher the publisher
	 */
	private record Observer(String backend, Set<Class<?>> wanted,
			ApplicationEventPublisher publisher) implements EngineObserver {

		@Override
		public LockObservation onAcquire(String key, LockKind kind) {
			return new Events(key, this);
		}

	}

	/**
	 * Publishes the events of one acquisition.
	 */
	private static final class Events implements EngineObserver.LockObservation {

		private final String key;

		private final Observer observer;

		private long token;

		Events(String key, Observer observer) {
			this.key = key;
			this.observer = observer;
		}

		@Override
		public void onNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure, long waitedNanos) {
			if (this.observer.wanted().contains(LockNotAcquiredEvent.class)) {
				publish(new LockNotAcquiredEvent(this.key, this.observer.backend(),
						LockNotAcquiredEvent.Reason.valueOf(outcome.name()), Duration.ofNanos(waitedNanos)));
			}
		}

		@Override
		public void onAcquired(long token, long waitedNanos) {
			this.token = token;
			if (this.observer.wanted().contains(LockAcquiredEvent.class)) {
				publish(new LockAcquiredEvent(this.key, token, this.observer.backend(), Duration.ofNanos(waitedNanos)));
			}
		}

		@Override
		public void onReleased(long heldNanos, long releaseNanos) {
			if (this.observer.wanted().contains(LockReleasedEvent.class)) {
				publish(new LockReleasedEvent(this.key, this.token, this.observer.backend(),
						Duration.ofNanos(heldNanos)));
			}
		}

		@Override
		public void onLost(long heldNanos) {
			// published by the listener of the engine
		}

		private void publish(Object event) {
			LockEventPublisher.publish(this.observer.publisher(), event, this.key);
		}

	}

}
