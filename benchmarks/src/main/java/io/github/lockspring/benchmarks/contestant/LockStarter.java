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

package io.github.lockspring.benchmarks.contestant;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

/**
 * Our locks on any of our backends, with the settings of an application that configures
 * nothing.
 */
public final class LockStarter implements Contestant {

	/**
	 * The name of this contestant.
	 */
	public static final String NAME = "lock-starter";

	/**
	 * The name of this contestant with leases that are retained.
	 */
	public static final String RETAINING = "lock-starter-retain";

	private static final Duration RETAIN = Duration.ofSeconds(5);

	private final LockTemplate template;

	private final LockClient client;

	private final Runnable cleanUp;

	private final LockOptions options;

	/**
	 * Takes part with the beans of an application.
	 * @param template tries
	 * @param client waits
	 * @param cleanUp closes what they work on
	 */
	public LockStarter(LockTemplate template, LockClient client, Runnable cleanUp) {
		this(template, client, cleanUp, template.defaultOptions());
	}

	private LockStarter(LockTemplate template, LockClient client, Runnable cleanUp, LockOptions options) {
		this.template = template;
		this.client = client;
		this.cleanUp = cleanUp;
		this.options = options;
	}

	/**
	 * Returns this contestant with leases that are retained.
	 * @return the contestant, in place of this one
	 */
	public LockStarter retaining() {
		return new LockStarter(this.template, this.client, this.cleanUp, this.options.withRetain(RETAIN));
	}

	/**
	 * Brings up the engine.
	 * @param backend the backend
	 * @param cleanUp closes what the backend works on
	 * @return the contestant
	 */
	public static LockStarter on(LockBackend backend, Runnable cleanUp) {
		LockEngine engine = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, TimeSource.SYSTEM);
		LockTemplate template = LockUtils.template(LockEngines.of(engine), "bench:", LockOptions.defaults());
		return new LockStarter(template, new LockClient(template), () -> {
			engine.close();
			cleanUp.run();
		});
	}

	LockClient client() {
		return this.client;
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		Lock lock = this.client.lock(key, this.options);
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		LockHandle handle = this.template.tryAcquire(key, this.options.withWaitTime(Duration.ZERO));
		return (handle != null) ? handle::close : null;
	}

	@Override
	public void close() {
		this.cleanUp.run();
	}

}
