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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.local.LocalStores;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.TimeSource;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads of several engines on one store, who wait, time out, are interrupted and
 * try once, on a counter that nothing else guards.
 */
class EngineRaceTests {

	private static final int THREADS = 16;

	private static final int LIMIT = 5;

	private static final int SCALE = Integer.getInteger("lock.test.scale", 1);

	private static final AcquireOptions ONE_PERMIT = AcquireOptions.permits(1, LIMIT, Harness.LEASE, true);

	private static final AcquireOptions TWO_PERMITS = AcquireOptions.permits(2, LIMIT, Harness.LEASE, true);

	private static final AcquireOptions RETAINED = Harness.OPTIONS.withRetain(Duration.ofMillis(50));

	private final LocalStore store = new LocalStore();

	private final List<LockEngine> engines = new ArrayList<>();

	private final List<FaultyBackend> backends = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private final AtomicInteger readers = new AtomicInteger();

	private final AtomicInteger permits = new AtomicInteger();

	private final AtomicInteger permitted = new AtomicInteger();

	private final Set<Long> tokensOfPermits = ConcurrentHashMap.newKeySet();

	private int counter;

	private long lastToken;

	private @Nullable Thread inside;

	@AfterEach
	void close() {
		this.engines.forEach(LockEngine::close);
	}

	private void createEngines(int number, boolean queue, EngineSettings settings) {
		EngineListener listener = new EngineListener() {

			@Override
			public void lost(String key, long token) {
				EngineRaceTests.this.violations.add("lost " + token);
			}

		};
		for (int i = 0; i < number; i++) {
			FaultyBackend backend = new FaultyBackend(this.store).withoutRecording();
			this.backends.add(queue ? backend : backend.without(Capability.QUEUE));
			this.engines.add(new LockEngine(backend, settings, listener, TimeSource.SYSTEM));
		}
	}

	@ParameterizedTest
	@CsvSource({ "1, true", "2, true", "3, true", "1, false", "2, false", "3, false" })
	void counterStaysExact(int engines, boolean queue) throws Exception {
		EngineSettings settings = EngineSettings.defaults()
			.withPoll(Duration.ofNanos(1), Duration.ofMillis(1), Duration.ofMillis(50));
		createEngines(engines, queue, settings);
		run(50_000, true, Harness.OPTIONS);
	}

	@Test
	void counterStaysExactWithoutHandOff() throws Exception {
		createEngines(2, true, EngineSettings.defaults().withHandOff(0, Duration.ZERO));
		run(10_000, true, Harness.OPTIONS);
	}

	@Test
	void counterStaysExactWithFairLocksBetweenOthers() throws Exception {
		createEngines(2, true, EngineSettings.defaults());
		run(10_000, true, Harness.OPTIONS, Harness.FAIR);
	}

	@Test
	void counterStaysExactWithReaders() throws Exception {
		createEngines(2, true, EngineSettings.defaults());
		run(10_000, true, Harness.OPTIONS, Harness.SHARED);
	}

	@ParameterizedTest
	@CsvSource({ "1, true", "2, true", "2, false" })
	void permitsStayWithinTheirLimit(int engines, boolean queue) throws Exception {
		createEngines(engines, queue,
				EngineSettings.defaults().withPoll(Duration.ofNanos(1), Duration.ofMillis(1), Duration.ofMillis(50)));
		run(25_000, true, ONE_PERMIT, ONE_PERMIT, ONE_PERMIT, TWO_PERMITS);
	}

	@Test
	void counterStaysExactWhileTheStoreFails() throws Exception {
		createFailingEngines();
		run(10_000, false, Harness.OPTIONS);
	}

	@Test
	void permitsStayWithinTheirLimitWhileTheStoreFails() throws Exception {
		createFailingEngines();
		run(10_000, false, ONE_PERMIT, ONE_PERMIT, ONE_PERMIT, TWO_PERMITS);
	}

	@ParameterizedTest
	@CsvSource({ "1", "2", "3" })
	void counterStaysExactWithRetainedLeases(int engines) throws Exception {
		createEngines(engines, true, EngineSettings.defaults());
		run(50_000, true, RETAINED);
	}

	@Test
	void counterStaysExactWithRetainedLeasesBetweenOthers() throws Exception {
		createEngines(2, true, EngineSettings.defaults());
		run(20_000, true, RETAINED, Harness.OPTIONS, Harness.FAIR, Harness.SHARED);
	}

	@Test
	void counterStaysExactWithRetainedLeasesWhileTheStoreFails() throws Exception {
		createFailingEngines();
		run(10_000, false, RETAINED);
	}

	@ParameterizedTest
	@CsvSource({ "1", "2" })
	void usersOfRetainedLeasesWithAndWithoutThreadsExcludeEachOther(int engines) throws Exception {
		createEngines(engines, true, EngineSettings.defaults().withOperationTimeout(Duration.ofSeconds(30)));
		new MixedRun(this.engines, RETAINED, true).run(2_000);
		assertThat(this.violations).isEmpty();
		assertNothingLeft();
	}

