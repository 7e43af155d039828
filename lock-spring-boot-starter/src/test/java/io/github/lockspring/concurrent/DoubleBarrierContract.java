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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What {@link DistributedDoubleBarrier} promises on every backend, as tests.
 */
public abstract class DoubleBarrierContract extends LockClientContract {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private static final String INTERNAL = "\uffffdouble-barrier";

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	protected DoubleBarrierContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void requireValuesAndPermits() {
		requiresValues();
		requires(Capability.PERMITS);
	}

	private DistributedDoubleBarrier participant(LockProcess process, int parties) {
		return process.client.doubleBarrier(this.key, parties, OPTIONS);
	}

	@Test
	@Tag(EVERYWHERE)
	void participantsEnterAndLeaveTogether() {
		int parties = 3;
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger entered = new AtomicInteger();
		List<TestThread<Integer>> threads = new ArrayList<>();
		for (int i = 0; i < parties; i++) {
			DistributedDoubleBarrier participant = participant((i == 0) ? this.one : this.two, parties);
			threads.add(start(() -> {
				int least = parties;
				for (int round = 0; round < 3; round++) {
					entered.incrementAndGet();
					participant.enter();
					least = Math.min(least, entered.get() - round * parties);
					inside.incrementAndGet();
					participant.leave();
					least = Math.min(least, inside.get() - round * parties);
				}
				return least;
			}));
		}
		assertThat(threads).allSatisfy((thread) -> assertThat(thread.get()).isEqualTo(parties));
		assertNothingIsLeft();
	}

	private void assertNothingIsLeft() {
		await().until(() -> holders().isEmpty());
		assertThat(this.one.client.atomicLong(this.key).get()).isZero();
	}

	private long joined() {
		return this.one.number("lock:" + this.key + INTERNAL) & Integer.MAX_VALUE;
	}

	private List<LeaseHolder> holders() {
		return this.one.holders("lock:" + this.key + INTERNAL);
	}

