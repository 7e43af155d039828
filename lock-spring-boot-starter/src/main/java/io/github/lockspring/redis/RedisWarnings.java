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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.support.DaemonThreads;

/**
 * Checks the configuration of the servers periodically, in the background. Each warning
 * is logged once.
 */
final class RedisWarnings {

	private static final Log logger = LogFactory.getLog(RedisWarnings.class);

	private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

	private final RedisClientAdapter client;

	private final RedisLockSettings settings;

	private final AtomicBoolean looking = new AtomicBoolean();

	private final Set<String> logged = new LinkedHashSet<>();

	private volatile List<String> found = List.of();

	private volatile long lookedNanos = System.nanoTime() - INTERVAL_NANOS;

	RedisWarnings(RedisClientAdapter client, RedisLockSettings settings) {
		this.client = client;
		this.settings = settings;
	}

	/**
	 * Check again if the last check was more than a minute ago.
	 */
	void refresh() {
		if (System.nanoTime() - this.lookedNanos >= INTERVAL_NANOS && this.looking.compareAndSet(false, true)) {
			DaemonThreads.start("lock-redis-setup", this::look, (ex) -> this.looking.set(false));
		}
	}

	private void look() {
		try {
			Set<String> warnings = new LinkedHashSet<>();
			for (String info : this.client.info(this.settings.operationTimeout())) {
				warnings.addAll(new RedisSetup(info).warnings(this.settings.waitReplicas()));
			}
			warnings.stream().filter(this.logged::add).forEach(this::log);
			this.found = List.copyOf(warnings);
			this.lookedNanos = System.nanoTime();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not read the Redis configuration", ex);
		}
		finally {
			this.looking.set(false);
		}
	}

	private void log(String warning) {
		logger.warn("Locks in Redis at " + this.client.address() + ": " + warning);
	}

	List<String> all() {
		List<String> all = new ArrayList<>(this.found);
		if (!this.client.isListening()) {
			all.add("No subscription to Redis messages: waiting lock requests are polled");
		}
		return all;
	}

}
