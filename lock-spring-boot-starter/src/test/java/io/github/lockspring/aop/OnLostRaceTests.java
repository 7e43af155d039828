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

package io.github.lockspring.aop;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.OnLost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what happens to calls that lose their lease.
 */
class OnLostRaceTests {

	private static final int RACES = 1_000 * Integer.getInteger("lock.test.scale", 1);

	private final LockedProxies proxies = new LockedProxies();

	private final Jobs jobs = this.proxies.proxy(new Jobs());

	@AfterEach
	void close() {
		this.proxies.close();
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void byDefaultMethodContinuesAndCallerLearnsTheLoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.throwing(() -> {
			loseLeaseAndAwaitTheLoss();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}));
	}

	@Test
	void whenReportingThenCallerGetsTheResult() {
		assertThat(this.jobs.reporting(this::loseLeaseAndAwaitTheLoss)).isEqualTo("result");
	}

	@Test
	void whenReportingThenExceptionOfTheMethodIsNotTouched() {
		IllegalStateException failure = new IllegalStateException("no paper");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.jobs.reporting(() -> {
			this.proxies.loseLeases();
			throw failure;
		})).isSameAs(failure).withNoCause();
		assertThat(failure.getSuppressed()).isEmpty();
	}

	@Test
	void whenReportingThenCheckpointStillThrows() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.reporting(() -> {
			this.proxies.loseLeases();
			LockContext.current().checkpoint();
		}));
	}

	@Test
	void sleepingMethodIsInterrupted() {
		InterruptedException[] caught = new InterruptedException[1];
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupting(() -> {
			this.proxies.loseLeases();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				caught[0] = ex;
			}
		}));
		assertThat(caught[0]).isNotNull();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void exceptionOfTheInterruptedMethodSurfacesAndLossIsSuppressed() {
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.jobs.sleeping(this.proxies::loseLeases))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	@Timeout(300)
	void interruptThatTheMethodDidNotNoticeDoesNotStay() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupting(() -> {
			this.proxies.loseLeases();
			while (!Thread.currentThread().isInterrupted()) {
				Thread.yield();
			}
		}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptThatTheMethodSetAgainDoesNotStay() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.interrupting(() -> {
			this.proxies.loseLeases();
			awaitInterrupt();
			Thread.currentThread().interrupt();
		}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfAnotherStays() {
		assertThat(this.jobs.interrupting(() -> Thread.currentThread().interrupt())).isEqualTo("result");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void lossOfASemaphoreInterrupts() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.limited(() -> {
			this.proxies.loseLeases();
			awaitInterrupt();
		}));
	}

	@Test
	void lossOfOneOfSeveralKeysInterrupts() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.several(() -> {
			this.proxies.loseLeases();
			awaitInterrupt();
		}));
	}

	@Test
	void innerCallDoesNotInterruptTheOuterOneAfterItsEnd() {
		assertThat(this.jobs.reporting(() -> {
			this.jobs.interrupting(() -> {
			});
			loseLeaseAndAwaitTheLoss();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		})).isEqualTo("result");
	}

	@Test
	void releaseInTimeIsNotInterrupted() {
		this.jobs.interrupting(() -> {
		});
		this.proxies.loseLeases();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void threadIsNotInterruptedAfterTheEnd() throws Exception {
		for (int i = 0; i < RACES; i++) {
			loseLeaseAboutTheEnd();
		}
	}

	private void loseLeaseAboutTheEnd() throws InterruptedException {
		CountDownLatch end = new CountDownLatch(1);
		AtomicReference<LockHandle> handle = new AtomicReference<>();
		Thread loser = new Thread(() -> {
			await(end);
			this.proxies.loseLeases();
		});
		loser.start();
		boolean lost = false;
		try {
			this.jobs.interrupting(() -> {
				handle.set(LockContext.current());
				end.countDown();
				spinUntilLostOrTired(handle.get());
			});
		}
		catch (LockLostException ex) {
			lost = true;
		}
		for (int i = 0; i < 100; i++) {
			assertThat(Thread.currentThread().isInterrupted()).as("lost: %s", lost).isFalse();
			Thread.yield();
		}
		loser.join();
		assertThat(Thread.currentThread().isInterrupted()).as("lost: %s", lost).isFalse();
	}

	/**
	 * Sees the loss in this thread, about when the one that interrupts it is started.
	 */
	private static void spinUntilLostOrTired(LockHandle lock) {
		for (int i = 0; i < 100_000 && !lock.isLost(); i++) {
			Thread.onSpinWait();
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void awaitInterrupt() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			// what the test waits for
		}
	}

	private void loseLeaseAndAwaitTheLoss() {
		CountDownLatch lost = new CountDownLatch(1);
		LockContext.current().onLost(lost::countDown);
		this.proxies.loseLeases();
		await(lost);
	}

	@Test
	void handleOfSeveralKeysReportsALoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.jobs.several(() -> {
			LockHandle handle = LockContext.current();
			assertThat(handle.isLost()).isFalse();
			this.proxies.loseLeases();
			assertThat(handle.isLost()).isTrue();
			awaitInterrupt();
		}));
	}

	@Test
	void handleDistinguishesALossFromAnEnd() {
		LockHandle[] handle = new LockHandle[1];
		this.jobs.reporting(() -> {
			handle[0] = LockContext.current();
			assertThat(handle[0].isLost()).isFalse();
		});
		assertThat(handle[0].isLost()).isFalse();
		this.jobs.reporting(() -> {
			handle[0] = LockContext.current();
			this.proxies.loseLeases();
			assertThat(handle[0].isLost()).isTrue();
			assertThat(handle[0].isHeld()).isFalse();
			assertThat(handle[0].remaining()).isEqualTo(Duration.ZERO);
		});
		assertThat(handle[0].isLost()).isFalse();
	}

	static class Jobs {

		@DistributedLock(name = "job")
		void throwing(Runnable body) {
			body.run();
		}

		@DistributedLock(name = "job", onLost = OnLost.REPORT)
		String reporting(Runnable body) {
			body.run();
			return "result";
		}

		@DistributedLock(name = "job", onLost = OnLost.INTERRUPT)
		String interrupting(Runnable body) {
			body.run();
			return "result";
		}

		@DistributedLock(name = "job", onLost = OnLost.INTERRUPT)
		void sleeping(Runnable body) throws InterruptedException {
			body.run();
			new CountDownLatch(1).await();
		}

		@DistributedSemaphore(name = "limit", permits = "1", onLost = OnLost.INTERRUPT)
		void limited(Runnable body) {
			body.run();
		}

		@DistributedLock(name = "job", key = "{1, 2}", onLost = OnLost.INTERRUPT)
		void several(Runnable body) {
			body.run();
		}

	}

}
