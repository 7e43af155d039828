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
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.concurrent.DistributedAtomicLong;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.Durations;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Values}: updates, waits and listeners when the store fails, replies
 * and notifications get lost, and the engine is shut down.
 */
class ValuesTests {

	private static final ValueChange INCREMENT = new ValueChange.Add(1, Long.MIN_VALUE);

	private static final long LONG = Duration.ofSeconds(20).toNanos();

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = engine(this.backend, Duration.ofMillis(200));

	private final Values values = this.engine.values();

	private final ExecutorService executor = Executors.newCachedThreadPool();

	private volatile @Nullable Thread waiting;

	private LockEngine engine(FaultyBackend backend, Duration operationTimeout) {
		return this.harness.engine(backend,
				EngineSettings.defaults()
					.withOperationTimeout(operationTimeout)
					.withPoll(Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofMillis(100)),
				TimeSource.SYSTEM);
	}

	@AfterEach
	void close() {
		this.executor.shutdownNow();
		this.backend.heal();
		this.harness.close();
	}

	@Test
	void updateTakesOneCall() {
		assertThat(this.values.update(KEY, INCREMENT).after().number()).isOne();
		assertThat(this.backend.count(Kind.UPDATE)).isOne();
		assertThat(this.backend.count(Kind.READ)).isZero();
		assertThat(this.values.size()).isZero();
	}

	@Test
	void updateWhoseReplyWasLostIsNotCountedTwice() throws Exception {
		Values patient = engine(this.backend, Duration.ofSeconds(10)).values();
		this.backend.always(Kind.UPDATE, lostSometimes());
		assertThat(incrementAll(patient, 8, 50)).isEqualTo(LongStream.rangeClosed(1, 400).boxed().toList());
		this.backend.heal();
		assertThat(this.values.read(KEY).number()).isEqualTo(400);
		assertThat(this.backend.count(Kind.UPDATE)).isPositive();
		assertThat(this.values.size()).isZero();
	}

	/**
	 * Loses a third of the replies, and a third of the requests.
	 */
	private static Fault lostSometimes() {
		return new Fault() {

			@Override
			public void before() {
				switch (ThreadLocalRandom.current().nextInt(6)) {
					case 0 -> throw new BackendUnavailableException("connection refused", null);
					case 1 -> throw new OutcomeUnknownException("connection reset", null);
					default -> {
					}
				}
			}

			@Override
			public void after() {
				if (ThreadLocalRandom.current().nextInt(3) == 0) {
					throw new OutcomeUnknownException("connection reset", null);
				}
			}

		};
	}

