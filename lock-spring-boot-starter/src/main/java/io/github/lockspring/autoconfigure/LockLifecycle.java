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
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.LockConfigurationException;

/**
 * Releases all locks before the application ends: new acquisitions are rejected, holders
 * may finish until the shutdown timeout, and the remaining locks are released. The same
 * happens when an application is stopped or paused, as for a checkpoint or between tests;
 * after a restart, locks can be acquired again.
 * <p>
 * The phase is below those of web servers, message listeners and executors, which stop
 * earlier, so that no new work arrives, and above that of connection factories, which
 * stop later. Data sources are closed after that.
 */
final class LockLifecycle implements SmartLifecycle {

	/**
	 * Below executors, above connection factories.
	 */
	static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

	private static final Log logger = LogFactory.getLog(LockLifecycle.class);

	private final LockEngines engines;

	private final LockSettings settings;

	private volatile boolean running;

	/**
	 * Create a lifecycle.
	 * @param engines the engines to shut down, concurrently
	 * @param settings the settings, with the shutdown timeout
	 */
	LockLifecycle(LockEngines engines, LockSettings settings) {
		this.engines = engines;
		this.settings = settings;
	}

	@Override
	public void start() {
		LockProperties properties = this.settings.properties();
		if (properties.isFailFast()) {
			this.engines.all().forEach(LockLifecycle::requireStore);
		}
		logger.info(this.settings.keyPrefix().description());
		this.engines.all().forEach((engine) -> engine.announce(properties.getLeaseTime()));
		this.running = true;
	}

	private static void requireStore(LockEngine engine) {
		try {
			engine.inspection().probe();
		}
		catch (EngineException ex) {
			Throwable reason = (ex.getCause() != null) ? ex.getCause() : ex;
			String store = "The store of the lock backend '" + engine.backendName() + "' ";
			if (CredentialFailures.isIn(ex)) {
				throw new LockConfigurationException(store + "rejects the credentials: " + reason.getMessage(),
						CredentialFailures.action(engine.backendName()), ex);
			}
			throw new LockConfigurationException(store + "is unavailable: " + reason.getMessage(),
					"Make sure that the store is running, that its address and credentials are correct, and that the "
							+ "user has the required privileges, or set lock.fail-fast to false to start without it.",
					ex);
		}
	}

	@Override
	public void stop() {
		this.engines.shutdown(this.settings.properties().getShutdownTimeout());
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
