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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ApplicationEventPublisher;

import io.github.lockspring.engine.KeyFormat;
import io.github.lockspring.LockLostEvent;
import io.github.lockspring.engine.EngineListener;

/**
 * Publishes what the engine tells as application events.
 */
final class LockEventPublisher implements EngineListener {

	private static final Log logger = LogFactory.getLog(LockEventPublisher.class);

	private final ApplicationEventPublisher publisher;

	private final String backend;

	LockEventPublisher(ApplicationEventPublisher publisher, String backend) {
		this.publisher = publisher;
		this.backend = backend;
	}

	@Override
	public void lost(String key, long token) {
		try {
			this.publisher.publishEvent(new LockLostEvent(key, token, this.backend));
		}
		catch (Throwable ex) {
			logger.warn("Listener of LockLostEvent failed for the lock on " + KeyFormat.quote(key), ex);
		}
	}

}
