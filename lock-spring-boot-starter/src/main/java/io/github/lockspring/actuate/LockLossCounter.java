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

package io.github.lockspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import io.github.lockspring.LockLostEvent;
import io.github.lockspring.engine.KeyFormat;
import io.github.lockspring.engine.LockEngines;

/**
 * Counts lost locks in the meter {@code lock.lost}, which has the tag {@code backend} in
 * an application with more than one backend. Keys are not used as tags, because their
 * number is unbounded. Called before the listeners of the application, and does not throw
 * exceptions.
 */
public final class LockLossCounter {

	private static final Log logger = LogFactory.getLog(LockLossCounter.class);

	private final ObjectProvider<MeterRegistry> registry;

	private final LockEngines engines;

	/**
	 * Create a counter.
	 * @param registry the meter registry, if any
	 * @param engines the engines whose locks are counted
	 */
	public LockLossCounter(ObjectProvider<MeterRegistry> registry, LockEngines engines) {
		this.registry = registry;
		this.engines = engines;
	}

	@EventListener
	@Order(Ordered.HIGHEST_PRECEDENCE)
	void lost(LockLostEvent event) {
		try {
			this.registry.ifUnique((meters) -> meters.counter("lock.lost", tags(event)).increment());
		}
		catch (Throwable ex) {
			logger.warn("Could not count the loss of the lock on " + KeyFormat.quote(event.storeKey()), ex);
		}
	}

	private Tags tags(LockLostEvent event) {
		return (this.engines.names().size() > 1) ? Tags.of("backend", event.backend()) : Tags.empty();
	}

}
