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
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.OutcomeUnknownException;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for interrupts before, during and after waiting.
 */
class InterruptTests {

	private static final Duration WAIT = Duration.ofSeconds(1);

	private final Harness harness = new Harness();

	private final HookedTime time = new HookedTime(this.harness.time);

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults(), this.time);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private static void assertInterrupted(Waiter waiter) {
		assertThat(waiter.failure()).isExactlyInstanceOf(InterruptedException.class);
		assertThat(waiter.wasInterruptedAtEnd()).as("status").isFalse();
	}

	private Waiter queuedUninterruptibly() {
		return this.harness
			.start(() -> this.engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(), WAIT.toNanos()))
			.awaitSleep();
	}

	@Test
	void interruptedThreadDoesNotAcquireEvenWhatIsFree() {
		for (Duration wait : new Duration[] { Duration.ZERO, WAIT }) {
			Waiter waiter = this.harness.start(() -> {
				Thread.currentThread().interrupt();
				return this.engine.acquire(KEY, OPTIONS, wait.toNanos());
			});
			assertInterrupted(waiter);
		}
		assertThat(this.backend.attempts()).isZero();
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void interruptedThreadDoesNotAcquireAgain() {
		Waiter waiter = this.harness.start(() -> {
			this.engine.acquire(KEY, OPTIONS, 0);
			Thread.currentThread().interrupt();
			return this.engine.acquire(KEY, OPTIONS, 0);
		});
		assertInterrupted(waiter);
		Hold hold = this.engine.heldBy(KEY, waiter.thread(), OPTIONS);
		assertThat(hold != null && hold.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void waiterInLineIsInterrupted() {
		Hold hold = Harness.hold(this.engine);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		waiter.interrupt();
		assertInterrupted(waiter);
		hold.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void oneInTheMiddleOfTheLineIsInterrupted() {
		Hold hold = Harness.hold(this.engine);
		Waiter first = this.harness.queued(this.engine, WAIT);
		Waiter second = this.harness.queued(this.engine, WAIT);
		Waiter third = this.harness.queued(this.engine, WAIT);
		second.interrupt();
		assertInterrupted(second);
		hold.release();
		first.hold().release();
		third.hold().release();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaderIsInterruptedAndTheNextOneLeads() {
		Hold held = Harness.hold(this.harness.engine());
		Waiter leader = this.harness.queued(this.engine, WAIT);
		Waiter next = this.harness.queued(this.engine, WAIT);
		leader.interrupt();
		assertInterrupted(leader);
		await().until(() -> this.backend.attempts() == 2);
		held.release();
		assertThat(next.hold().isHeld()).isTrue();
		next.hold().release();
		this.harness.assertNothingLeft();
	}

	@Test
	void queueEntryOfTheStoreIsReleasedOnce() {
		FaultyBackend backend = this.harness.backend();
		Hold held = Harness.hold(this.harness.engine());
		LockEngine steady = this.harness.steadyEngine(backend, EngineSettings.defaults());
		for (int i = 0; i < 10; i++) {
			Waiter leader = this.harness.queued(steady, WAIT);
			leader.interrupt();
			assertInterrupted(leader);
		}
		this.harness.advance(Duration.ofSeconds(5), Duration.ofMillis(100));
		assertThat(backend.count(Kind.RELEASE)).isEqualTo(10);
		held.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void callToTheStoreIsNotAffected() {
		Hold held = Harness.hold(this.harness.engine());
		Gate gate = new Gate();
		AtomicBoolean seen = new AtomicBoolean();
		this.backend.next(Kind.CONTEND, Fault.after(() -> {
			gate.run();
			seen.set(true);
		}));
		Waiter waiter = this.harness.acquire(this.engine, WAIT);
		gate.awaitArrival();
		waiter.interrupt();
		gate.open();
		assertInterrupted(waiter);
		assertThat(seen).as("the call came to its end").isTrue();
		held.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void interruptDuringTheAttemptThatSucceedsIsKept() {
		Gate gate = new Gate();
		this.backend.next(Kind.CONTEND, Fault.after(gate));
		Waiter waiter = this.harness.acquire(this.engine, WAIT);
		gate.awaitArrival();
		waiter.interrupt();
		gate.open();
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(waiter.wasInterruptedAtEnd()).isTrue();
	}

	@Test
	void leaseThatIsHandedOffToAnInterruptedThreadIsTakenAndTheStatusKept() {
		Hold hold = Harness.hold(this.engine);
		Waiter first = this.harness.queued(this.engine, WAIT);
		hold.release();
		Hold next = first.hold();
		Waiter second = this.harness.queued(this.engine, WAIT);
		this.time.beforeWaking(second.thread(), next::release);
		second.interrupt();
		assertThat(second.hold().isHeld()).isTrue();
		assertThat(second.wasInterruptedAtEnd()).isTrue();
	}

	@Test
	void leaseThatIsGrantedToAnInterruptedThreadIsReleased() {
		Hold held = Harness.hold(this.harness.engine());
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.time.beforeWaking(waiter.thread(), held::release);
		waiter.interrupt();
		assertInterrupted(waiter);
		this.harness.assertNothingLeft();
	}

	@Test
	void uninterruptibleWaiterWaitsOnAndKeepsItsStatus() {
		Hold hold = Harness.hold(this.engine);
		Waiter waiter = queuedUninterruptibly();
		waiter.interrupt();
		waiter.interrupt();
		assertThat(waiter.awaitSleep().isDone()).isFalse();
		hold.release();
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(waiter.wasInterruptedAtEnd()).isTrue();
	}

	@Test
	void uninterruptibleLeaderContinuesToWaitAndKeepsItsStatus() {
		Hold held = Harness.hold(this.harness.engine());
		Waiter waiter = queuedUninterruptibly();
		waiter.interrupt();
		assertThat(waiter.awaitSleep().isDone()).isFalse();
		held.release();
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(waiter.wasInterruptedAtEnd()).isTrue();
	}

	@Test
	void uninterruptibleAcquisitionTakesNoNoticeOfTheStatus() {
		Waiter waiter = this.harness.start(() -> {
			Thread.currentThread().interrupt();
			return this.engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(), 0);
		});
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(waiter.wasInterruptedAtEnd()).isTrue();
	}

	@Test
	void uninterruptibleWaiterThatTimesOutKeepsItsStatus() {
		Harness.hold(this.engine);
		Waiter waiter = queuedUninterruptibly();
		waiter.interrupt();
		waiter.awaitSleep();
		this.harness.advance(WAIT);
		assertThat(waiter.result()).isNull();
		assertThat(waiter.wasInterruptedAtEnd()).isTrue();
	}

	@Test
	void interruptedThreadReleases() {
		AtomicBoolean seen = new AtomicBoolean();
		this.backend.next(Kind.RELEASE, Fault.before(() -> seen.set(Thread.currentThread().isInterrupted())));
		Waiter waiter = this.harness.start(() -> {
			Hold hold = this.engine.acquire(KEY, OPTIONS, 0);
			Thread.currentThread().interrupt();
			assertThat(hold != null && hold.release()).isTrue();
			return hold;
		});
		assertThat(waiter.hold()).isNotNull();
		assertThat(waiter.wasInterruptedAtEnd()).isTrue();
		assertThat(seen).as("status during the call").isFalse();
		this.harness.assertNothingLeft();
	}

	@Test
	void attemptIsMadeWithoutTheStatus() {
		AtomicBoolean seen = new AtomicBoolean();
		this.backend.next(Kind.TRY, Fault.before(() -> seen.set(Thread.currentThread().isInterrupted())));
		Waiter waiter = this.harness.start(() -> {
			Thread.currentThread().interrupt();
			return this.engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(), 0);
		});
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(seen).isFalse();
	}

	/**
	 * What a client does that is interrupted while it waits for a reply.
	 */
	private static void cutOff() {
		Thread.currentThread().interrupt();
		throw new OutcomeUnknownException("interrupted", null);
	}

	@Test
	void uninterruptibleAttemptThatIsCutOffIsMadeAgain() {
		this.backend.next(Kind.TRY, Fault.before(InterruptTests::cutOff));
		Waiter waiter = this.harness
			.start(() -> this.engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(), 0));
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(waiter.wasInterruptedAtEnd()).isTrue();
	}

	@Test
	void uninterruptibleAttemptThatIsCutOffAgainAndAgainEnds() {
		this.backend.always(Kind.TRY, Fault.before(() -> {
			this.harness.time.advance(WAIT);
			cutOff();
		}));
		Waiter waiter = this.harness
			.start(() -> this.engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(), 0));
		assertThat(waiter.failure()).isInstanceOf(EngineException.class);
		assertThat(waiter.wasInterruptedAtEnd()).isTrue();
	}

	@Test
	void attemptOfSeveralKeysThatIsCutOffIsLeftToThoseOfEachKey() {
		this.backend.next(Kind.TRY, Fault.before(InterruptTests::cutOff));
		assertThat(this.engine.acquireTogether(List.of("a", "b"), OPTIONS, this, 0)).isEmpty();
		assertThat(Thread.interrupted()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void attemptThatIsCutOffIsNoFailureOfTheStoreForOthers() {
		Harness.hold(this.harness.engine());
		Gate gate = new Gate();
		this.backend.next(Kind.CONTEND, Fault.before(() -> {
			gate.run();
			cutOff();
		}));
		Waiter leader = this.harness.acquire(this.engine, WAIT.multipliedBy(2));
		gate.awaitArrival();
		Waiter next = this.harness.queued(this.engine, WAIT);
		this.harness.advance(WAIT);
		next.awaitSleep();
		gate.open();
		assertInterrupted(leader);
		assertThat(next.result()).isNull();
	}

	@Test
	void releaseThatIsCutOffIsNoFailureOfTheStoreForOthers() {
		Hold hold = Harness.hold(this.engine, Harness.UNRENEWED);
		Gate gate = new Gate();
		this.backend.next(Kind.RELEASE, Fault.after(() -> {
			gate.run();
			cutOff();
		}));
		Waiter releasing = this.harness.start(() -> hold.release() ? hold : null);
		gate.awaitArrival();
		Waiter next = this.harness.queued(this.engine, WAIT);
		this.harness.advance(WAIT);
		next.awaitSleep();
		gate.open();
		assertThat(releasing.result()).isNotNull();
		assertThat(next.hold().isHeld()).isTrue();
	}

	@Test
	void downgradeThatIsCutOffIsMadeAgain() {
		Hold writer = Harness.hold(this.engine);
		Hold reader = this.engine.acquireUninterruptibly(KEY, Harness.SHARED, writer.owner(), 0);
		this.backend.next(Kind.DOWNGRADE, Fault.after(InterruptTests::cutOff));
		assertThat(writer.release()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(reader).matches(Hold::isHeld);
	}

}
