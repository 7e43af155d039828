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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.Capability;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Acquisitions for which no thread waits.
 */
class AsyncAcquireTests {

	private static final Duration WAIT = Duration.ofMinutes(10);

	private static final Duration BRIEF = Duration.ofMillis(200);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	private final LockEngine other = this.harness.engine();

	@AfterEach
	void close() {
		Thread.interrupted();
		this.harness.close();
	}

	private CompletableFuture<@Nullable Hold> acquire(Duration wait) {
		return this.engine.acquireAsync(KEY, OPTIONS, new Object(), wait.toNanos());
	}

	/**
	 * Begins to acquire what another process holds, and returns when the store has said
	 * so.
	 */
	private CompletableFuture<@Nullable Hold> leading(Duration wait) {
		CompletableFuture<@Nullable Hold> future = acquire(wait);
		await().until(() -> this.backend.lastAttemptId() != 0);
		return future;
	}

	private static @Nullable Hold result(CompletableFuture<@Nullable Hold> future) {
		try {
			return future.get(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException | ExecutionException | TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

	private static Hold hold(CompletableFuture<@Nullable Hold> future) {
		Hold hold = result(future);
		if (hold == null) {
			throw new AssertionError("Not acquired");
		}
		return hold;
	}

	private static Reason failure(CompletableFuture<@Nullable Hold> future) {
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		future.whenComplete((hold, ex) -> failure.set(ex));
		await().until(() -> failure.get() != null);
		assertThat(failure.get()).isInstanceOf(EngineException.class);
		return ((EngineException) failure.get()).getReason();
	}

	private static boolean release(Hold hold) throws Exception {
		return hold.releaseAsync().toCompletableFuture().get(1, TimeUnit.MINUTES);
	}

	@Test
	void freeKeyIsHeldAtOnceAndReleased() throws Exception {
		Hold hold = hold(acquire(WAIT));
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
		assertThat(release(hold)).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void callingThreadNeverAsksTheStore() throws Exception {
		List<Thread> callers = new ArrayList<>();
		Fault record = Fault.before(() -> callers.add(Thread.currentThread()));
		this.backend.next(Kind.CONTEND, record);
		this.backend.next(Kind.RELEASE, record);
		release(hold(acquire(WAIT)));
		assertThat(callers).hasSize(2).doesNotContain(Thread.currentThread());
	}

	@Test
	void interruptedCallerAcquires() throws Exception {
		Thread.currentThread().interrupt();
		CompletableFuture<@Nullable Hold> future = acquire(WAIT);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(release(hold(future))).isTrue();
	}

	@Test
	void oneThatTriesOnceIsRejectedAndLeavesNothing() {
		Hold here = Harness.hold(this.engine);
		assertThat(result(acquire(Duration.ZERO))).isNull();
		here.release();
		Hold elsewhere = Harness.hold(this.other);
		assertThat(result(acquire(Duration.ZERO))).isNull();
		assertThat(this.backend.count(Kind.CONTEND)).isZero();
		elsewhere.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void blockingHolderHandsOffToOneWithoutThreadAndBack() throws Exception {
		Hold blocking = Harness.hold(this.engine);
		CompletableFuture<@Nullable Hold> waiting = acquire(WAIT);
		assertThat(waiting).isNotDone();
		blocking.release();
		Hold first = hold(waiting); // asked for, because the first lease was for one
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		long attempts = this.backend.attempts();
		CompletableFuture<@Nullable Hold> last = acquire(WAIT);
		assertThat(release(first)).isTrue();
		Hold second = waiter.hold();
		assertThat(second.token()).isGreaterThan(first.token());
		second.release();
		assertThat(hold(last).token()).isGreaterThan(second.token());
		assertThat(this.backend.attempts()).isEqualTo(attempts);
		assertThat(release(hold(last))).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void thoseWhoAskFirstComeFirst() throws Exception {
		Hold hold = Harness.hold(this.engine);
		List<Integer> order = new ArrayList<>();
		List<CompletableFuture<?>> ends = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			int number = i;
			ends.add(acquire(WAIT).thenCompose((next) -> {
				order.add(number);
				return next.releaseAsync();
			}));
		}
		hold.release();
		CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
		assertThat(order).isSorted().hasSize(20);
		this.harness.assertNothingLeft();
	}

	@Test
	void notificationOfTheStoreEndsTheWaiting() {
		Hold elsewhere = Harness.hold(this.other);
		CompletableFuture<@Nullable Hold> future = leading(WAIT);
		elsewhere.release();
		assertThat(hold(future).isHeld()).isTrue();
	}

	@Test
	void storeWithoutQueueIsAskedAgain() {
		FaultyBackend polling = this.harness.backend().without(Capability.QUEUE);
		LockEngine engine = this.harness.steadyEngine(polling, EngineSettings.defaults());
		Hold elsewhere = Harness.hold(this.other);
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		this.harness.advance(EngineSettings.defaults().polling().max());
		assertThat(future).isNotDone();
		elsewhere.release();
		this.harness.advance(EngineSettings.defaults().polling().max());
		assertThat(hold(future).isHeld()).isTrue();
	}

	@Test
	void queuedAcquisitionTimesOutAtItsDeadline() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		Hold hold = Harness.hold(engine);
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), BRIEF.toNanos());
		this.harness.advance(BRIEF.minusNanos(1));
		assertThat(future).isNotDone();
		this.harness.advance(Duration.ofNanos(1));
		assertThat(future).isCompletedWithValue(null);
		hold.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaderTriesOnceMoreAtItsDeadlineAndLeavesTheQueueOfTheStore() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		Hold elsewhere = Harness.hold(this.other);
		Duration wait = Duration.ofMillis(10);
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), wait.toNanos());
		assertThat(this.backend.attempts()).isOne();
		this.harness.advance(wait.minusNanos(1));
		assertThat(future).isNotDone();
		this.harness.advance(Duration.ofNanos(1));
		assertThat(future).isCompletedWithValue(null);
		assertThat(this.backend.attempts()).isEqualTo(2);
		elsewhere.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void storeThatFailsThroughoutIsUnavailable() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		this.backend.always(Kind.CONTEND, Fault.unavailable());
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		assertThat(future).isNotDone();
		this.harness.advance(WAIT);
		assertThat(failure(future)).isEqualTo(Reason.UNAVAILABLE);
		this.harness.assertNothingLeft();
	}

