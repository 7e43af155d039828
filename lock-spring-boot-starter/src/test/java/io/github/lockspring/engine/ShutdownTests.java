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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import io.github.lockspring.engine.EngineException.Reason;
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
 * Tests for the end of an engine.
 */
class ShutdownTests {

	private final Set<Thread> othersThreads = Thread.getAllStackTraces().keySet();

	private static final Duration WAIT = Duration.ofMinutes(10);

	private static final Duration LONG = Duration.ofSeconds(20);

	private static final Duration SHORT = Duration.ofMillis(20);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private static void assertClosed(Waiter waiter) {
		assertThat(waiter.failure()).isInstanceOfSatisfying(EngineException.class,
				(ex) -> assertThat(ex.getReason()).isEqualTo(Reason.CLOSED));
	}

	private CompletableFuture<Void> startShutdown() {
		CompletableFuture<Void> done = CompletableFuture.runAsync(() -> this.engine.shutdown(LONG));
		await().until(() -> isClosed());
		return done;
	}

	private boolean isClosed() throws InterruptedException {
		try {
			Hold hold = this.engine.acquire("probe", OPTIONS, 0);
			assertThat(hold != null && hold.release()).isTrue();
			return false;
		}
		catch (EngineException ex) {
			return ex.getReason() == Reason.CLOSED;
		}
	}

