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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.spi.OutcomeUnknownException;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many threads an engine has, and what they have of others.
 */
class EngineThreadsTests {

	private static final int MANY = 1_000;

	/**
	 * Five kinds of work, two of which take many threads.
	 */
	private static final int MAX_THREADS = 3 * 64 + 3;

	private static final ThreadLocal<String> USER = new InheritableThreadLocal<>();

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend().withoutRecording();

	private final LockEngine engine = this.harness.engine(this.backend,
			EngineSettings.defaults().withOperationTimeout(Duration.ofMillis(100)));

	@AfterEach
	void close() {
		USER.remove();
		this.harness.close();
	}

	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lock-faulty"))
			.count();
	}

	@Test
	void manyLossesThatTakeTheirTimeToReportTakeFewThreads() {
		Gate slow = new Gate();
		AtomicInteger notified = new AtomicInteger();
		for (int i = 0; i < MANY; i++) {
			Hold hold = this.engine.acquireUninterruptibly("order:" + i, OPTIONS, this, 0);
			assertThat(hold).isNotNull();
			hold.onLost(() -> {
				slow.run();
				notified.incrementAndGet();
			});
		}
		this.engine.close();
		slow.awaitArrival();
		assertThat(threads()).isLessThanOrEqualTo(MAX_THREADS);
		slow.open();
		await().untilAtomic(notified, org.hamcrest.Matchers.is(MANY));
	}

	@Test
	void callbacksThatTakeTheirTimeDoNotHoldUpEvents() {
		Gate slow = new Gate();
		AtomicInteger notified = new AtomicInteger();
		LockEngine engine = new LockEngine(this.backend, EngineSettings.defaults(), new EngineListener() {

			@Override
			public void lost(String key, long token) {
				notified.incrementAndGet();
			}

		}, this.harness.time);
		for (int i = 0; i < 200; i++) {
			Hold hold = engine.acquireUninterruptibly("order:" + i, OPTIONS, this, 0);
			assertThat(hold).isNotNull();
			hold.onLost(slow);
		}
		engine.close();
		await().untilAtomic(notified, org.hamcrest.Matchers.is(200));
		slow.open();
	}

	@Test
	void eventsThatTakeTheirTimeDoNotHoldUpCallbacks() {
		CountDownLatch open = new CountDownLatch(1);
		LockEngine engine = new LockEngine(this.backend, EngineSettings.defaults(), new EngineListener() {

			@Override
			public void lost(String key, long token) {
				try {
					open.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}

		}, this.harness.time);
		AtomicInteger notified = new AtomicInteger();
		for (int i = 0; i < 200; i++) {
			Hold hold = engine.acquireUninterruptibly("order:" + i, OPTIONS, this, 0);
			assertThat(hold).isNotNull();
			hold.onLost(notified::incrementAndGet);
		}
		engine.close();
		await().untilAtomic(notified, org.hamcrest.Matchers.is(200));
		open.countDown();
	}

	@Test
	void manyAcquisitionsOnASlowStoreTakeFewThreads() {
		Gate slow = new Gate();
		this.backend.always(Kind.TRY, Fault.before(slow));
		List<CompletableFuture<Hold>> acquisitions = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			acquisitions.add(this.engine.acquireAsync("order:" + i, OPTIONS, new Object(), 0));
		}
		slow.awaitArrival();
		assertThat(threads()).isLessThanOrEqualTo(MAX_THREADS);
		slow.open();
		assertThat(CompletableFuture.allOf(acquisitions.toArray(CompletableFuture<?>[]::new)))
			.succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void threadsHaveNothingOfThoseWhoCreateThem() throws Exception {
		ClassLoader own = new ClassLoader(getClass().getClassLoader()) {
		};
		AtomicReference<CompletableFuture<Hold>> future = new AtomicReference<>();
		AtomicReference<String> user = new AtomicReference<>();
		AtomicReference<ClassLoader> loader = new AtomicReference<>();
		Gate slow = new Gate();
		this.backend.next(Kind.TRY, Fault.before(slow));
		Thread creator = new Thread(() -> {
			USER.set("alice");
			future.set(this.engine.acquireAsync(KEY, OPTIONS, new Object(), 0));
		});
		creator.setContextClassLoader(own);
		creator.start();
		creator.join();
		CompletableFuture<Void> done = future.get().thenAccept((hold) -> {
			user.set(USER.get());
			loader.set(Thread.currentThread().getContextClassLoader());
		});
		slow.open();
		assertThat(done).succeedsWithin(Duration.ofMinutes(1));
		assertThat(user.get()).isNull();
		assertThat(loader.get()).isSameAs(LockEngine.class.getClassLoader());
	}

	@Test
	void callbacksThatTakeTheirTimeDoNotHoldUpReactions() {
		CountDownLatch open = new CountDownLatch(1);
		for (int i = 0; i < 100; i++) {
			lose("order:" + i, () -> awaitUninterruptibly(open));
		}
		AtomicInteger reacted = new AtomicInteger();
		lose("last", (LossReaction) reacted::incrementAndGet);
		await().untilAtomic(reacted, org.hamcrest.Matchers.is(1));
		open.countDown();
	}

	private void lose(String key, Runnable callback) {
		Hold hold = this.engine.acquireUninterruptibly(key, OPTIONS, this, 0);
		assertThat(hold).isNotNull();
		hold.onLost(callback);
		this.harness.store.expire(hold.lease().request());
		await().until(() -> !hold.isHeld());
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void failureOfAStoreThatHangsIsThatOfAttemptsThatCouldNotBeginInTime() {
		FaultyBackend hanging = this.harness.backend();
		Gate hang = new Gate();
		hanging.always(Kind.TRY, Fault.before(() -> {
			hang.run();
			throw new OutcomeUnknownException("timeout", null);
		}));
		LockEngine engine = this.harness.engine(hanging);
		List<CompletableFuture<Hold>> acquisitions = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			acquisitions.add(engine.acquireAsync("order:" + i, OPTIONS, new Object(), 0));
		}
		hang.awaitArrival();
		this.harness.time.advance(Duration.ofSeconds(1));
		hang.open();
		assertThat(acquisitions).allSatisfy((acquisition) -> assertThat(acquisition).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withRootCauseInstanceOf(OutcomeUnknownException.class));
		if (Runtime.version().feature() < 21) {
			assertThat(hanging.attempts()).isLessThanOrEqualTo(64);
		}
	}

}
