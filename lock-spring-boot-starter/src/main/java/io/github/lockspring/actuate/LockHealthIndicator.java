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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.TimeSource;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;

/**
 * {@link HealthIndicator} for the store of locks: up if it answers.
 * <ol>
 * <li>The store is asked in a thread of its own, so that a store that hangs does not hang
 * the caller.</li>
 * <li>There is one such thread at most: whoever asks meanwhile waits for the same
 * answer.</li>
 * <li>An answer counts for a second.</li>
 * </ol>
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	private static final Duration VALIDITY = Duration.ofSeconds(1);

	private static final Duration SLACK = Duration.ofMillis(250);

	private final LockEngine engine;

	private final Duration timeout;

	private final TimeSource time;

	private final AtomicReference<@Nullable Probe> latest = new AtomicReference<>();

	/**
	 * Creates an indicator.
	 * @param engine the engine whose store is asked
	 * @param operationTimeout how long one call to the store may take
	 * @param time the clocks
	 */
	public LockHealthIndicator(LockEngine engine, Duration operationTimeout, TimeSource time) {
		super("The store of locks is down");
		this.engine = engine;
		this.timeout = Durations.cap(operationTimeout).plus(SLACK);
		this.time = time;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) throws Exception {
		builder.withDetail("backend", this.engine.backendName());
		List<String> warnings = this.engine.warnings();
		if (!warnings.isEmpty()) {
			builder.withDetail("warnings", warnings);
		}
		Probe probe = currentProbe();
		long remaining = this.timeout.toNanos() - probe.age();
		try {
			builder.up()
				.withDetail("roundTripTime", probe.get(Math.max(remaining, 0), TimeUnit.NANOSECONDS).toString());
		}
		catch (TimeoutException ex) {
			builder.down().withDetail("error", "no answer within " + this.timeout);
		}
		catch (ExecutionException ex) {
			builder.down(reasonOf(ex));
		}
	}

	private static Throwable reasonOf(ExecutionException failure) {
		Throwable reason = failure;
		while (reason.getCause() != null && (reason == failure || reason instanceof EngineException)) {
			reason = reason.getCause();
		}
		return reason;
	}

	private Probe currentProbe() {
		Probe known = this.latest.get();
		if (known != null && known.counts()) {
			return known;
		}
		Probe probe = new Probe();
		if (!this.latest.compareAndSet(known, probe)) {
			return currentProbe();
		}
		DaemonThreads.create("lock-health", probe).start();
		return probe;
	}

	/**
	 * One question to the store.
	 */
	private final class Probe extends FutureTask<Duration> {

		private final long start = LockHealthIndicator.this.time.nanoTime();

		Probe() {
			super(LockHealthIndicator.this.engine::probe);
		}

		long age() {
			return LockHealthIndicator.this.time.nanoTime() - this.start;
		}

		boolean counts() {
			return !isDone() || age() < VALIDITY.toNanos();
		}

	}

}
