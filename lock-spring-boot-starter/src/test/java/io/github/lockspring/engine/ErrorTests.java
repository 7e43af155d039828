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

import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.ValueChange;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Whatever is thrown, and wherever: what was taken is released, and the key can be locked
 * by others of this process.
 */
class ErrorTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final PermitTerms PERMIT = new PermitTerms(1, 1, false, Duration.ofHours(1), true);

	/**
	 * Not for the first time where there is no room for it.
	 */
	@BeforeAll
	static void initializeWhatTestsUse() {
		StackRoom.initialize(MethodHandles.lookup(), FaultyBackend.Fault.class, FaultyBackend.Kind.class);
	}

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	static Stream<Throwable> throwables() {
		return Stream.of(new OutOfMemoryError("no more"), new StackOverflowError(), new NoClassDefFoundError("x"),
				new AssertionError("x"), new InternalError("x"), new IllegalStateException("x"), new Exception("x"));
	}

	static Stream<Arguments> attempts() {
		return throwables()
			.flatMap((throwable) -> Stream.of(Arguments.of(throwable, false), Arguments.of(throwable, true)));
	}

	/**
	 * After others the store is asked again.
	 */
	static Stream<Arguments> attemptsThatAreTheLast() {
		return attempts().filter((arguments) -> !(arguments.get()[0] instanceof RuntimeException));
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> void sneakyThrow(Throwable failure) throws E {
		throw (E) failure;
	}

	private void failNext(Kind kind, Throwable failure, boolean afterEffect) {
		Runnable fail = () -> sneakyThrow(failure);
		this.backend.next(kind, afterEffect ? Fault.after(fail) : Fault.before(fail));
	}

	private void assertFree(String key) {
		Waiter other = this.harness.start(() -> this.engine.acquire(key, OPTIONS, 20 * SECOND));
		Hold hold = other.hold();
		assertThat(hold.isHeld()).isTrue();
		hold.release();
		this.harness.assertNothingLeft();
	}

	@ParameterizedTest
	@MethodSource("attempts")
	void attemptThatThrowsLeavesNothing(Throwable failure, boolean afterEffect) {
		failNext(Kind.TRY, failure, afterEffect);
		assertThatThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0)).isNotNull();
		assertFree(KEY);
	}

	@ParameterizedTest
	@MethodSource("attemptsThatAreTheLast")
	void attemptThatWaitsAndThrowsLeavesNothing(Throwable failure, boolean afterEffect) {
		failNext(Kind.CONTEND, failure, afterEffect);
		assertThat(this.harness.start(() -> this.engine.acquire(KEY, OPTIONS, SECOND)).failure()).isSameAs(failure);
		assertFree(KEY);
	}

	@ParameterizedTest
	@MethodSource("attempts")
	void attemptWithoutAThreadThatThrowsLeavesNothing(Throwable failure, boolean afterEffect) {
		failNext(Kind.TRY, failure, afterEffect);
		assertThat(this.engine.acquireAsync(KEY, OPTIONS, new Object(), 0)).failsWithin(Duration.ofMinutes(1));
		assertFree(KEY);
	}

	@ParameterizedTest
	@MethodSource("attempts")
	void attemptForSeveralKeysThatThrowsLeavesNothing(Throwable failure, boolean afterEffect) {
		failNext(Kind.TRY, failure, afterEffect);
		try {
			Harness.acquireTogether(this.engine, List.of("a", "b", "c"), OPTIONS).forEach(Hold::release);
		}
		catch (Throwable ex) {
			assertThat(ex).isSameAs(failure);
		}
		List.of("a", "b", "c").forEach(this::assertFree);
	}

	@ParameterizedTest
	@MethodSource("attempts")
	void releaseThatThrowsIsRetried(Throwable failure, boolean afterEffect) {
		Hold hold = Harness.hold(this.engine);
		failNext(Kind.RELEASE, failure, afterEffect);
		try {
			hold.release();
		}
		catch (Throwable ex) {
			assertThat(ex).isSameAs(failure);
		}
		assertFree(KEY);
	}

	@ParameterizedTest
	@MethodSource("attempts")
	void releaseOfSeveralKeysOfWhichOneThrowsReleasesTheOthers(Throwable failure, boolean afterEffect) {
		List<String> keys = List.of("a", "b", "c");
		List<Hold> holds = keys.stream().map(this::hold).toList();
		failNext(Kind.RELEASE, failure, afterEffect);
		try {
			Hold.releaseAll(holds);
		}
		catch (Throwable ex) {
			assertThat(ex).isSameAs(failure);
		}
		keys.forEach(this::assertFree);
	}

	private Hold hold(String key) {
		return this.engine.acquireUninterruptibly(key, OPTIONS, new Object(), 0);
	}

	@ParameterizedTest
	@MethodSource("throwables")
	void callbackThatThrowsStopsNoOther(Throwable failure) {
		AtomicInteger called = new AtomicInteger();
		Hold hold = Harness.hold(this.engine);
		hold.onLost(() -> sneakyThrow(failure));
		hold.onLost(called::incrementAndGet);
		this.backend.listener().onLost(hold.lease().request());
		Harness.await().until(() -> called.get() == 1 && this.harness.losses.size() == 1);
		hold.release();
	}

	@ParameterizedTest
	@MethodSource("throwables")
	void dependentThatThrowsStopsNoOther(Throwable failure) {
		CompletableFuture<Hold> acquisition = this.engine.acquireAsync(KEY, OPTIONS, new Object(), SECOND);
		acquisition.thenAccept((hold) -> sneakyThrow(failure));
		acquisition.join().release();
		assertFree(KEY);
	}

	@Test
	void stackOverflowWhileAcquiringLeavesNothing() throws InterruptedException {
		overflow((depth) -> {
			Hold hold = this.engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(), 0);
			if (hold != null) {
				hold.release();
			}
		}, () -> {
		});
	}

	@Test
	void stackOverflowWhileAcquiringWithoutAThreadLeavesNothing() throws InterruptedException {
		@SuppressWarnings("unchecked")
		CompletableFuture<Hold>[] acquisitions = new CompletableFuture[100_000];
		overflow((depth) -> acquisitions[depth] = this.engine.acquireAsync(KEY, OPTIONS, this, 0), () -> {
			for (int i = 0; i < acquisitions.length; i++) {
				Hold hold = (acquisitions[i] != null) ? acquisitions[i].join() : null;
				if (hold != null) {
					hold.release();
				}
				acquisitions[i] = null;
			}
		});
	}

	@Test
	void stackOverflowWhileAcquiringPermitsLeavesNothing() throws InterruptedException {
		PermitLedger ledger = new PermitLedger(this.engine);
		acquireAndRelease(ledger, KEY);
		String[] keys = IntStream.range(0, 50_000).mapToObj(String::valueOf).toArray(String[]::new);
		AtomicInteger first = new AtomicInteger();
		AtomicInteger last = new AtomicInteger();
		overflowWithLimits((depth) -> {
			last.accumulateAndGet(first.get() + depth, Math::max);
			acquireAndRelease(ledger, keys[first.get() + depth]);
		}, () -> {
			for (int i = first.get(); i <= last.get(); i++) {
				assertThat(acquireAndRelease(ledger, keys[i])).isTrue();
			}
			first.set(last.get() + 1);
		});
	}

	private static boolean acquireAndRelease(PermitLedger ledger, String key) {
		boolean acquired = ledger.acquireUninterruptibly(key, PERMIT, 0);
		if (acquired) {
			ledger.release(key, 1);
		}
		return acquired;
	}

	@Test
	void stackOverflowWhileAcquiringPermitsWithoutAThreadLeavesNothing() throws InterruptedException {
		PermitLedger ledger = new PermitLedger(this.engine);
		acquireAndRelease(ledger, KEY);
		Queue<CompletableFuture<Hold>> acquisitions = new ArrayBlockingQueue<>(10_000);
		overflowWithLimits((depth) -> acquisitions.add(ledger.acquireAsync(KEY, PERMIT, 0)), () -> {
			acquisitions.forEach((acquisition) -> {
				assertThat(acquisition.handle((hold, failure) -> hold)).succeedsWithin(Duration.ofMinutes(1));
				acquisition.thenAccept((hold) -> {
					if (hold != null) {
						hold.release();
					}
				});
			});
			acquisitions.clear();
			assertThat(acquireAndRelease(ledger, KEY)).isTrue();
		});
	}

	@Test
	void stackOverflowWhileUpdatingAValueLeavesNothing() throws InterruptedException {
		Values values = this.harness.engine(this.backend, EngineSettings.defaults(), TimeSource.SYSTEM).values();
		ValueChange addition = new ValueChange.Add(1, Long.MIN_VALUE);
		values.update(KEY, addition);
		overflow((depth) -> {
			try {
				values.update(KEY, addition);
			}
			catch (EngineException ex) {
				throw new StackOverflowError(); // in the store
			}
		}, () -> {
			assertThat(values.size()).isZero();
			assertThat(values.update(KEY, addition).applied()).isTrue();
			values.update(KEY, new ValueChange.Delete(ValueChange.ANY_VERSION));
		});
	}

	@Test
	void stackOverflowUnderALockThatIsAcquiredAgainAndAgainReleasesIt() throws InterruptedException {
		Thread thread = new Thread(null, () -> {
			try {
				again();
			}
			catch (StackOverflowError ex) {
				// expected
			}
		}, "again", 256 * 1024);
		for (int i = 0; i < 20; i++) {
			Thread each = new Thread(null, thread::run, "again", 256 * 1024 + i * 4096);
			each.start();
			each.join();
			assertFree(KEY);
		}
	}

	private void again() {
		Hold hold = this.engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(), 0);
		try {
			again();
		}
		finally {
			hold.release();
		}
	}

	/**
	 * Does something at every depth of a stack at which it overflows.
	 */
	private void overflow(IntConsumer action, Runnable afterwards) throws InterruptedException {
		overflowWithLimits(action, () -> {
			afterwards.run();
			assertFree(KEY);
		});
	}

	/**
	 * Does something that leaves limits of permits, which are watched for a while.
	 */
	private void overflowWithLimits(IntConsumer action, Runnable afterwards) throws InterruptedException {
		AtomicInteger overflows = new AtomicInteger();
		this.backend.withoutRecording();
		for (int i = 0; i < 5; i++) {
			Thread thread = new Thread(null, () -> descend(action, overflows, 0), "overflow", 192 * 1024 + i * 4096);
			thread.setDaemon(true);
			thread.start();
			thread.join(60_000);
			assertThat(thread.isAlive()).isFalse();
			afterwards.run();
		}
		Harness.await().untilAsserted(() -> assertThat(this.engine.size()).isZero());
		assertThat(overflows.get()).isPositive();
	}

	/**
	 * Goes down to the bottom, and tries on the way back up.
	 */
	private static boolean descend(IntConsumer action, AtomicInteger overflows, int depth) {
		boolean near;
		try {
			near = descend(action, overflows, depth + 1);
		}
		catch (StackOverflowError ex) {
			near = true;
		}
		if (near) {
			try {
				action.accept(depth);
				return false;
			}
			catch (StackOverflowError ex) {
				overflows.incrementAndGet();
			}
		}
		return near;
	}

}