	private List<Long> incrementAll(Values values, int threads, int increments) throws Exception {
		List<Future<List<Long>>> futures = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			futures.add(this.executor.submit(() -> LongStream.range(0, increments)
				.mapToObj((n) -> values.update(KEY, INCREMENT).after().number())
				.toList()));
		}
		List<Long> numbers = new ArrayList<>();
		for (Future<List<Long>> future : futures) {
			numbers.addAll(future.get(1, TimeUnit.MINUTES));
		}
		numbers.sort(null);
		return numbers;
	}

	@Test
	void additionsThatWaitAreSentTogether() throws Exception {
		Gate gate = new Gate();
		LockEngine patient = engine(this.backend, Duration.ofSeconds(10));
		this.backend.next(Kind.UPDATE, Fault.before(gate));
		Future<Long> first = this.executor.submit(() -> patient.values().update(KEY, INCREMENT).after().number());
		gate.awaitArrival();
		List<Future<List<Long>>> others = new ArrayList<>();
		List<Thread> threads = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 10; i++) {
			others.add(this.executor.submit(() -> {
				threads.add(Thread.currentThread());
				ValueUpdateResult result = patient.values().update(KEY, INCREMENT);
				assertThat(result.applied()).isTrue();
				return List.of(result.before().number(), result.after().number());
			}));
		}
		awaitParked(threads, 10);
		gate.open();
		assertThat(first.get()).isOne();
		List<List<Long>> pairs = new ArrayList<>();
		for (Future<List<Long>> other : others) {
			pairs.add(other.get(1, TimeUnit.MINUTES));
		}
		assertThat(pairs)
			.containsExactlyInAnyOrderElementsOf(LongStream.range(1, 11).mapToObj((n) -> List.of(n, n + 1)).toList());
		assertThat(this.backend.count(Kind.UPDATE)).isEqualTo(2);
	}

	private static void awaitParked(List<Thread> threads, int count) {
		await().until(() -> threads.size() == count && threads.stream().allMatch(ValuesTests::isParked));
	}

	private static boolean isParked(@Nullable Thread thread) {
		return thread != null && LockSupport.getBlocker(thread) != null;
	}

	@Test
	void additionsOutOfRangeTogetherAreAppliedAsFarAsTheyCanBe() throws Exception {
		assertThat(countDownTogether(3, 5, new ValueChange.Add(-1, 0))).isEqualTo(3);
		assertThat(this.backend.count(Kind.UPDATE)).isEqualTo(4);
	}

	@Test
	void additionsOutOfRangeAreNotSentOneByOne() throws Exception {
		assertThat(countDownTogether(1, 50, new ValueChange.Add(-1, 0))).isEqualTo(1);
		assertThat(this.backend.count(Kind.UPDATE)).isEqualTo(3);
	}

	@Test
	void additionsThatDeleteTheValueTogetherAreAppliedAsFarAsTheyCanBe() throws Exception {
		assertThat(countDownTogether(4, 5, new ValueChange.Add(-1, 0, 1))).isEqualTo(4);
		assertThat(this.backend.count(Kind.UPDATE)).isEqualTo(4);
		assertThat(this.values.read(KEY)).isEqualTo(Value.ABSENT);
	}

	/**
	 * Counts down from a count, once alone and then together.
	 * @param decrement the change that counts down
	 * @return how many count-downs were applied
	 */
	private int countDownTogether(int count, int together, ValueChange.Add decrement) throws Exception {
		Gate gate = new Gate();
		LockEngine patient = engine(this.backend, Duration.ofSeconds(10));
		patient.values().update(KEY, new ValueChange.Set(count, ValueChange.ANY_VERSION));
		this.backend.next(Kind.UPDATE, Fault.before(gate));
		List<Future<Boolean>> all = new ArrayList<>();
		List<Thread> threads = new CopyOnWriteArrayList<>();
		Callable<Boolean> countDown = () -> {
			threads.add(Thread.currentThread());
			ValueUpdateResult result = patient.values().update(KEY, decrement);
			assertThat(result.applied() || result.after().number() == 0).isTrue();
			assertThat(result.after().exists()).isEqualTo(result.after().number() >= decrement.minKept());
			return result.applied();
		};
		all.add(this.executor.submit(countDown));
		gate.awaitArrival();
		for (int i = 0; i < together; i++) {
			all.add(this.executor.submit(countDown));
		}
		awaitParked(threads, together + 1);
		gate.open();
		int applied = 0;
		for (Future<Boolean> one : all) {
			applied += one.get(1, TimeUnit.MINUTES) ? 1 : 0;
		}
		assertThat(patient.values().read(KEY).number()).isZero();
		return applied;
	}

	@Test
	void updateFailsWhenTheStoreIsAway() {
		this.backend.always(Kind.UPDATE, Fault.unavailable());
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.update(KEY, INCREMENT))
			.withCauseInstanceOf(BackendUnavailableException.class);
		this.backend.heal();
		this.backend.always(Kind.UPDATE, Fault.unknownAfterEffect());
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.update(KEY, INCREMENT))
			.withCauseInstanceOf(OutcomeUnknownException.class);
		this.backend.heal();
		assertThat(this.values.update(KEY, INCREMENT).after().number()).isEqualTo(2);
		assertThat(this.values.size()).isZero();
	}

	@Test
	void outcomeStaysUnknownIfALaterAttemptIsRejected() {
		this.backend.next(Kind.UPDATE, Fault.unknownAfterEffect());
		this.backend.always(Kind.UPDATE, Fault.unavailable());
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.update(KEY, INCREMENT))
			.withCauseInstanceOf(OutcomeUnknownException.class);
	}

	@Test
	void repetitionThatIsNotAppliedIsUnknownAsLongAsAnEarlierAttemptMayBe() {
		List<ValueChange> changes = List.of(new ValueChange.Replace(1, 7), new ValueChange.Add(-1, 0),
				new ValueChange.Delete(ValueChange.ANY_VERSION));
		for (ValueChange change : changes) {
			this.backend.next(Kind.UPDATE, Fault.unknownWithoutEffect());
			assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.update(KEY, change))
				.withCauseInstanceOf(OutcomeUnknownException.class);
			assertThat(this.values.update(KEY, change).applied()).isFalse();
		}
		this.backend.next(Kind.UPDATE, Fault.unknownWithoutEffect());
		assertThat(this.values.update(KEY, new ValueChange.Set(1, 5)).applied()).isFalse();
	}

	/**
	 * The value may be absent once more when the earlier attempt arrives.
	 */
	@Test
	void repetitionThatFindsAValueIsUnknownAsLongAsAnEarlierAttemptMayCreateIt() {
		this.values.update(KEY, INCREMENT);
		this.backend.next(Kind.UPDATE, Fault.unknownWithoutEffect());
		assertThatExceptionOfType(EngineException.class)
			.isThrownBy(() -> this.values.update(KEY, new ValueChange.Set(2, Value.ABSENT.version())))
			.withCauseInstanceOf(OutcomeUnknownException.class);
		assertThat(this.values.update(KEY, new ValueChange.Set(2, Value.ABSENT.version())).applied()).isFalse();
	}

	@Test
	void updateBehindOneThatHangsFailsWithoutBeingSent() throws Exception {
		Gate gate = new Gate();
		this.backend.next(Kind.UPDATE, Fault.before(gate));
		Future<Value> hanging = this.executor.submit(() -> this.values.update(KEY, INCREMENT).after());
		gate.awaitArrival();
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.update(KEY, INCREMENT))
			.withCauseInstanceOf(BackendUnavailableException.class);
		assertThat(this.values.update("other", INCREMENT).applied()).isTrue();
		gate.open();
		assertThat(hanging.get(1, TimeUnit.MINUTES).number()).isOne();
		assertThat(this.values.read(KEY).number()).isOne();
		assertThat(this.values.size()).isZero();
	}

	/**
	 * A thread that wakes up first sends the update of another, which takes too long.
	 */
	@Test
	void updateIsNotSentAfterItsDeadlineByAThreadThatHasSentAnother() throws Exception {
		HookedTime clock = new HookedTime(this.harness.time);
		Values values = this.harness.engine(this.backend, EngineSettings.defaults(), clock).values();
		Gate first = new Gate();
		this.backend.next(Kind.UPDATE, Fault.before(first));
		this.backend.next(Kind.UPDATE, Fault.before(() -> {
			this.harness.time.advance(EngineSettings.defaults().operationTimeout().multipliedBy(2));
			throw new BackendUnavailableException("timeout", null);
		}));
		List<Thread> threads = new CopyOnWriteArrayList<>();
		List<Future<Value>> updates = new ArrayList<>();
		updates.add(this.executor.submit(() -> values.update(KEY, INCREMENT).after()));
		first.awaitArrival();
		for (int i = 1; i <= 2; i++) {
			ValueChange set = new ValueChange.Set(i, ValueChange.ANY_VERSION);
			updates.add(this.executor.submit(() -> {
				threads.add(Thread.currentThread());
				return values.update(KEY, set).after();
			}));
			awaitParked(threads, i);
		}
		Gate second = new Gate();
		clock.beforeWaking(threads.get(0), second);
		first.open();
		assertThat(updates.remove(0).get(1, TimeUnit.MINUTES).number()).isOne();
		LockSupport.unpark(threads.get(1));
		assertUnavailable(updates.subList(1, 2));
		second.open();
		assertUnavailable(updates);
		assertThat(this.backend.count(Kind.UPDATE)).isEqualTo(2);
	}

	@Test
	void updatesThatAreSentTogetherHaveOneDeadline() throws Exception {
		Gate first = new Gate();
		Values values = this.harness.engine(this.backend).values();
		ValueChange decrement = new ValueChange.Add(-1, 0);
		values.update(KEY, new ValueChange.Set(2, ValueChange.ANY_VERSION));
		this.backend.next(Kind.UPDATE, Fault.before(first));
		this.backend.next(Kind.UPDATE, Fault
			.after(() -> this.harness.time.advance(EngineSettings.defaults().operationTimeout().multipliedBy(2))));
		List<Thread> threads = new CopyOnWriteArrayList<>();
		List<Future<Value>> updates = new ArrayList<>();
		updates.add(this.executor.submit(() -> values.update(KEY, decrement).after()));
		first.awaitArrival();
		for (int i = 1; i <= 2; i++) {
			updates.add(this.executor.submit(() -> {
				threads.add(Thread.currentThread());
				return values.update(KEY, decrement).after();
			}));
			awaitParked(threads, i);
		}
		first.open();
		assertThat(updates.remove(0).get(1, TimeUnit.MINUTES).number()).isOne();
		assertUnavailable(updates);
		assertThat(values.read(KEY).number()).isOne();
	}

	@Test
	void interruptDoesNotEndAnUpdate() throws Exception {
		Gate gate = new Gate();
		this.backend.next(Kind.UPDATE, Fault.before(gate));
		Future<Boolean> hanging = this.executor.submit(() -> this.values.update(KEY, INCREMENT).applied());
		gate.awaitArrival();
		Thread[] interrupted = new Thread[1];
		Future<Boolean> behind = this.executor.submit(() -> {
			interrupted[0] = Thread.currentThread();
			boolean applied = this.values.update(KEY, INCREMENT).applied();
			return applied && Thread.interrupted();
		});
		await().until(() -> isParked(interrupted[0]));
		interrupted[0].interrupt();
		gate.open();
		assertThat(hanging.get(1, TimeUnit.MINUTES)).isTrue();
		assertThat(behind.get(1, TimeUnit.MINUTES)).isTrue();
	}

	@Test
	void readThatIsInterruptedIsRepeated() {
		Fault interrupt = Fault.before(() -> {
			Thread.currentThread().interrupt();
			throw new OutcomeUnknownException("interrupted", null);
		});
		this.backend.next(Kind.READ, interrupt);
		this.backend.next(Kind.READ, interrupt);
		assertThat(this.values.read(KEY)).isEqualTo(Value.ABSENT);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void unexpectedErrorOfTheBackendLeavesTheOutcomeUnknown() {
		this.backend.next(Kind.UPDATE, Fault.before(() -> {
			throw new StackOverflowError("test");
		}));
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.update(KEY, INCREMENT))
			.withCauseInstanceOf(OutcomeUnknownException.class);
		assertThat(this.values.update(KEY, INCREMENT).after().number()).isOne();
	}

	@Test
	void waitEndsWhenTheConditionIsMet() throws Exception {
		Future<Value> waiting = this.executor
			.submit(() -> this.values.await(KEY, (value) -> value.number() == 2, LONG));
		await().until(() -> this.values.size() == 1);
		Values others = engine(this.harness.backend(), Duration.ofSeconds(1)).values();
		others.update(KEY, INCREMENT);
		others.update(KEY, INCREMENT);
		assertThat(waiting.get(1, TimeUnit.MINUTES).number()).isEqualTo(2);
		assertThat(this.values.size()).isZero();
	}

	@Test
	void waitEndsWithAValueThatTheStoreSends() throws Exception {
		long version = this.values.update(KEY, INCREMENT).after().version();
		this.backend.setDelivery(Delivery.LOSE);
		Future<Value> waiting = this.executor
			.submit(() -> this.values.await(KEY, (value) -> value.number() == 5, LONG));
		await().until(() -> this.values.size() == 1 && this.backend.count(Kind.READ) >= 2);
		Gate gate = new Gate();
		this.backend.always(Kind.READ, Fault.before(gate));
		this.backend.listener().onValueChanged(KEY, new Value(5, version - 1), version - 1);
		this.backend.listener().onValueChanged(KEY, Value.ABSENT, version);
		this.backend.listener().onValueChanged(KEY, new Value(5, version), version);
		gate.awaitArrival();
		assertThat(waiting).isNotDone();
		this.backend.listener().onValueChanged(KEY, new Value(4, version + 1), version + 1);
		this.backend.listener().onValueChanged(KEY, new Value(5, version + 2), version + 2);
		assertThat(waiting.get(1, TimeUnit.MINUTES)).isEqualTo(new Value(5, version + 2));
		gate.open();
	}

	@Test
	void valueThatAllHaveWaitedForIsNotReadAgain() throws Exception {
		Values values = this.harness
			.engine(this.backend,
					EngineSettings.defaults()
						.withPoll(Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofHours(1)),
					TimeSource.SYSTEM)
			.values();
		values.update(KEY, INCREMENT);
		Future<Value> waiting = this.executor.submit(() -> values.await(KEY, (value) -> value.number() == 5, LONG));
		await().until(() -> values.size() == 1 && this.backend.count(Kind.READ) == 2);
		this.backend.listener().onValueChanged(KEY, new Value(5, Long.MAX_VALUE), Long.MAX_VALUE);
		assertThat(waiting.get(1, TimeUnit.MINUTES).number()).isEqualTo(5);
		assertThat(this.backend.count(Kind.READ)).isEqualTo(2);
	}

	@Test
	void waitForADeletionEndsWithTheOneThatTheStoreSends() throws Exception {
		long version = this.values.update(KEY, INCREMENT).after().version();
		this.backend.setDelivery(Delivery.LOSE);
		Future<Value> waiting = this.executor.submit(() -> this.values.await(KEY, (value) -> !value.exists(), LONG));
		await().until(() -> this.values.size() == 1 && this.backend.count(Kind.READ) >= 2);
		Gate gate = new Gate();
		this.backend.always(Kind.READ, Fault.before(gate));
		this.backend.listener().onValueChanged(KEY, Value.ABSENT, version);
		gate.awaitArrival();
		assertThat(waiting).isNotDone();
		this.backend.listener().onValueChanged(KEY, Value.ABSENT, version + 1);
		assertThat(waiting.get(1, TimeUnit.MINUTES)).isEqualTo(Value.ABSENT);
		gate.open();
	}

	@Test
	void waitForAValueThatDoesNotExistReadsIt() throws Exception {
		this.backend.setDelivery(Delivery.LOSE);
		Future<Value> waiting = this.executor.submit(() -> this.values.await(KEY, Value::exists, LONG));
		await().until(() -> this.values.size() == 1 && this.backend.count(Kind.READ) >= 2);
		Gate gate = new Gate();
		this.backend.always(Kind.READ, Fault.before(gate));
		this.backend.listener().onValueChanged(KEY, new Value(5, 1), 1);
		gate.awaitArrival();
		assertThat(waiting).isNotDone();
		this.backend.heal();
		this.values.update(KEY, INCREMENT);
		gate.open();
		assertThat(waiting.get(1, TimeUnit.MINUTES).number()).isOne();
	}

	@Test
	void waitEndsAlthoughNotificationsAreLost() throws Exception {
		this.backend.setDelivery(Delivery.LOSE);
		waitEndsWhenTheConditionIsMet();
	}

	@Test
	void waitEndsOnAStoreWithoutNotifications() throws Exception {
		this.backend.without(Capability.QUEUE).setDelivery(Delivery.LOSE);
		waitEndsWhenTheConditionIsMet();
	}

	@Test
	void waitOutlivesFailuresOfTheStore() throws Exception {
		this.backend.always(Kind.READ, Fault.unavailable());
		Future<Value> waiting = this.executor.submit(() -> this.values.await(KEY, Value::exists, LONG));
		await().until(() -> this.backend.count(Kind.READ) > 3);
		this.values.update(KEY, INCREMENT);
		assertThat(waiting).isNotDone();
		this.backend.heal();
		assertThat(waiting.get(1, TimeUnit.MINUTES).number()).isOne();
	}

	@Test
	void valueThatCannotBeReadDoesNotKeepOthersFromBeingRead() throws Exception {
		this.backend.failReadsOf(KEY + 3);
		List<CompletableFuture<Value>> waits = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			waits.add(this.values.awaitAsync(KEY + i, Value::exists, LONG));
		}
		await().until(() -> this.values.size() == 8);
		Values others = engine(this.harness.backend(), Duration.ofSeconds(1)).values();
		for (int i = 0; i < 8; i++) {
			others.update(KEY + i, INCREMENT);
		}
		await().until(() -> waits.stream().filter(CompletableFuture::isDone).count() == 7);
		assertThat(waits.get(3)).isNotDone();
	}

	@Test
	void waitDoesNotFailBecauseOfAnotherValueThatCannotBeRead() {
		Values values = this.harness.steadyEngine(this.backend, EngineSettings.defaults()).values();
		this.backend.failReadsOf("unreadable");
		values.awaitAsync("other", Value::exists, LONG);
		values.awaitAsync("unreadable", Value::exists, LONG);
		this.harness.advance(Duration.ZERO);
		this.backend.listener().onValueChanged("other"); // read alone, others with more
		CompletableFuture<Value> wait = values.awaitAsync(KEY, (value) -> true, 0);
		this.harness.advance(Duration.ofMillis(500));
		assertThat(wait).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(Value.ABSENT);
	}

	@Test
	void waitFailsIfTheStoreStillDoesWhenItsTimeIsOver() throws InterruptedException {
		this.backend.always(Kind.READ, Fault.unavailable());
		assertThatExceptionOfType(EngineException.class)
			.isThrownBy(() -> this.values.await(KEY, Value::exists, TimeUnit.MILLISECONDS.toNanos(50)));
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.await(KEY, Value::exists, 0));
		assertThat(this.values.awaitAsync(KEY, Value::exists, 1000)).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(EngineException.class);
		this.backend.heal();
		assertThat(this.values.await(KEY, Value::exists, 0)).isNull();
		assertThat(this.values.size()).isZero();
	}

	@Test
	void waitLooksOnceMoreWhenItsTimeIsOver() throws Exception {
		List<Future<Value>> waits = waitUnnotified();
		this.values.update(KEY, INCREMENT);
		this.harness.time.advance(Duration.ofMinutes(1));
		for (Future<Value> wait : waits) {
			assertThat(wait.get(1, TimeUnit.MINUTES)).isNotNull();
		}
	}

	@Test
	void waitFailsIfTheStoreIsAwayWhenItsTimeIsOver() throws Exception {
		List<Future<Value>> waits = waitUnnotified();
		this.backend.always(Kind.READ, Fault.unavailable());
		this.harness.time.advance(Duration.ofMinutes(1));
		assertUnavailable(waits);
	}

	@Test
	void waitFailsIfTheStoreHangsWhenItsTimeIsOver() throws Exception {
		List<Future<Value>> waits = waitUnnotified();
		Gate gate = new Gate();
		this.backend.always(Kind.READ, Fault.before(gate));
		this.harness.time.advance(Duration.ofMinutes(1));
		gate.awaitArrival();
		assertThat(waits).allSatisfy((wait) -> assertThat(wait).isNotDone());
		await().until(() -> {
			this.harness.time.advance(Duration.ofMillis(250));
			return waits.stream().allMatch(Future::isDone);
		});
		assertUnavailable(waits);
		gate.open();
	}

	@Test
	void waitWhoseFirstReadHangsEndsAnOperationTimeoutAfterItsTime() {
		Values values = this.harness.engine(this.backend).values();
		Duration timeout = EngineSettings.defaults().operationTimeout();
		Gate gate = new Gate();
		this.backend.always(Kind.READ, Fault.before(gate));
		this.backend.next(Kind.READ, Fault.before(() -> {
			this.harness.time.advance(timeout);
			throw new BackendUnavailableException("timeout", null);
		}));
		Duration wait = Duration.ofMillis(100);
		Future<Value> waiting = this.executor.submit(() -> {
			this.waiting = Thread.currentThread();
			return values.await(KEY, Value::exists, wait.toNanos());
		});
		gate.awaitArrival();
		await().until(() -> isWaiting(this.waiting));
		this.harness.time.advance(wait);
		assertUnavailable(List.of(waiting));
		gate.open();
	}

	private static void assertUnavailable(List<Future<Value>> waits) {
		assertThat(waits).allSatisfy((wait) -> assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> wait.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(EngineException.class)
			.satisfies((failure) -> assertThat(((EngineException) failure.getCause()).getReason())
				.isEqualTo(EngineException.Reason.UNAVAILABLE)));
	}

	/**
	 * Starts to wait for a minute, without notifications and without another look before.
	 */
	private List<Future<Value>> waitUnnotified() {
		this.backend.setDelivery(Delivery.LOSE);
		CountingExecutor threads = new CountingExecutor();
		Values rarely = this.harness
			.steadyEngine(this.backend,
					EngineSettings.defaults()
						.withPoll(Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofHours(1)),
					threads)
			.values();
		long minute = Duration.ofMinutes(1).toNanos();
		List<Future<Value>> waits = List.of(this.executor.submit(() -> {
			this.waiting = Thread.currentThread();
			return rarely.await(KEY, Value::exists, minute);
		}), rarely.awaitAsync(KEY, Value::exists, minute));
		await().until(() -> isWaiting(this.waiting) && this.backend.watched().contains(KEY));
		await().until(() -> threads.isIdle(this.harness.clock()));
		return waits;
	}

	@Test
	void waitsThatEndImmediatelyLeaveNothing() throws Exception {
		this.values.update(KEY, INCREMENT);
		assertThat(this.values.await(KEY, Value::exists, LONG)).isNotNull();
		assertThat(this.values.await(KEY, Value::exists, 0)).isNotNull();
		assertThat(this.backend.watched()).isEmpty();
		assertThat(this.values.awaitAsync(KEY, Value::exists, LONG)).succeedsWithin(Duration.ofMinutes(1));
		assertThat(this.values.awaitAsync(KEY, Value::exists, 0)).succeedsWithin(Duration.ofMinutes(1));
		await().until(() -> this.values.size() == 0 && this.backend.watched().isEmpty());
	}

	@Test
	void waitThatIsCancelledWhileItsValueIsReadLeavesNothing() {
		Gate gate = new Gate();
		this.backend.next(Kind.READ, Fault.before(gate));
		CompletableFuture<Value> cancelled = this.values.awaitAsync(KEY, Value::exists, LONG);
		gate.awaitArrival();
		cancelled.cancel(false);
		this.backend.watched().add(KEY); // as a store does that begins to watch with its
											// answer
		gate.open();
		await().until(() -> this.values.size() == 0 && this.backend.watched().isEmpty());
	}

	@Test
	void callsThatHangDoNotHoldUpAsynchronousLocks() {
		Gate gate = new Gate();
		LockEngine engine = engine(this.backend, Duration.ofSeconds(10));
		this.backend.always(Kind.UPDATE, Fault.before(gate));
		for (int i = 0; i < 100; i++) {
			String key = KEY + i;
			engine.values().async(() -> engine.values().update(key, INCREMENT));
		}
		gate.awaitArrival();
		assertThat(engine.acquireAsync(KEY, Harness.OPTIONS, this, LONG)).succeedsWithin(Duration.ofMinutes(1))
			.isNotNull();
		assertThat(engine.values().awaitAsync(KEY, (value) -> !value.exists(), LONG))
			.succeedsWithin(Duration.ofMinutes(1));
		gate.open();
	}

	@Test
	void callBeginsInTimeIfTheOperationTimeoutIsTheLongest() {
		Values values = engine(this.harness.backend(), Durations.MAX).values();
		assertThat(values.unlessLate(() -> values.read(KEY)).get()).isEqualTo(Value.ABSENT);
	}

	@Test
	void callThatCannotBeginInTimeFailsWithoutBeingMade() {
		Gate gate = new Gate();
		this.backend.always(Kind.READ, Fault.before(gate));
		LockEngine engine = this.harness.engine(this.backend, Executors.newSingleThreadExecutor());
		DistributedAtomicLong number = new LockClient(
				LockUtils.template(new LockEngines(engine, List.of()), "", LockOptions.defaults()))
			.atomicLong(KEY);
		CompletableFuture<Long> hanging = number.getAsync();
		gate.awaitArrival();
		CompletableFuture<Long> late = number.getAsync();
		this.harness.time.advance(Duration.ofSeconds(3).plusNanos(1));
		gate.open();
		assertThat(hanging).succeedsWithin(Duration.ofMinutes(1));
		assertThat(late).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		assertThat(this.backend.count(Kind.READ)).isOne();
	}

	@Test
	void valuesThatManyWaitForAreReadTogether() throws Exception {
		List<CompletableFuture<Value>> waits = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			waits.add(this.values.awaitAsync(KEY + i, Value::exists, LONG));
		}
		await().until(() -> this.values.size() == 100);
		await().until(() -> {
			long before = this.backend.count(Kind.READ);
			TimeUnit.MILLISECONDS.sleep(300);
			return this.backend.count(Kind.READ) - before <= 6;
		});
		for (int i = 0; i < 100; i++) {
			this.values.update(KEY + i, INCREMENT);
		}
		assertThat(waits).allSatisfy((wait) -> assertThat(wait).succeedsWithin(Duration.ofMinutes(1)));
		await().until(() -> this.values.size() == 0);
	}

	/**
	 * One that has seen a newer value before is not called with an older one, which was
	 * read for those that were there already.
	 */
	@Test
	void waitDoesNotEndWithAValueThatWasReadBefore() throws Exception {
		Gate gate = new Gate();
		this.values.listen(KEY, this.executor, (value) -> {
		});
		this.backend.next(Kind.READ, Fault.after(gate));
		gate.awaitArrival();
		this.values.update(KEY, INCREMENT);
		Future<Value> wait = this.executor.submit(() -> this.values.await(KEY, this::isAbsent, LONG));
		await().until(() -> isWaiting(this.waiting));
		long reads = this.backend.count(Kind.READ);
		gate.open();
		await().until(() -> this.backend.count(Kind.READ) >= reads + 2);
		assertThat(wait).isNotDone();
		this.values.update(KEY, new ValueChange.Delete(ValueChange.ANY_VERSION));
		assertThat(wait.get(1, TimeUnit.MINUTES)).isEqualTo(Value.ABSENT);
	}

	private static boolean isWaiting(@Nullable Thread thread) {
		return thread != null && LockSupport.getBlocker(thread) instanceof ValueWait;
	}

	private boolean isAbsent(Value value) {
		if (this.waiting == null) {
			this.waiting = Thread.currentThread(); // tests the first value itself
		}
		return !value.exists();
	}

	@Test
	void shutdownEndsWaits() throws InterruptedException {
		Future<Value> waiting = this.executor.submit(() -> this.values.await(KEY, Value::exists, LONG));
		CompletableFuture<Value> asynchronous = this.values.awaitAsync(KEY, Value::exists, LONG);
		await().until(() -> this.values.size() == 1 && this.backend.count(Kind.READ) >= 3);
		this.engine.close();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(EngineException.class);
		assertThat(asynchronous).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(EngineException.class);
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.update(KEY, INCREMENT))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(EngineException.Reason.CLOSED));
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.values.await(KEY, Value::exists, 0));
	}

	@Test
	void listenerOutlivesARestart() {
		List<Long> heard = new CopyOnWriteArrayList<>();
		this.values.listen(KEY, this.executor, (value) -> heard.add(value.number()));
		this.engine.close();
		this.engine.start();
		this.values.update(KEY, INCREMENT);
		await().until(() -> heard.contains(1L));
		assertThat(heard).containsExactly(1L);
	}

	@Test
	void listenerThatIsRejectedByItsExecutorIsCalledLater() {
		List<Long> heard = new CopyOnWriteArrayList<>();
		List<Runnable> rejected = new CopyOnWriteArrayList<>();
		Runnable registration = this.values.listen(KEY, (task) -> {
			if (rejected.isEmpty()) {
				rejected.add(task);
				throw new RejectedExecutionException("test");
			}
			task.run();
		}, (value) -> heard.add(value.number()));
		this.values.update(KEY, INCREMENT);
		await().until(() -> heard.contains(1L));
		registration.run();
		registration.run();
		assertThat(this.values.size()).isZero();
	}

	@Test
	void listenerWhoseExecutorFailsHarmsNoOther() {
		List<Long> heard = new CopyOnWriteArrayList<>();
		AtomicInteger failures = new AtomicInteger(1);
		this.values.listen(KEY, (task) -> {
			if (failures.getAndDecrement() > 0) {
				throw new IllegalStateException("test");
			}
			task.run();
		}, (value) -> heard.add(value.number()));
		CompletableFuture<Value> waiting = this.values.awaitAsync(KEY, Value::exists, LONG);
		this.values.update(KEY, INCREMENT);
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1));
		await().until(() -> heard.contains(1L));
	}

	@Test
	void backendWithoutValuesIsNamed() {
		this.backend.withoutValues();
		List<ThrowingCallable> calls = List.of(() -> this.values.read(KEY), () -> this.values.update(KEY, INCREMENT),
				() -> this.values.await(KEY, Value::exists, LONG), () -> this.values.await(KEY, Value::exists, 0),
				() -> this.values.listen(KEY, this.executor, (value) -> {
				}));
		assertThat(calls).allSatisfy((call) -> assertThatExceptionOfType(EngineException.class).isThrownBy(call)
			.withMessageContaining("'faulty'")
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(EngineException.Reason.UNSUPPORTED)));
		assertThat(this.values.awaitAsync(KEY, Value::exists, LONG)).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(EngineException.class);
	}

	@Test
	void conditionThatThrowsFailsTheWait() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.values.await(KEY, (value) -> {
			throw new IllegalStateException("test");
		}, 0));
	}

	/**
	 * Threads of an engine that are known to have nothing to do.
	 */
	private static final class CountingExecutor extends ThreadPoolExecutor {

		private final AtomicInteger begun = new AtomicInteger();

		private final AtomicInteger ended = new AtomicInteger();

		CountingExecutor() {
			super(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
		}

		@Override
		public void execute(Runnable task) {
			this.begun.incrementAndGet();
			super.execute(() -> {
				try {
					task.run();
				}
				finally {
					this.ended.incrementAndGet();
				}
			});
		}

		/**
		 * Whether all tasks have ended, and the timer has begun no other.
		 */
		boolean isIdle(HookedTime clock) {
			int ended = this.ended.get();
			clock.awaitTimer();
			return ended == this.begun.get();
		}

	}

}