	private void createFailingEngines() {
		createEngines(2, true,
				EngineSettings.defaults().withPoll(Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofMillis(5)));
		for (FaultyBackend backend : this.backends) {
			backend.setDelivery(Delivery.LOSE_SOME);
			for (Kind kind : List.of(Kind.TRY, Kind.CONTEND, Kind.RELEASE)) {
				backend.always(kind, oneInAHundred());
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "1, true", "2, true", "2, false" })
	void usersWithAndWithoutThreadsExcludeEachOther(int engines, boolean queue) throws Exception {
		EngineSettings settings = EngineSettings.defaults()
			.withOperationTimeout(Duration.ofSeconds(30)) // a leader may wait for its
															// thread
			.withPoll(Duration.ofNanos(1), Duration.ofMillis(1), Duration.ofMillis(50));
		createEngines(engines, queue, settings);
		new MixedRun(this.engines, Harness.OPTIONS, true).run(2_000);
		assertThat(this.violations).isEmpty();
		assertNothingLeft();
	}

	@Test
	void usersWithAndWithoutThreadsExcludeEachOtherWhileTheStoreFails() throws Exception {
		createFailingEngines();
		new MixedRun(this.engines, Harness.OPTIONS, false).run(1_000);
		assertThat(this.violations).isEmpty();
		this.backends.forEach(FaultyBackend::heal);
		assertNothingLeft();
	}

	private static Fault oneInAHundred() {
		return new Fault() {

			@Override
			public void before() {
				int random = ThreadLocalRandom.current().nextInt(200);
				if (random == 0) {
					Fault.unavailable().before();
				}
				if (random == 1) {
					Fault.unknownWithoutEffect().before();
				}
			}

			@Override
			public void after() {
				if (ThreadLocalRandom.current().nextInt(200) == 0) {
					Fault.unknownAfterEffect().after();
				}
			}

		};
	}

	/**
	 * Runs the threads.
	 * @param number how many acquisitions, times the scale of a long version; two fifths
	 * of them in a usual build
	 */
	private void run(int number, boolean sound, AcquireOptions... terms) throws Exception {
		int acquisitions = (SCALE > 1) ? number * SCALE : number * 2 / 5;
		for (int i = 0; i < THREADS; i++) {
			LockEngine engine = this.engines.get(i % this.engines.size());
			this.threads.add(new Thread(() -> work(engine, acquisitions / THREADS, terms), "worker-" + i));
		}
		this.threads.forEach(Thread::start);
		Thread nuisance = new Thread(this::interruptAtRandom, "nuisance");
		nuisance.start();
		for (Thread thread : this.threads) {
			thread.join(TimeUnit.SECONDS.toMillis(60));
			assertThat(thread.isAlive()).as(() -> thread + " is stuck in " + List.of(thread.getStackTrace())).isFalse();
		}
		nuisance.join();
		assertThat(this.violations).isEmpty();
		assertThat(this.counter + this.permitted.get()).isEqualTo(acquisitions / THREADS * THREADS);
		if (!sound) {
			this.backends.forEach(FaultyBackend::heal);
		}
		assertNothingLeft();
	}

	private void work(LockEngine engine, int acquisitions, AcquireOptions... terms) {
		int done = 0;
		while (done < acquisitions && this.violations.isEmpty()) {
			AcquireOptions wanted = terms[ThreadLocalRandom.current().nextInt(terms.length)];
			Hold hold = acquire(engine, wanted);
			if (hold != null) {
				if (wanted.isExclusive()) {
					enter(hold);
					done++;
				}
				else if (wanted.mode() instanceof LeaseMode.Permits mode) {
					use(mode.permits(), hold.token());
					done++;
				}
				else {
					read();
				}
				if (!hold.release()) {
					this.violations.add("lost at release: " + hold.token());
				}
			}
		}
	}

	private @Nullable Hold acquire(LockEngine engine, AcquireOptions options) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		try {
			return switch (random.nextInt(4)) {
				case 0 -> engine.acquire(KEY, options, 0);
				case 1 -> engine.acquire(KEY, options, random.nextLong(TimeUnit.MILLISECONDS.toNanos(2)));
				case 2 -> engine.acquire(KEY, options, TimeUnit.SECONDS.toNanos(30));
				default ->
					engine.acquireUninterruptibly(KEY, options, Thread.currentThread(), TimeUnit.SECONDS.toNanos(30));
			};
		}
		catch (InterruptedException ex) {
			return null;
		}
		catch (EngineException ex) {
			if (ex.getReason() != EngineException.Reason.UNAVAILABLE) {
				this.violations.add(ex.toString());
			}
			return null;
		}
	}

	/**
	 * The section that only one may be in.
	 */
	private void enter(Hold hold) {
		if (this.inside != null || this.readers.get() != 0) {
			this.violations.add("another is inside: " + this.inside + ", " + this.readers);
		}
		this.inside = Thread.currentThread();
		if (hold.token() <= this.lastToken) {
			this.violations.add(hold.token() + " is not larger than " + this.lastToken);
		}
		this.lastToken = hold.token();
		this.counter++;
		this.inside = null;
	}

	private void read() {
		this.readers.incrementAndGet();
		if (this.inside != null) {
			this.violations.add(this.inside + " writes while one reads");
		}
		this.readers.decrementAndGet();
	}

	private void use(int permits, long token) {
		int used = this.permits.addAndGet(permits);
		if (used > LIMIT) {
			this.violations.add(used + " permits in use");
		}
		if (!this.tokensOfPermits.add(token)) {
			this.violations.add(token + " used twice");
		}
		this.permitted.incrementAndGet();
		this.permits.addAndGet(-permits);
	}

	private void interruptAtRandom() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		while (this.threads.stream().anyMatch(Thread::isAlive)) {
			this.threads.get(random.nextInt(THREADS)).interrupt();
			LockSupport.parkNanos(random.nextLong(500_000));
		}
	}

	private void assertNothingLeft() {
		await().untilAsserted(() -> {
			assertThat(this.engines).allMatch((engine) -> engine.size() == 0);
			assertThat(LocalStores.size(this.store)).isZero();
		});
	}

}
