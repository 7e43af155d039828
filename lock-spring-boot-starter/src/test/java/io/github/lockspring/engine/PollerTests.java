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

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Call;
import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Poller}: what is asked of the store for those that wait, and when.
 */
class PollerTests {

	private static final Duration WAIT = Duration.ofDays(1);

	private static final Duration POLL = EngineSettings.defaults().polling().queue();

	private static final Duration MAX_POLL = EngineSettings.defaults().polling().max();

	private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

	private static final Duration OPERATION = EngineSettings.defaults().operationTimeout();

	private static final Duration GRACE = Duration.ofMillis(250);

	private final Harness harness = new Harness();

	private final LockEngine other = this.harness.engine();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());

	@AfterEach
	void close() {
		this.harness.close();
	}

	/**
	 * Holds a key in another engine, which does not renew leases by the clock of the
	 * test.
	 */
	private Hold heldElsewhere(String key) {
		Hold hold = this.other.acquireUninterruptibly(key, AcquireOptions.exclusive(WAIT, false), new Object(), 0);
		if (hold == null) {
			throw new AssertionError("The key is held");
		}
		return hold;
	}

	private CompletableFuture<@Nullable Hold> waiting(LockEngine engine, String key, Duration wait) {
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(key, OPTIONS, new Object(), wait.toNanos());
		assertThat(future).isNotDone();
		return future;
	}

	private List<CompletableFuture<@Nullable Hold>> waitForKeys(LockEngine engine, int count) {
		List<CompletableFuture<@Nullable Hold>> waiting = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			heldElsewhere("key-" + i);
			waiting.add(waiting(engine, "key-" + i, WAIT));
		}
		return waiting;
	}

	private static Hold hold(CompletableFuture<@Nullable Hold> future) {
		try {
			Hold hold = future.get(1, TimeUnit.MINUTES);
			if (hold != null) {
				return hold;
			}
			throw new AssertionError("Not acquired");
		}
		catch (InterruptedException | ExecutionException | TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

	private LeaseRequest contender() {
		return this.backend.lastCall(Kind.CONTEND).request();
	}

	@Test
	void oneCallAsksForAllThatWait() {
		waitForKeys(this.engine, 50);
		for (int i = 1; i <= 4; i++) {
			this.harness.advance(POLL);
			assertThat(this.backend.count(Kind.POLL)).isEqualTo(i);
			assertThat(this.backend.lastCall(Kind.POLL).requests()).hasSize(50);
		}
		assertThat(this.backend.attempts()).isEqualTo(50);
		assertThat(this.backend.lastCall(Kind.POLL).timeout()).isEqualTo(OPERATION);
	}

	@Test
	void noCallIsMadeBeforeTheFirstIsDue() {
		waitForKeys(this.engine, 2);
		this.harness.advance(POLL.minusNanos(1));
		assertThat(this.backend.count(Kind.POLL)).isZero();
		this.harness.advance(Duration.ofNanos(1));
		assertThat(this.backend.count(Kind.POLL)).isOne();
	}

	@Test
	void thoseThatAreDueWithinHalfAPauseFallIntoStep() {
		heldElsewhere("a");
		heldElsewhere("b");
		heldElsewhere("c");
		waiting(this.engine, "a", WAIT);
		this.harness.advance(POLL.dividedBy(2));
		waiting(this.engine, "b", WAIT);
		this.harness.advance(Duration.ofNanos(1));
		waiting(this.engine, "c", WAIT);
		this.harness.advance(POLL.dividedBy(2).minusNanos(1));
		assertThat(polledKeys()).containsExactly("a", "b");
		this.harness.advance(POLL.dividedBy(2).plusNanos(1));
		assertThat(polledKeys()).containsExactly("c", "a", "b");
		this.harness.advance(POLL);
		assertThat(this.backend.count(Kind.POLL)).isEqualTo(3);
		assertThat(polledKeys()).hasSize(3);
	}

	private List<String> polledKeys() {
		return this.backend.lastCall(Kind.POLL).requests().stream().map(LeaseRequest::key).toList();
	}

	@Test
	void leaseThatEndsEarlierIsAskedForThen() {
		AcquireOptions brief = AcquireOptions.exclusive(Duration.ofMillis(300), false);
		this.other.acquireUninterruptibly(KEY, brief, new Object(), 0);
		this.backend.setDelivery(Delivery.LOSE);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, WAIT);
		this.harness.advance(Duration.ofMillis(299));
		assertThat(this.backend.count(Kind.POLL)).isZero();
		this.harness.advance(Duration.ofMillis(1));
		assertThat(hold(waiting).isHeld()).isTrue();
	}

	@Test
	void grantWhoseMessageIsLostIsTakenAfterOnePoll() {
		Hold held = heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, WAIT);
		this.backend.setDelivery(Delivery.LOSE);
		held.release();
		this.harness.advance(POLL);
		assertThat(hold(waiting).isHeld()).isTrue();
		assertThat(this.backend.attempts()).isEqualTo(2);
	}

	@Test
	void grantThatFollowsTheDenialOfAPollAcquiresWithoutAnotherCall() {
		Hold held = heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, WAIT);
		this.harness.advance(POLL);
		this.harness.advance(POLL);
		assertThat(this.backend.count(Kind.POLL)).isEqualTo(2);
		held.release();
		assertThat(hold(waiting).remaining()).isEqualTo(LEASE.minus(LEASE.dividedBy(100)));
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void grantThatFollowsAnEarlierDenialThanThatOfAPollIsAskedFor() {
		heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, WAIT);
		long attemptId = this.backend.lastAttemptId();
		this.harness.advance(POLL);
		assertThat(this.backend.listener().onGranted(contender(), new Grant(7, LEASE), attemptId, Duration.ZERO))
			.isTrue();
		assertThat(this.backend.attempts()).isEqualTo(2);
		assertThat(waiting).isNotDone();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void grantThatArrivesWhileACallIsUnderWayIsNotTouchedByItsAnswer(boolean denied) {
		LockEngine engine = this.harness.engine(this.backend);
		Hold held = heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(engine, KEY, WAIT);
		await().until(() -> this.backend.lastAttemptId() != 0);
		Gate gate = new Gate();
		this.backend.next(Kind.POLL, denied ? Fault.after(gate) : Fault.before(gate));
		advanceUntil(POLL, () -> this.backend.count(Kind.POLL) == 1);
		gate.awaitArrival();
		held.release();
		Hold hold = hold(waiting);
		Duration remaining = hold.remaining();
		long attempts = this.backend.attempts();
		gate.open();
		heldElsewhere("another");
		waiting(engine, "another", WAIT);
		advanceUntil(POLL, () -> this.backend.count(Kind.POLL) == 2);
		assertThat(this.backend.attempts()).isEqualTo(attempts + 1);
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isGreaterThan(remaining.minus(POLL.multipliedBy(2)));
		assertThat(hold.release()).isTrue();
	}

	private void advanceUntil(Duration atMost, java.util.function.BooleanSupplier condition) {
		Duration step = atMost.dividedBy(50);
		await().until(() -> {
			if (!condition.getAsBoolean()) {
				this.harness.advance(step);
			}
			return condition.getAsBoolean();
		});
	}

	@Test
	void failureIsReportedToWaitersUntilTheNextAnswer() {
		heldElsewhere(KEY);
		waiting(this.engine, KEY, WAIT);
		CompletableFuture<@Nullable Hold> unlucky = waiting(this.engine, KEY, POLL.plusMillis(1));
		CompletableFuture<@Nullable Hold> lucky = waiting(this.engine, KEY, POLL.plus(AFTER_FAILURE).plusMillis(1));
		this.backend.next(Kind.POLL, Fault.unavailable());
		this.harness.advance(POLL);
		this.harness.advance(Duration.ofMillis(1));
		assertThat(unlucky).isCompletedExceptionally();
		this.harness.advance(AFTER_FAILURE.minusMillis(1));
		assertThat(this.backend.count(Kind.POLL)).isEqualTo(2);
		this.harness.advance(Duration.ofMillis(1));
		assertThat(lucky).isCompletedWithValue(null);
	}

	@Test
	void storeThatFailsToTheEndIsUnavailable() {
		heldElsewhere(KEY);
		Waiter waiter = this.harness.queued(this.engine, POLL.multipliedBy(2));
		this.backend.always(Kind.POLL, Fault.unavailable());
		this.backend.always(Kind.CONTEND, Fault.unavailable());
		this.harness.advance(POLL.multipliedBy(2));
		assertThat(waiter.failure()).isInstanceOfSatisfying(EngineException.class,
				(ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE));
	}

	@Test
	void callThatNothingIsKnownOfIsMadeAgain() {
		Hold held = heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, WAIT);
		this.backend.next(Kind.POLL, Fault.unknownAfterEffect());
		this.harness.advance(POLL);
		this.harness.advance(AFTER_FAILURE);
		assertThat(this.backend.count(Kind.POLL)).isEqualTo(2);
		held.release();
		assertThat(hold(waiting).isHeld()).isTrue();
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void errorsDoNotEndThePolling() {
		Hold held = heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, WAIT);
		this.backend.next(Kind.POLL, Fault.before(() -> {
			throw new OutOfMemoryError("a test");
		}));
		this.backend.next(Kind.POLL, Fault.before(() -> {
			throw new IllegalStateException("a test");
		}));
		this.harness.advance(POLL);
		this.harness.advance(POLL);
		assertThat(this.backend.count(Kind.POLL)).isEqualTo(2);
		this.harness.advance(AFTER_FAILURE);
		assertThat(this.backend.count(Kind.POLL)).isEqualTo(3);
		this.backend.setDelivery(Delivery.LOSE);
		held.release();
		this.harness.advance(POLL);
		assertThat(hold(waiting).isHeld()).isTrue();
	}

	static Stream<Throwable> faultsOfABackend() {
		return Stream.of(new StackOverflowError(), new NoClassDefFoundError("x"), new OutOfMemoryError("x"),
				new IOException("x"));
	}

	/**
	 * They learn in no other way that the lease is free.
	 */
	@ParameterizedTest
	@MethodSource("faultsOfABackend")
	void thoseWhomABackendAlwaysFailsToAskForAskThemselves(Throwable fault) {
		this.backend.always(Kind.POLL, Fault.before(() -> sneakyThrow(fault)));
		assertEachAsksForItself();
	}

	@Test
	void thoseForWhomABackendAnswersNothingAskThemselves() {
		this.backend.setPollAnswer((denials) -> null);
		assertEachAsksForItself();
	}

	private void assertEachAsksForItself() {
		Hold held = heldElsewhere(KEY);
		this.backend.setDelivery(Delivery.LOSE);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, WAIT);
		heldElsewhere("another");
		waiting(this.engine, "another", WAIT);
		this.harness.advance(POLL);
		assertThat(this.backend.attempts()).isEqualTo(4);
		held.release();
		this.harness.advance(POLL);
		assertThat(hold(waiting).isHeld()).isTrue();
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> void sneakyThrow(Throwable failure) throws E {
		throw (E) failure;
	}

	@Test
	void answerOfABackendForOthersAndWithoutReasonIsNotHeeded() {
		Hold held = heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, WAIT);
		Map<LeaseRequest, Denial> answer = new HashMap<>();
		answer.put(contender(), null);
		heldElsewhere("gone");
		waiting(this.engine, "gone", WAIT).cancel(false);
		answer.put(this.backend.lastCall(Kind.CONTEND).request(), Denial.UNKNOWN_DURATION);
		this.backend.setPollAnswer((denials) -> answer);
		this.harness.advance(POLL);
		assertThat(this.backend.attempts()).isEqualTo(3);
		held.release();
		assertThat(hold(waiting).isHeld()).isTrue();
	}

	@Test
	void callThatIsTooLongForTheStoreIsMadeForFewer() {
		FaultyBackend polling = this.harness.backend().without(Capability.QUEUE);
		LockEngine engine = this.harness.steadyEngine(polling, EngineSettings.defaults());
		List<CompletableFuture<@Nullable Hold>> waiting = waitForKeys(engine, 20);
		polling.always(Kind.POLL, Fault.before(() -> {
			if (polling.lastCall(Kind.POLL).requests().size() > 5) {
				throw new BackendUnavailableException("too slow", null);
			}
		}));
		this.harness.advance(MAX_POLL.multipliedBy(30), Duration.ofMillis(5));
		polling.clearCalls();
		this.other.close();
		this.harness.advance(MAX_POLL.multipliedBy(30), Duration.ofMillis(5));
		waiting.forEach((future) -> assertThat(hold(future).isHeld()).isTrue());
	}

	@Test
	void callsAreLongAgainAfterAFailure() {
		waitForKeys(this.engine, 50);
		for (int i = 0; i < 10; i++) {
			this.backend.next(Kind.POLL, Fault.unavailable());
		}
		this.harness.advance(POLL.multipliedBy(20), Duration.ofMillis(100));
		assertThat(this.backend.calls(Kind.POLL).stream().mapToInt((call) -> call.requests().size()).min()).hasValue(2);
		this.backend.clearCalls();
		this.harness.advance(POLL.multipliedBy(5), Duration.ofMillis(100));
		assertThat(this.backend.lastCall(Kind.POLL).requests()).hasSize(50);
	}

	@Test
	void lackOfThreadsDoesNotEndThePolling() {
		DirectExecutor executor = new DirectExecutor();
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults(), executor);
		heldElsewhere(KEY);
		waiting(engine, KEY, WAIT);
		executor.rejectNext(new OutOfMemoryError("a test"));
		this.harness.advance(POLL);
		assertThat(this.backend.count(Kind.POLL)).isZero();
		this.harness.advance(AFTER_FAILURE);
		assertThat(this.backend.count(Kind.POLL)).isOne();
	}

	@Test
	void oneThatSleepsAsksItselfAtItsDeadline() {
		heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(this.engine, KEY, POLL.plusMillis(10));
		this.harness.advance(POLL);
		assertThat(this.backend.count(Kind.POLL)).isOne();
		this.harness.advance(Duration.ofMillis(10));
		assertThat(waiting).isCompletedWithValue(null);
		assertThat(this.backend.attempts()).isEqualTo(2);
		this.harness.advance(POLL);
		assertThat(this.backend.count(Kind.POLL)).isOne();
	}

	@Test
	void cancelledOrInterruptedRequestIsNotPolled() {
		heldElsewhere("a");
		heldElsewhere("b");
		CompletableFuture<@Nullable Hold> cancelled = waiting(this.engine, "a", WAIT);
		Waiter interrupted = this.harness.start(() -> this.engine.acquire("b", OPTIONS, WAIT.toNanos()));
		interrupted.awaitSleep();
		cancelled.cancel(false);
		interrupted.interrupt();
		assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
		this.harness.advance(POLL.multipliedBy(2));
		assertThat(this.backend.count(Kind.POLL)).isZero();
	}

	@Test
	void storeThatCannotBeAskedForAllIsAskedByEach() {
		FaultyBackend simple = this.harness.backend().withoutPoll();
		Hold held = heldElsewhere(KEY);
		CompletableFuture<@Nullable Hold> waiting = waiting(
				this.harness.steadyEngine(simple, EngineSettings.defaults()), KEY, WAIT);
		for (int i = 1; i <= 3; i++) {
			assertThat(simple.attempts()).isEqualTo(i);
			this.harness.advance(POLL);
		}
		assertThat(simple.calls(Kind.CONTEND).stream().map(Call::request).distinct()).hasSize(1);
		held.release();
		assertThat(hold(waiting).isHeld()).isTrue();
	}

	@Test
	void storeThatCannotBeAskedForAllIsAskedByEachInItsOwnTime() {
		FaultyBackend simple = this.harness.backend().withoutPoll();
		LockEngine engine = this.harness.steadyEngine(simple, EngineSettings.defaults());
		heldElsewhere("a");
		heldElsewhere("b");
		waiting(engine, "a", WAIT);
		this.harness.advance(POLL.dividedBy(4));
		waiting(engine, "b", WAIT);
		for (int i = 0; i < 3; i++) {
			simple.clearCalls();
			this.harness.advance(POLL.dividedBy(4).multipliedBy(3));
			assertThat(simple.calls(Kind.CONTEND)).extracting((call) -> call.request().key()).containsExactly("a");
			this.harness.advance(POLL.dividedBy(4));
			assertThat(simple.calls(Kind.CONTEND)).extracting((call) -> call.request().key()).containsExactly("a", "b");
		}
	}

	@Test
	void storeWithoutNotificationsIsPolledForAllTogetherWhenDelaysHaveGrown() {
		FaultyBackend polling = this.harness.backend().without(Capability.QUEUE);
		LockEngine engine = this.harness.steadyEngine(polling, EngineSettings.defaults());
		List<CompletableFuture<@Nullable Hold>> waiting = waitForKeys(engine, 20);
		this.harness.advance(MAX_POLL.multipliedBy(10), Duration.ofMillis(1));
		polling.clearCalls();
		this.harness.advance(MAX_POLL.multipliedBy(10), Duration.ofMillis(1));
		assertThat(polling.attempts()).isZero();
		assertThat(polling.count(Kind.POLL)).isBetween(10L, 20L);
		assertThat(polling.lastCall(Kind.POLL).requests()).hasSize(20);
		this.other.close();
		this.harness.advance(MAX_POLL);
		waiting.forEach((future) -> assertThat(hold(future).isHeld()).isTrue());
		assertThat(polling.attempts()).isEqualTo(20);
	}

	@Test
	void thoseWhoseCallHangsAskThemselves() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold held = heldElsewhere(KEY);
		this.backend.setDelivery(Delivery.LOSE);
		CompletableFuture<@Nullable Hold> waiting = waiting(engine, KEY, WAIT);
		await().until(() -> this.backend.attempts() == 1);
		Gate gate = new Gate();
		this.backend.next(Kind.POLL, Fault.before(gate));
		advanceUntil(POLL, () -> this.backend.count(Kind.POLL) == 1);
		gate.awaitArrival();
		held.release();
		this.harness.time.advance(OPERATION.plus(GRACE));
		assertThat(hold(waiting).isHeld()).isTrue();
		gate.open();
	}

	@Test
	void whileACallHangsThoseThatAreDueAskThemselves() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold first = heldElsewhere("a");
		Hold second = heldElsewhere("b");
		this.backend.setDelivery(Delivery.LOSE);
		CompletableFuture<@Nullable Hold> one = waiting(engine, "a", WAIT);
		await().until(() -> this.backend.attempts() == 1);
		Gate gate = new Gate();
		this.backend.next(Kind.POLL, Fault.before(gate));
		advanceUntil(POLL, () -> this.backend.count(Kind.POLL) == 1);
		gate.awaitArrival();
		CompletableFuture<@Nullable Hold> another = waiting(engine, "b", WAIT);
		await().until(() -> this.backend.attempts() == 2);
		first.release();
		second.release();
		advanceUntil(OPERATION.plus(GRACE), one::isDone);
		assertThat(hold(one).isHeld()).isTrue();
		advanceUntil(POLL, another::isDone);
		assertThat(hold(another).isHeld()).isTrue();
		assertThat(this.backend.count(Kind.POLL)).isOne();
		gate.open();
		heldElsewhere("c");
		waiting(engine, "c", WAIT);
		advanceUntil(POLL, () -> this.backend.count(Kind.POLL) == 2);
	}

}
