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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for an engine that is shut down and started again.
 */
class EngineRestartTests {

	private final Set<Thread> othersThreads = Thread.getAllStackTraces().keySet();

	private static final Duration WAIT = Duration.ofMinutes(10);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private void restart() {
		this.engine.shutdown(Duration.ZERO);
		this.engine.start();
	}

	@Test
	void acquiresAgain() {
		for (int i = 0; i < 5; i++) {
			Hold hold = Harness.hold(this.engine);
			assertThat(hold.release()).isTrue();
			assertThat(this.engine.acquireAsync(KEY, OPTIONS, new Object(), 0).join().release()).isTrue();
			restart();
		}
		this.harness.assertNothingLeft();
	}

	@Test
	void startOfAnEngineThatIsOpenDoesNothing() {
		Hold hold = Harness.hold(this.engine);
		this.engine.start();
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void leasesAreRenewedAgain() {
		restart();
		Hold hold = Harness.hold(this.engine);
		this.harness.advance(LEASE.dividedBy(3));
		await().until(() -> this.backend.count(Kind.RENEW) == 1);
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void thoseWhoWaitAreServedAgain() {
		restart();
		Hold hold = Harness.hold(this.harness.engine());
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		CompletableFuture<Hold> later = this.engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		hold.release();
		assertThat(waiter.hold().release()).isTrue();
		assertThat(later.join().release()).isTrue();
	}

	@Test
	void formerHoldIsLostAndBlocksNoOther() {
		Hold hold = Harness.hold(this.engine);
		restart();
		assertThat(hold.isHeld()).isFalse();
		Hold next = Harness.hold(this.engine);
		assertThat(hold.release()).isFalse();
		assertThat(next.isHeld()).isTrue();
		next.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void failedReleaseIsRetriedAfterTheStart() {
		Harness.hold(this.engine);
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		this.engine.shutdown(Duration.ZERO);
		assertThat(this.harness.holders()).hasSize(1);
		this.backend.heal();
		this.engine.start();
		await().until(() -> {
			this.harness.time.advance(Duration.ofSeconds(1));
			return this.harness.holders().isEmpty();
		});
	}

	@Test
	void suspensionEndsWithTheConnection() {
		this.backend.listener().onSuspended();
		restart();
		assertThat(Harness.hold(this.engine).isHeld()).isTrue();
	}

	@Test
	void startWaitsForConnectionsThatAreSlowToClose() {
		Gate slow = new Gate();
		this.backend.onClose(slow);
		CompletableFuture<Void> restart = CompletableFuture.runAsync(this::restart);
		slow.awaitArrival();
		slow.open();
		assertThat(restart).succeedsWithin(Duration.ofMinutes(1));
		assertThat(Harness.hold(this.engine).isHeld()).isTrue();
	}

	@Test
	void cyclesLeaveNoThreads() {
		for (int i = 0; i < 20; i++) {
			Harness.hold(this.engine).release();
			this.engine.acquireAsync(KEY, OPTIONS, new Object(), 0).join().release();
			restart();
		}
		this.engine.close();
		await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> !this.othersThreads.contains(thread))
			.extracting(Thread::getName)
			.noneMatch((name) -> name.startsWith("lock-faulty-") || name.startsWith("lock-timer-faulty")));
	}

	@Test
	void engineThatIsShutDownWhileItStartsIsClosed() {
		this.engine.shutdown(Duration.ZERO);
		Gate gate = new Gate();
		this.backend.onStart(gate);
		CompletableFuture<Void> start = CompletableFuture.runAsync(this.engine::start);
		gate.awaitArrival();
		Thread shutdown = new Thread(() -> this.engine.shutdown(Duration.ZERO));
		shutdown.start();
		await().until(() -> shutdown.getState() == Thread.State.WAITING);
		gate.open();
		start.join();
		await().until(() -> !shutdown.isAlive());
		assertThat(this.engine.isClosed()).isTrue();
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> Harness.hold(this.engine));
		this.engine.start();
		assertThat(Harness.hold(this.engine).isHeld()).isTrue();
	}

}