	@Test
	void closedEngineRejectsToAcquire() {
		this.engine.close();
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.CLOSED));
		assertThat(this.backend.attempts()).isZero();
	}

	@Test
	void closeTwiceIsHarmless() {
		Hold hold = Harness.hold(this.engine);
		this.engine.close();
		this.engine.close();
		assertThat(this.backend.calls(Kind.RELEASE)).as("which is repeated until it is answered")
			.extracting(FaultyBackend.Call::request)
			.containsOnly(hold.lease().request());
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void thoseWhoWaitAreNotifiedAtOnce() {
		Hold elsewhere = Harness.hold(this.harness.engine());
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			waiters.add(this.harness.queued(this.engine, WAIT));
		}
		this.engine.close();
		waiters.forEach(ShutdownTests::assertClosed);
		assertThat(elsewhere.isHeld()).isTrue();
		elsewhere.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void queueEntryOfTheStoreIsReleased() {
		Harness.hold(this.harness.engine());
		this.harness.queued(this.engine, WAIT);
		this.engine.close();
		// Twice if the timer releases it at the same moment
		assertThat(this.backend.calls(Kind.RELEASE)).extracting(FaultyBackend.Call::request)
			.containsOnly(this.backend.lastCall(Kind.CONTEND).request());
	}

	/**
	 * It has left the queue here, and looks at the clock to have its place released.
	 */
	@Test
	void queueEntryOfALeavingRequestIsReleased() throws Exception {
		HookedTime time = new HookedTime(this.harness.time);
		LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults(), time);
		Harness.hold(this.harness.engine());
		Waiter waiter = this.harness.queued(engine, WAIT);
		CompletableFuture<Void> done = new CompletableFuture<>();
		CountDownLatch leaving = new CountDownLatch(1);
		time.afterNextLook(waiter.thread(), () -> {
			leaving.countDown();
			// An end that waits for this waits in vain for a moment
			done.completeOnTimeout(null, 200, TimeUnit.MILLISECONDS).join();
		});
		CompletableFuture<Void> end = CompletableFuture.runAsync(engine::close);
		leaving.await();
		end.thenRun(() -> done.complete(null));
		assertThat(end).succeedsWithin(LONG);
		assertThat(this.backend.calls(Kind.RELEASE)).extracting(FaultyBackend.Call::request)
			.contains(this.backend.lastCall(Kind.CONTEND).request());
	}

	@Test
	void thoseWhoWaitForAHolderOfThisProcessAreNotifiedAtOnce() {
		Hold hold = Harness.hold(this.engine);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		CompletableFuture<Void> done = CompletableFuture.runAsync(() -> this.engine.shutdown(LONG));
		assertClosed(waiter);
		assertThat(hold.isHeld()).isTrue();
		assertThat(done).isNotDone();
		hold.release();
		assertThat(done).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void holderMayFinishAndRelease() throws Exception {
		Hold hold = Harness.hold(this.engine);
		CompletableFuture<Void> done = startShutdown();
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.release()).isTrue();
		done.get();
		assertThat(this.harness.losses).isEmpty();
		this.harness.assertNothingLeft();
	}

	@Test
	void holderMayAcquireAgainUntilItFinishes() {
		Object owner = new Object();
		Hold hold = this.engine.acquireUninterruptibly(KEY, OPTIONS, owner, 0);
		CompletableFuture<Void> done = startShutdown();
		assertThat(this.engine.acquireUninterruptibly(KEY, OPTIONS, owner, 0)).isSameAs(hold);
		hold.release();
		hold.release();
		assertThat(done).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void leasesAreRenewedUntilHoldersFinish() {
		Hold hold = Harness.hold(this.engine);
		CompletableFuture<Void> done = startShutdown();
		this.harness.advance(LEASE.dividedBy(3));
		await().until(() -> this.backend.count(Kind.RENEW) == 1);
		hold.release();
		assertThat(done).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void whatIsHeldAfterTheGraceIsReleasedAndLostToItsHolder() {
		Hold hold = Harness.hold(this.engine);
		AtomicInteger called = new AtomicInteger();
		hold.onLost(called::incrementAndGet);
		this.engine.shutdown(SHORT);
		assertThat(this.harness.holders()).isEmpty();
		assertThat(hold.isHeld()).isFalse();
		await().until(() -> called.get() == 1 && this.harness.losses.size() == 1);
		assertThat(hold.release()).isFalse();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseIsNotHandedOffDuringShutdown() {
		Hold first = Harness.hold(this.engine);
		Waiter second = this.harness.queued(this.engine, WAIT);
		first.release();
		Hold hold = second.hold();
		CompletableFuture<Void> done = startShutdown();
		hold.release();
		assertThat(done).succeedsWithin(Duration.ofMinutes(1));
		this.harness.assertNothingLeft();
	}

	@Test
	void grantThatArrivesAfterTheShutdownBeganIsReleased() {
		Gate gate = new Gate();
		this.backend.next(Kind.CONTEND, Fault.after(gate));
		Waiter waiter = this.harness.acquire(this.engine, WAIT);
		gate.awaitArrival();
		CompletableFuture<Void> done = startShutdown();
		gate.open();
		assertClosed(waiter);
		assertThat(done).succeedsWithin(Duration.ofMinutes(1));
		this.harness.assertNothingLeft();
	}

	@Test
	void releaseAndShutdownAtOnceAreNoLoss() {
		for (int i = 0; i < 50; i++) {
			LockEngine engine = this.harness.engine();
			Hold hold = Harness.hold(engine);
			CompletableFuture<Boolean> released = CompletableFuture.supplyAsync(hold::release);
			engine.close();
			boolean inTime = released.join();
			await().until(() -> this.harness.losses.size() == (inTime ? 0 : 1));
			this.harness.losses.clear();
		}
	}

	@Test
	void storeThatHangsDoesNotHoldUpTheShutdown() throws InterruptedException {
		LockEngine engine = this.harness.engine(this.backend,
				EngineSettings.defaults().withOperationTimeout(Duration.ofMillis(50)));
		for (int i = 0; i < 100; i++) {
			engine.acquire("order:" + i, OPTIONS, 0);
		}
		Gate hanging = new Gate();
		this.backend.always(Kind.RELEASE, Fault.before(hanging));
		CompletableFuture<Void> done = CompletableFuture.runAsync(engine::close);
		assertThat(done).succeedsWithin(LONG);
		hanging.open();
		await().until(() -> this.harness.losses.size() == 100);
	}

	@Test
	void thoseWhoWaitForAStoreThatHangsDoNotHoldUpTheShutdown() {
		LockEngine engine = this.harness.engine(this.backend,
				EngineSettings.defaults().withOperationTimeout(Duration.ofMillis(50)));
		Gate hanging = new Gate();
		this.backend.always(Kind.RELEASE, Fault.before(hanging));
		LockEngine elsewhere = this.harness.engine();
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			String key = "order:" + i;
			assertThat(elsewhere.acquireUninterruptibly(key, OPTIONS, this, 0)).isNotNull();
			waiters.add(this.harness.start(() -> engine.acquire(key, OPTIONS, WAIT.toNanos())).awaitSleep());
		}
		CompletableFuture<Void> done = CompletableFuture.runAsync(engine::close);
		waiters.forEach(ShutdownTests::assertClosed);
		assertThat(done).succeedsWithin(LONG);
		hanging.open();
	}

	@Test
	void connectionsThatDoNotCloseDoNotHoldUpTheShutdown() {
		LockEngine engine = this.harness.engine(this.backend,
				EngineSettings.defaults().withOperationTimeout(Duration.ofMillis(50)));
		Gate hanging = new Gate();
		this.backend.onClose(hanging);
		CompletableFuture<Void> done = CompletableFuture.runAsync(engine::close);
		assertThat(done).succeedsWithin(LONG);
		hanging.open();
	}

	@Test
	void thousandsOfReleasesAreMadeSideBySide() {
		LockEngine engine = this.harness.engine(this.backend.withoutRecording(),
				EngineSettings.defaults().withOperationTimeout(LONG));
		for (int i = 0; i < 2_000; i++) {
			assertThat(engine.acquireUninterruptibly("order:" + i, OPTIONS, this, 0)).isNotNull();
		}
		AtomicInteger now = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		this.backend.always(Kind.RELEASE, Fault.before(() -> {
			most.accumulateAndGet(now.incrementAndGet(), Math::max);
			LockSupport.parkNanos(SHORT.toNanos() / 10);
			now.decrementAndGet();
		}));
		engine.close();
		assertThat(most.get()).isGreaterThan(8);
		assertThat(this.harness.sizeOfStore()).isZero();
	}

	/**
	 * A warning for each of many locks may take longer than their releases have.
	 */
	@Test
	void slowLogDoesNotTakeTheTimeOfReleases() {
		LockEngine engine = this.harness.engine(this.backend,
				EngineSettings.defaults().withOperationTimeout(Duration.ofMillis(200)));
		for (int i = 0; i < 40; i++) {
			assertThat(engine.acquireUninterruptibly("order:" + i, OPTIONS, this, 0)).isNotNull();
		}
		Gate first = new Gate();
		this.backend.next(Kind.RELEASE, Fault.before(first));
		try (SlowLog log = new SlowLog(LossHandler.class, SHORT)) {
			engine.close();
			assertThat(log.messages()).isEqualTo(40);
			assertThat(this.harness.sizeOfStore()).isZero();
		}
		finally {
			first.open();
		}
	}

	@Test
	void interruptedShutdownReleases() {
		Harness.hold(this.engine);
		Thread.currentThread().interrupt();
		this.engine.shutdown(LONG);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void whatWasReleasedInTheBackgroundIsTriedOnceMore() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.unavailable());
		this.backend.next(Kind.RELEASE, Fault.unavailable());
		hold.release();
		await().until(() -> this.backend.count(Kind.RELEASE) == 2);
		this.engine.close();
		this.harness.assertNothingLeft();
	}

	@Test
	void noThreadIsLeft() {
		Hold hold = Harness.hold(this.engine);
		hold.onLost(() -> {
		});
		this.engine.close();
		await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> !this.othersThreads.contains(thread))
			.extracting(Thread::getName)
			.noneMatch((name) -> name.startsWith("lock-faulty-") || name.startsWith("lock-timer-faulty")));
	}

	@Test
	void holdThatWasLostAndIsNotReleasedDoesNotHoldUpTheShutdown() {
		LockEngine engine = this.harness.engine();
		Hold hold = Harness.hold(engine);
		this.harness.store.expire(hold.lease().request());
		assertThat(hold.isHeld()).isFalse();
		assertThat(CompletableFuture.runAsync(() -> engine.shutdown(Duration.ofSeconds(30))))
			.succeedsWithin(Duration.ofMinutes(1));
		assertThat(hold.release()).isFalse();
	}

	/**
	 * Log that takes a while for each message.
	 */
	private static final class SlowLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

		private final Logger logger;

		private final Duration time;

		private final AtomicInteger messages = new AtomicInteger();

		private SlowLog(Class<?> source, Duration time) {
			this.logger = (Logger) LoggerFactory.getLogger(source);
			this.time = time;
			start();
			this.logger.addAppender(this);
		}

		@Override
		protected void append(ILoggingEvent event) {
			LockSupport.parkNanos(this.time.toNanos());
			this.messages.incrementAndGet();
		}

		private int messages() {
			return this.messages.get();
		}

		@Override
		public void close() {
			this.logger.detachAppender(this);
		}

	}

}