	@Test
	void participantThatDoesNotWaitLongEnoughHasNotEntered() throws Exception {
		DistributedDoubleBarrier first = participant(this.one, 2);
		assertThat(first.enter(SHORT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		assertThat(first.enter(0, TimeUnit.SECONDS)).isFalse();
		assertThat(first.enterAsync(Duration.ofSeconds(Long.MIN_VALUE)).toCompletableFuture().get(1, TimeUnit.MINUTES))
			.isFalse();
		assertThatIllegalStateException().isThrownBy(first::leave);
		assertNothingIsLeft();
		TestThread<Boolean> waiting = start(enter(participant(this.two, 2)));
		assertThat(first.enter(30, TimeUnit.SECONDS)).isTrue();
		assertThat(waiting.get()).isTrue();
		assertThatIllegalStateException().isThrownBy(first::enter);
		assertThat(first.leave(SHORT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		assertThatIllegalStateException().isThrownBy(first::leave);
	}

	private static Callable<Boolean> enter(DistributedDoubleBarrier participant) {
		return () -> participant.enter(30, TimeUnit.SECONDS);
	}

	@Test
	void oneParticipantWaitsForNoOther() throws Exception {
		DistributedDoubleBarrier alone = participant(this.one, 1);
		for (int i = 0; i < 3; i++) {
			alone.enter();
			alone.leave();
		}
		assertNothingIsLeft();
	}

	@Test
	void moreParticipantsWaitForTheNextRound() throws Exception {
		DistributedDoubleBarrier first = participant(this.one, 2);
		DistributedDoubleBarrier second = participant(this.two, 2);
		TestThread<Boolean> entering = start(enter(second));
		first.enter();
		assertThat(entering.get()).isTrue();
		DistributedDoubleBarrier third = participant(this.two, 2);
		assertThat(third.enter(SHORT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		TestThread<Boolean> waiting = start(enter(third));
		TestThread<Boolean> leaving = start(() -> first.leave(30, TimeUnit.SECONDS));
		second.leave();
		assertThat(leaving.get()).isTrue();
		assertThat(second.enter(30, TimeUnit.SECONDS)).isTrue();
		assertThat(waiting.get()).isTrue();
	}

	@Test
	@Tag(EVERYWHERE)
	void lossOfAParticipantThatEntersBreaksTheBarrier() {
		List<TestThread<Boolean>> waiting = List.of(start(enter(participant(this.one, 3))),
				start(enter(participant(this.two, 3))));
		await().until(() -> joined() == 2);
		expireOne();
		assertThat(waiting)
			.allSatisfy((thread) -> assertThat(thread.failure()).isInstanceOf(BrokenBarrierException.class));
		List<TestThread<Boolean>> again = List.of(start(enter(participant(this.one, 3))),
				start(enter(participant(this.two, 3))), start(enter(participant(this.two, 3))));
		assertThat(again).allSatisfy((thread) -> assertThat(thread.get()).isTrue());
	}

	private void expireOne() {
		expire(holders().get(0), this.key + INTERNAL);
	}

	@Test
	void participantThatLostItsLeaseDoesNotLeaveUnnoticed() throws Exception {
		LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(4)).withAutoRenew(false);
		DistributedDoubleBarrier alone = this.one.client.doubleBarrier(this.key, 1, options);
		alone.enter();
		await().until(() -> holders().isEmpty());
		assertThatExceptionOfType(BrokenBarrierException.class).isThrownBy(alone::leave);
		alone.enter();
		alone.leave();
	}

	@Test
	void othersDoNotWaitForAParticipantThatNeverLeaves() {
		DistributedDoubleBarrier first = participant(this.one, 2);
		TestThread<Boolean> entering = start(enter(participant(this.two, 2)));
		assertThat(start(enter(first)).get()).isTrue();
		assertThat(entering.get()).isTrue();
		this.two.close();
		TestThread<Boolean> leaving = start(() -> first.leave(30, TimeUnit.SECONDS));
		assertThat(leaving.failure()).isInstanceOf(BrokenBarrierException.class);
		DistributedDoubleBarrier alone = participant(this.one, 2);
		LockProcess three = startProcess();
		TestThread<Boolean> next = start(enter(participant(three, 2)));
		assertThat(start(enter(alone)).get()).isTrue();
		assertThat(next.get()).isTrue();
	}

	@Test
	void participantsThatAreGoneDoNotKeepThoseOutWhoWaitBriefly() {
		TestThread<Boolean> entering = start(enter(participant(this.two, 2)));
		assertThat(start(enter(participant(this.one, 2))).get()).isTrue();
		assertThat(entering.get()).isTrue();
		expireOne();
		await().until(() -> holders().size() == 1);
		expireOne();
		TestThread<Boolean> other = start(() -> enterSometime(participant(this.two, 2)));
		assertThat(start(() -> enterSometime(participant(this.one, 2))).get()).isTrue();
		assertThat(other.get()).isTrue();
	}

	private static boolean enterSometime(DistributedDoubleBarrier participant) throws Exception {
		for (int i = 0; i < 100; i++) {
			try {
				if (participant.enter(200, TimeUnit.MILLISECONDS)) {
					return true;
				}
			}
			catch (BrokenBarrierException ex) {
				// by those who are gone
			}
		}
		return false;
	}

	@Test
	void interruptedParticipantHasNotEntered() {
		assertInterruptedOnEntry(() -> participant(this.one, 2).enter());
		TestThread<Boolean> waiting = start(enter(participant(this.one, 2)));
		await().until(() -> holders().size() == 1);
		waiting.thread.interrupt();
		assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
		assertNothingIsLeft();
	}

	@Test
	void interruptedParticipantLeavesNevertheless() throws Exception {
		DistributedDoubleBarrier alone = participant(this.one, 1);
		alone.enter();
		assertInterruptedOnEntry(alone::leave);
		assertNothingIsLeft();
		alone.enter();
		alone.leave();
	}

	@Test
	void keyMayBeAsLongAsThatOfALock() throws Exception {
		String longest = this.key + "k".repeat(512 - this.key.length());
		DistributedDoubleBarrier alone = this.one.client.doubleBarrier(longest, 1);
		alone.enter();
		alone.leave();
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.one.client.doubleBarrier(longest + "k", 1))
			.withMessageNotContaining("double-barrier");
	}

	@Test
	void noLockReachesThePermits() throws Exception {
		DistributedDoubleBarrier alone = this.one.client.doubleBarrier(this.key, 1);
		for (String key : List.of(this.key, this.key + ":double-barrier", this.key + "double-barrier")) {
			assertThat(this.two.client.lock(key).tryLock()).isTrue();
		}
		assertThat(alone.enter(30, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.two.client.lock(this.key + INTERNAL))
			.withMessageContaining("U+FFFF");
		alone.leave();
	}

	@Test
	void participantsMustAgreeOnTheirNumber() {
		assertThatIllegalArgumentException().isThrownBy(() -> participant(this.one, 0)).withMessageContaining("0");
		TestThread<Boolean> waiting = start(enter(participant(this.one, 2)));
		await().until(() -> holders().size() == 1);
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> participant(this.two, 3).enter(30, TimeUnit.SECONDS))
			.withMessageContaining("2");
		waiting.thread.interrupt();
		waiting.failure();
	}

	@Test
	void asynchronousFormsDoTheSame() {
		DistributedDoubleBarrier first = participant(this.one, 2);
		DistributedDoubleBarrier second = participant(this.two, 2);
		assertThat(result(first.enterAsync(SHORT))).isFalse();
		CompletableFuture<Boolean> cancelled = first.enterAsync(LONG);
		cancelled.cancel(true);
		await().until(() -> holders().isEmpty());
		CompletableFuture<Boolean> failed = first.enterAsync(LONG);
		failed.completeExceptionally(new TimeoutException());
		await().until(() -> joined() == 0 && holders().isEmpty());
		CompletableFuture<Boolean> entering = first.enterAsync(LONG);
		assertThat(result(second.enterAsync(LONG))).isTrue();
		assertThat(result(entering)).isTrue();
		CompletableFuture<Boolean> leaving = first.leaveAsync(LONG);
		assertThat(result(second.leaveAsync(LONG))).isTrue();
		assertThat(result(leaving)).isTrue();
	}

}
