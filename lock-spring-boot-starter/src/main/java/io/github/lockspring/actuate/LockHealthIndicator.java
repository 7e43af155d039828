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
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;

/**
 * {@link HealthIndicator} for the lock store: up if the store responds.
 * <ol>
 * <li>The store is called in a separate thread, so that a store that hangs does not block
 * the caller.</li>
 * <li>There is at most one such thread: concurrent callers wait for the same
 * response.</li>
 * <li>A response is cached for one second.</li>
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
	 * Create an indicator.
	 * @param engine the engine of the store
	 * @param operationTimeout the timeout of a single call to the store
	 * @param time the clocks
	 */
	public LockHealthIndicator(LockEngine engine, Duration operationTimeout, TimeSource time) {
		super("Lock store health check failed");
		this.engine = engine;
		this.timeout = Durations.cap(operationTimeout).plus(SLACK);
		this.time = time;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.withDetail("backend", this.engine.backendName());
		List<String> warnings = this.engine.inspection().warnings();
		if (!warnings.isEmpty()) {
			builder.withDetail("warnings", warnings);
		}
		int retained = this.engine.inspection().retained();
		if (retained > 0) {
			builder.withDetail("retained", retained);
		}
		Probe probe = currentProbe();
		long remaining = this.timeout.toNanos() - probe.age();
		try {
			builder.up()
				.withDetail("roundTripTime", probe.get(Math.max(remaining, 0), TimeUnit.NANOSECONDS).toString());
		}
		catch (TimeoutException ex) {
			builder.down().withDetail("error", "no response within " + this.timeout);
		}
		catch (ExecutionException ex) {
			builder.down(reasonOf(ex));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			builder.down(ex);
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
		DaemonThreads.start("lock-health", probe, probe::setException);
		return probe;
	}

	/**
	 * Single call to the store.
	 */
	private final class Probe extends FutureTask<Duration> {

		private final long start = LockHealthIndicator.this.time.nanoTime();

		Probe() {
			super(LockHealthIndicator.this.engine.inspection()::probe);
		}

		long age() {
			return LockHealthIndicator.this.time.nanoTime() - this.start;
		}

		boolean counts() {
			return !isDone() || age() < VALIDITY.toNanos();
		}

		@Override
		protected void setException(Throwable failure) {
			super.setException(failure);
		}

	}

}
