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
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.MockedStatic;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mockStatic;

/**
 * Tests for {@link LockHealthIndicator}.
 */
@Timeout(300)
class LockHealthIndicatorTests {

	private final ProbedBackend backend = new ProbedBackend();

	private final LockEngine engine = new LockEngine(this.backend, EngineSettings.defaults(), EngineListener.NONE,
			TimeSource.SYSTEM);

	private final SettableTime time = new SettableTime();

	private final LockHealthIndicator indicator = new LockHealthIndicator(this.engine, Duration.ofSeconds(20),
			this.time);

	private final LockHealthIndicator impatient = new LockHealthIndicator(this.engine, Duration.ofMillis(50),
			this.time);

	@AfterEach
	void close() {
		this.backend.hanging.countDown();
		this.engine.close();
	}

	@Test
	void whenStoreAnswersThenItIsUp() {
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("backend", "probed").containsKey("roundTripTime");
	}

	@Test
	void whenLeasesAreRetainedThenTheyAreCounted() throws Exception {
		assertThat(this.indicator.health().getDetails()).doesNotContainKey("retained");
		try (LockEngine engine = new LockEngine(new LocalLockBackend(), EngineSettings.defaults(), EngineListener.NONE,
				TimeSource.SYSTEM)) {
			AcquireOptions options = AcquireOptions.exclusive(Duration.ofSeconds(30), true)
				.withRetain(Duration.ofHours(1));
			for (String key : List.of("a", "b")) {
				Objects.requireNonNull(engine.acquire(key, options, 0)).release();
			}
			assertThat(new LockHealthIndicator(engine, Duration.ofSeconds(20), this.time).health().getDetails())
				.containsEntry("retained", 2);
		}
	}

	@Test
	void whenStoreFailsThenItIsDown() {
		this.backend.failure = "connection refused";
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("backend", "probed");
		assertThat(health.getDetails().get("error")).asString().endsWith("connection refused");
	}

	@Test
	void whenStoreHangsThenItIsDown() {
		this.backend.hang = true;
		assertThat(this.impatient.health().getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void whenStoreHangsThenItIsAskedOnce() {
		this.backend.hang = true;
		this.impatient.health();
		Awaitility.await().until(() -> this.backend.probes.get() > 0);
		this.time.advance(Duration.ofMinutes(1));
		this.impatient.health();
		assertThat(this.backend.probes).hasValue(1);
	}

	@Test
	void whenInterruptedThenItIsDownAndTheStatusIsKept() {
		this.backend.hang = true;
		Thread.currentThread().interrupt();
		Health health = this.indicator.health();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void whenStoreHangsAndComesBackThenItIsUp() {
		this.backend.hang = true;
		this.impatient.health();
		this.backend.hang = false;
		this.backend.hanging.countDown();
		this.time.advance(Duration.ofMinutes(1));
		Awaitility.await().untilAsserted(() -> assertThat(this.impatient.health().getStatus()).isEqualTo(Status.UP));
	}

	@Test
	void whenNoThreadCanBeStartedThenItIsDownForASecond() {
		try (MockedStatic<DaemonThreads> threads = mockStatic(DaemonThreads.class, CALLS_REAL_METHODS)) {
			threads.when(() -> DaemonThreads.create(any(), any())).thenThrow(new IllegalStateException("no thread"));
			assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);
		}
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void answerCountsForASecond() {
		this.indicator.health();
		this.backend.failure = "connection refused";
		this.time.advance(Duration.ofMillis(999));
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.backend.probes).hasValue(1);
	}

	@Test
	void answerIsOldAfterASecond() {
		this.indicator.health();
		this.backend.failure = "connection refused";
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void storeIsNotAskedInTheThreadOfTheCaller() {
		this.indicator.health();
		assertThat(this.backend.prober).isNotSameAs(Thread.currentThread());
		assertThat(this.backend.prober.isDaemon()).isTrue();
	}

	/**
	 * A backend that answers probes as the test wants it to.
	 */
	private static final class ProbedBackend implements LockBackend {

		private final LocalLockBackend backend = new LocalLockBackend();

		private final AtomicInteger probes = new AtomicInteger();

		private final CountDownLatch hanging = new CountDownLatch(1);

		private volatile String failure;

		private volatile boolean hang;

		private volatile Thread prober;

		@Override
		public String name() {
			return "probed";
		}

		@Override
		public Duration probe(LeaseRequest request, Duration timeout) {
			this.probes.incrementAndGet();
			this.prober = Thread.currentThread();
			if (this.failure != null) {
				throw new BackendUnavailableException(this.failure, null);
			}
			if (this.hang) {
				awaitUninterruptibly();
			}
			return Duration.ZERO;
		}

		private void awaitUninterruptibly() {
			try {
				this.hanging.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public Set<Capability> capabilities() {
			return this.backend.capabilities();
		}

		@Override
		public void start(BackendListener listener) {
			this.backend.start(listener);
		}

		@Override
		public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
			return this.backend.tryAcquire(request, timeout);
		}

		@Override
		public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
			return this.backend.renew(leases, timeout);
		}

		@Override
		public boolean release(LeaseRequest lease, Duration timeout) {
			return this.backend.release(lease, timeout);
		}

		@Override
		public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
			return this.backend.releaseWithDelay(lease, delay, timeout);
		}

		@Override
		public List<LeaseHolder> inspect(String key, Duration timeout) {
			return this.backend.inspect(key, timeout);
		}

		@Override
		public void close() {
			this.backend.close();
		}

	}

}