	@Test
	void storeThatComesBackGrants() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		this.backend.next(Kind.CONTEND, Fault.unavailable());
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		this.harness.advance(EngineSettings.defaults().polling().queue());
		assertThat(hold(future).isHeld()).isTrue();
	}

	@Test
	void unknownOutcomeIsReleasedAndAskedForAgain() throws Exception {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		this.backend.next(Kind.CONTEND, Fault.unknownAfterEffect());
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		await().until(() -> this.backend.count(Kind.RELEASE) > 0);
		this.harness.advance(EngineSettings.defaults().polling().queue());
		Hold hold = hold(future);
		assertThat(this.backend.calls(Kind.RELEASE)).extracting(FaultyBackend.Call::request)
			.containsExactly(this.backend.calls(Kind.CONTEND).get(0).request());
		assertThat(release(hold)).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void errorOfTheBackendEndsTheAcquisition() {
		this.backend.next(Kind.CONTEND, Fault.after(() -> {
			throw new StackOverflowError();
		}));
		assertThat(acquire(WAIT)).failsWithin(Duration.ofMinutes(1))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(StackOverflowError.class);
		this.harness.assertNothingLeft();
	}

	@Test
	void oneThatIsCancelledInLineIsGoneAndIsNotHandedTheLease() {
		Hold hold = Harness.hold(this.engine);
		CompletableFuture<@Nullable Hold> cancelled = acquire(WAIT);
		CompletableFuture<@Nullable Hold> waiting = acquire(WAIT);
		assertThat(cancelled.cancel(false)).isTrue();
		hold.release();
		hold(waiting).release();
		assertThat(cancelled).isCancelled();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaderThatIsCancelledLeavesTheQueueOfTheStore() {
		Hold elsewhere = Harness.hold(this.other);
		CompletableFuture<@Nullable Hold> future = leading(WAIT);
		future.cancel(false);
		await().until(() -> this.engine.size() == 0);
		await().until(() -> this.backend.count(Kind.RELEASE) == 1);
		assertThat(this.backend.lastCall(Kind.RELEASE).request())
			.isEqualTo(this.backend.lastCall(Kind.CONTEND).request());
		elsewhere.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void grantThatCrossesWithTheCancellingIsReleased() {
		Gate gate = new Gate();
		this.backend.next(Kind.CONTEND, Fault.after(gate));
		CompletableFuture<@Nullable Hold> future = acquire(WAIT);
		gate.awaitArrival();
		future.cancel(false);
		gate.open();
		this.harness.assertNothingLeft();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
	}

	@Test
	void denialThatCrossesWithTheCancellingEndsIt() {
		Hold elsewhere = Harness.hold(this.other);
		Gate gate = new Gate();
		this.backend.next(Kind.CONTEND, Fault.after(gate));
		CompletableFuture<@Nullable Hold> future = acquire(WAIT);
		gate.awaitArrival();
		future.cancel(false);
		gate.open();
		await().until(() -> this.engine.size() == 0);
		elsewhere.release();
		this.harness.assertNothingLeft();
		assertThat(this.backend.attempts()).isOne();
	}

	/**
	 * A hold whose lease can be handed off, because another waited for it when it was
	 * asked for.
	 */
	private Hold contendedHold(LockEngine engine, QueueingExecutor executor) {
		Hold before = Harness.hold(engine);
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		before.release();
		executor.runAll();
		return hold(future);
	}

	@Test
	void acquisitionThatIsCancelledAfterTheHandOffReleasesTheLease() {
		QueueingExecutor executor = new QueueingExecutor();
		LockEngine engine = this.harness.engine(this.backend, executor);
		Hold hold = contendedHold(engine, executor);
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		this.backend.clearCalls();
		hold.release();
		assertThat(this.backend.count(Kind.RELEASE)).as("handed off").isZero();
		future.cancel(false);
		executor.runAll();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void oneWhoseLeaseIsLostBeforeTheStepThatFindsItContinuesToWait() {
		QueueingExecutor executor = new QueueingExecutor();
		LockEngine engine = this.harness.engine(this.backend, executor);
		Hold hold = contendedHold(engine, executor);
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		hold.release();
		this.harness.store.expire(hold.lease().request());
		this.backend.listener().onLost(hold.lease().request());
		assertThat(future).isNotDone();
		executor.runAll();
		Hold anew = hold(future);
		assertThat(anew.isHeld()).isTrue();
		assertThat(anew.token()).isGreaterThan(hold.token() + 1);
		assertThat(anew.release()).isTrue();
		await().until(() -> this.harness.losses.size() == 1);
		this.harness.assertNothingLeft();
	}

	@Test
	void futureThatIsCompletedByAnotherEndsTheAcquisition() {
		Hold hold = Harness.hold(this.engine);
		CompletableFuture<@Nullable Hold> future = acquire(WAIT);
		future.complete(null);
		hold.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void ownerAcquiresAgainAtOnceInAnyThread() throws Exception {
		Object owner = new Object();
		Hold hold = hold(this.engine.acquireAsync(KEY, OPTIONS, owner, 0));
		CompletableFuture<@Nullable Hold> again = this.engine.acquireAsync(KEY, OPTIONS, owner, 0);
		assertThat(again).isCompletedWithValue(hold);
		assertThat(this.engine.acquireUninterruptibly(KEY, OPTIONS, owner, 0)).isSameAs(hold);
		assertThat(release(hold)).isTrue();
		assertThat(release(hold)).isTrue();
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
		assertThat(release(hold)).isTrue();
		assertThat(hold.releaseAsync().toCompletableFuture()).isCompletedExceptionally();
		this.harness.assertNothingLeft();
	}

	@Test
	void ownerThatHasLostItsLeaseIsNotified() throws Exception {
		Object owner = new Object();
		Hold hold = hold(this.engine.acquireAsync(KEY, OPTIONS, owner, 0));
		AtomicInteger calls = new AtomicInteger();
		hold.onLost(calls::incrementAndGet);
		this.harness.store.expire(hold.lease().request());
		await().until(() -> calls.get() == 1);
		assertThat(failure(this.engine.acquireAsync(KEY, OPTIONS, owner, 0))).isEqualTo(Reason.LOST);
		assertThat(release(hold)).isFalse();
		this.harness.assertNothingLeft();
	}

	@Test
	void shutdownEndsAllThatWait() {
		Hold elsewhere = Harness.hold(this.other);
		CompletableFuture<@Nullable Hold> leading = leading(WAIT);
		List<CompletableFuture<@Nullable Hold>> waiting = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			waiting.add(acquire(WAIT));
		}
		this.engine.close();
		assertThat(failure(leading)).isEqualTo(Reason.CLOSED);
		waiting.forEach((future) -> assertThat(failure(future)).isEqualTo(Reason.CLOSED));
		assertThat(failure(acquire(WAIT))).isEqualTo(Reason.CLOSED);
		elsewhere.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void releaseThatNoThreadIsFoundForIsMadeByTheCaller() throws Exception {
		DirectExecutor executor = new DirectExecutor();
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults(), executor);
		Hold hold = Harness.hold(engine);
		executor.rejectNext(new RejectedExecutionException("full"));
		assertThat(release(hold)).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void lackOfThreadsDelaysAnAcquisition() {
		DirectExecutor executor = new DirectExecutor();
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults(), executor);
		executor.rejectNext(new OutOfMemoryError("a test"));
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), 0);
		assertThat(future).isNotDone();
		this.harness.advance(Duration.ofMillis(100));
		hold(future).release();
		this.harness.assertNothingLeft();
	}

	@Test
	void lackOfThreadsThatCannotBeLoggedDelaysAnAcquisition() {
		DirectExecutor executor = new DirectExecutor();
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults(), executor);
		Hold first = Harness.hold(engine);
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(), WAIT.toNanos());
		executor.rejectNext(new Error() {

			@Override
			public String getMessage() {
				throw new InternalError("a test");
			}

		});
		assertThat(first.release()).isTrue();
		this.harness.advance(Duration.ofMillis(100));
		hold(future).release();
		this.harness.assertNothingLeft();
	}

	@Test
	void lackOfThreadsEndsNoAcquisitionLaterThoughTheClockFails() {
		DirectExecutor executor = new DirectExecutor();
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults(), executor);
		Harness.hold(this.other);
		for (int i = 1; i <= 20; i++) {
			CompletableFuture<@Nullable Hold> future = engine.acquireAsync(KEY, OPTIONS, new Object(),
					Duration.ofSeconds(1).toNanos());
			this.harness.advance(Duration.ofSeconds(1).minusNanos(1));
			executor.rejectNext(new OutOfMemoryError("a test"));
			this.harness.clock().afterLookOfTimer(i, () -> {
				throw new StackOverflowError("a test");
			});
			this.harness.advance(Duration.ofMillis(500), Duration.ofMillis(100));
			assertThat(future).as("look %s", i).isDone();
		}
	}

	@Test
	void shutdownWaitsForAsynchronousReleases() {
		Gate gate = new Gate();
		Hold hold = hold(acquire(WAIT));
		this.backend.next(Kind.RELEASE, Fault.before(gate));
		CompletableFuture<Boolean> released = hold.releaseAsync().toCompletableFuture();
		gate.awaitArrival();
		CompletableFuture<Void> shutdown = CompletableFuture.runAsync(this.engine::close);
		gate.open();
		assertThat(shutdown).succeedsWithin(Duration.ofMinutes(1));
		assertThat(released).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
		assertThat(this.harness.sizeOfStore()).isZero();
	}

	@Test
	void callbackThatBlocksDelaysNoOther() {
		Hold hold = Harness.hold(this.engine);
		Gate gate = new Gate();
		CompletableFuture<?> blocked = acquire(WAIT).thenAccept((next) -> {
			next.release();
			gate.run();
		});
		CompletableFuture<@Nullable Hold> next = acquire(WAIT);
		hold.release();
		hold(next).release();
		this.harness.assertNothingLeft();
		assertThat(blocked).isNotDone();
		gate.open();
		assertThat(blocked).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void tenThousandThatWaitAddAHandfulOfThreads() {
		Hold hold = Harness.hold(this.engine);
		List<CompletableFuture<@Nullable Hold>> waiting = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			waiting.add(acquire(Duration.ofSeconds(5)));
		}
		assertThat(threads()).isLessThan(20);
		this.harness.advance(Duration.ofSeconds(5));
		for (int i = 0; i < waiting.size(); i++) {
			if (i % 100 == 0) {
				assertThat(threads()).isLessThan(100);
			}
			assertThat(result(waiting.get(i))).isNull();
		}
		hold.release();
		this.harness.assertNothingLeft();
	}

	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((t) -> t.getName().startsWith("lock-faulty-"))
			.count();
	}

}
