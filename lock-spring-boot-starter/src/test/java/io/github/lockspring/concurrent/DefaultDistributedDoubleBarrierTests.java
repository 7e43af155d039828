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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.concurrent.DoubleBarrierState.Phase;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link DefaultDistributedDoubleBarrier}: what only a test can make happen
 * that delays a participant or takes the store away. The rest is in
 * {@link DoubleBarrierContract}.
 */
class DefaultDistributedDoubleBarrierTests {

	private static final String KEY = "lock:a\uffffdouble-barrier";

	private static final Duration LONG = Duration.ofMinutes(1);

	private static final Duration LEASE = Duration.ofSeconds(15);

	private final SettableTime time = SettableTime.running();

	private final LocalStore store = new LocalStore(this.time);

	/**
	 * Whether the slow process is paused: it does not notice any change of a value, nor
	 * make any.
	 */
	private volatile boolean paused;

	private final LockProcess slow = new LockProcess(pausing(new LocalLockBackend(this.store)));

	private final LockProcess other = new LockProcess(new LocalLockBackend(this.store));

	@AfterEach
	void close() {
		this.paused = false;
		this.slow.close();
		this.other.close();
	}

	private LockBackend pausing(LockBackend backend) {
		ValueBackend values = backend.values().orElseThrow();
		ValueBackend pausing = (ValueBackend) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { ValueBackend.class }, (proxy, method, arguments) -> {
					awaitUntil(() -> !this.paused);
					return method.invoke(values, arguments);
				});
		return withValues(backend, pausing);
	}

	private static void awaitUntil(Callable<Boolean> condition) {
		Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(LONG).until(condition);
	}

	/**
	 * A participant whose lease is renewed unless its process is the slow one.
	 */
	private DistributedDoubleBarrier participant(LockProcess process, int parties) {
		return process.client.doubleBarrier("a", parties, (process == this.other) ? LockOptions.defaults()
				: LockOptions.defaults().withLeaseTime(LEASE).withAutoRenew(false));
	}

	private DoubleBarrierState state() {
		return DoubleBarrierState.of(new Value(this.other.number(KEY), 1));
	}

	@Test
	void participantThatIsCancelledWhenAllHaveJoinedLeaves() throws Exception {
		CompletableFuture<Boolean> cancelled = this.slow.client.doubleBarrier("a", 2).enterAsync(LONG);
		awaitUntil(() -> state().count() == 1);
		this.paused = true;
		DistributedDoubleBarrier second = this.other.client.doubleBarrier("a", 2);
		CompletableFuture<Boolean> entering = second.enterAsync(LONG);
		awaitUntil(() -> state().phase() == Phase.FULL);
		assertThat(cancelled.cancel(true)).isTrue();
		this.paused = false;
		assertThat(entering.get(1, TimeUnit.MINUTES)).isTrue();
		assertThat(second.leave(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void participantThatIsCancelledLeavesAlthoughItEntersAgainAtOnce() throws Exception {
		for (int i = 0; i < 20; i++) {
			DistributedDoubleBarrier first = this.slow.client.doubleBarrier("a", 2);
			CompletableFuture<Boolean> cancelled = first.enterAsync(LONG);
			awaitUntil(() -> state().count() == 1);
			this.paused = true;
			DistributedDoubleBarrier second = this.other.client.doubleBarrier("a", 2);
			CompletableFuture<Boolean> entering = second.enterAsync(LONG);
			awaitUntil(() -> state().phase() == Phase.FULL);
			assertThat(cancelled.cancel(true)).isTrue();
			AtomicBoolean over = new AtomicBoolean();
			List<TestThread<Boolean>> again = List.of(TestThread.start(() -> enterUntil(over, first)),
					TestThread.start(() -> enterUntil(over, first)));
			this.paused = false;
			assertThat(entering.get(1, TimeUnit.MINUTES)).isTrue();
			assertThat(second.leave(30, TimeUnit.SECONDS)).isTrue();
			over.set(true);
			again.forEach(TestThread::get);
		}
	}

	private static boolean enterUntil(AtomicBoolean over, DistributedDoubleBarrier participant) throws Exception {
		while (!over.get()) {
			try {
				assertThat(participant.enter(0, TimeUnit.SECONDS)).isFalse();
			}
			catch (IllegalStateException ex) {
				// it has not left yet
			}
		}
		return true;
	}

	@Test
	void participantThatDiedAfterItJoinedHasNotEntered() throws Exception {
		participant(this.slow, 2).enterAsync(LONG);
		awaitUntil(() -> state().count() == 1);
		this.paused = true;
		DistributedDoubleBarrier second = participant(this.other, 2);
		assertThat(second.enter(10, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(state().isBroken(state().generation() - 1)).isTrue();
	}

	@Test
	void othersDoNotWaitLongerThanTheLeaseForAParticipantThatDiedAfterItJoined() {
		participant(this.slow, 2).enterAsync(LONG);
		awaitUntil(() -> state().count() == 1);
		this.paused = true;
		CompletableFuture<Boolean> second = participant(this.other, 2).enterAsync(LONG);
		awaitUntil(() -> state().phase() == Phase.FULL);
		this.time.advance(LEASE);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> second.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(BrokenBarrierException.class);
	}

	@Test
	void anotherOwnerOfItsPermitDoesNotReplaceAParticipantThatLostIt() throws Exception {
		participant(this.slow, 3).enterAsync(LONG);
		awaitUntil(() -> state().count() == 1);
		this.paused = true;
		LeaseHolder holder = this.other.holders(KEY).get(0);
		CompletableFuture<Boolean> second = participant(this.other, 3).enterAsync(LONG);
		awaitUntil(() -> state().count() == 2);
		this.store.expire(new LeaseRequest(List.of(KEY), new LeaseTerms(holder.mode(), false, LONG, 1),
				OwnerId.parse(holder.owner())));
		assertThat(this.other.acquire(KEY, LockOptions.defaults().withPermits(3))).isTrue();
		assertThat(participant(this.other, 3).enter(10, TimeUnit.MILLISECONDS)).isFalse();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> second.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(BrokenBarrierException.class);
	}

	@Test
	void participantThatLeavesSlowlyIsNotConcernedByALaterGenerationThatBreaks() throws Exception {
		DistributedDoubleBarrier first = this.slow.client.doubleBarrier("a", 2);
		DistributedDoubleBarrier second = this.other.client.doubleBarrier("a", 2);
		CompletableFuture<Boolean> entered = first.enterAsync(LONG);
		second.enter();
		assertThat(entered.get()).isTrue();
		CompletableFuture<Boolean> leaving = first.leaveAsync(LONG);
		awaitUntil(() -> state().count() == 1 && this.slow.awaitedValues() == 1);
		this.paused = true;
		assertThat(second.leave(30, TimeUnit.SECONDS)).isTrue();
		this.other.update(KEY, new ValueChange.Set(state().joined(2).broken().number(), ValueChange.ANY_VERSION));
		this.paused = false;
		assertThat(leaving.get(1, TimeUnit.MINUTES)).isTrue();
	}

	@Test
	void participantLeavesAlthoughTheStoreIsAwayAndTheOthersDoNotWaitForIt() throws Exception {
		AtomicBoolean away = new AtomicBoolean();
		try (LockTemplate locks = template(away)) {
			DistributedDoubleBarrier first = new LockClient(locks).doubleBarrier("a", 2);
			DistributedDoubleBarrier second = this.other.client.doubleBarrier("a", 2);
			CompletableFuture<Boolean> entered = first.enterAsync(Duration.ofMinutes(1));
			second.enter();
			assertThat(entered.get()).isTrue();
			away.set(true);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(first::leave);
			away.set(false);
			assertThatExceptionOfType(BrokenBarrierException.class)
				.isThrownBy(() -> second.leave(30, TimeUnit.SECONDS));
			entered = first.enterAsync(Duration.ofMinutes(1));
			second.enter();
			assertThat(entered.get()).isTrue();
		}
	}

	@Test
	void interruptIsThrownAlthoughTheStoreIsAway() {
		AtomicBoolean away = new AtomicBoolean();
		try (LockTemplate locks = template(away)) {
			TestThread<Void> first = entering(locks);
			awaitUntil(() -> state().count() == 1);
			away.set(true);
			first.thread.interrupt();
			assertThat(first.failure()).isInstanceOf(InterruptedException.class);
		}
	}

	@Test
	void interruptIsKeptIfTheStoreIsAwayWhenAllHaveJoined() {
		AtomicBoolean away = new AtomicBoolean();
		try (LockTemplate locks = template(away)) {
			participant(this.slow, 2).enterAsync(LONG);
			awaitUntil(() -> state().count() == 1);
			this.paused = true;
			TestThread<Void> second = entering(locks);
			awaitUntil(() -> state().phase() == Phase.FULL);
			away.set(true);
			second.thread.interrupt();
			assertThat(second.failure()).isInstanceOf(LockUnavailableException.class);
			assertThat(second.interruptedAtEnd).isTrue();
		}
	}

	private LockTemplate template(AtomicBoolean away) {
		return LockTemplate.builder(unavailable(new LocalLockBackend(this.store), away))
			.operationTimeout(Duration.ofMillis(500))
			.shutdownTimeout(Duration.ZERO)
			.build();
	}

	private static TestThread<Void> entering(LockTemplate locks) {
		return TestThread.start(() -> {
			new LockClient(locks).doubleBarrier("a", 2).enter();
			return null;
		});
	}

	@Test
	void secondCallForAParticipantWaitsNoLongerThanItsTime() throws Exception {
		DistributedDoubleBarrier participant = this.other.client.doubleBarrier("a", 2);
		CompletableFuture<Boolean> entering = participant.enterAsync(LONG);
		awaitUntil(() -> state().count() == 1);
		assertThat(participant.enter(10, TimeUnit.MILLISECONDS)).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> participant.leave(10, TimeUnit.MILLISECONDS));
		assertThat(entering).isNotDone();
		entering.cancel(true);
	}

	private static LockBackend unavailable(LockBackend backend, AtomicBoolean away) {
		ValueBackend values = backend.values().orElseThrow();
		ValueBackend unavailable = (ValueBackend) Proxy.newProxyInstance(ValueBackend.class.getClassLoader(),
				new Class<?>[] { ValueBackend.class }, (proxy, method, arguments) -> {
					if (away.get() && List.of("read", "update").contains(method.getName())) {
						throw new BackendUnavailableException("away", null);
					}
					return method.invoke(values, arguments);
				});
		return withValues(backend, unavailable);
	}

	private static LockBackend withValues(LockBackend backend, ValueBackend values) {
		return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> method.getName().equals("values")
						? Optional.of(values) : method.invoke(backend, arguments));
	}

}
