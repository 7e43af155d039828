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

package io.github.lockspring.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.LockHistory.Acquisition;
import io.github.lockspring.faults.LockHistory.Overlap;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Processes and threads that use locks while something goes wrong, and what they have
 * seen. The system property {@code lock.test.scale} makes it longer, and
 * {@code lock.test.seed} repeats the random choices of another run.
 */
public final class FaultRun implements AutoCloseable {

	/**
	 * How many times more is done than in a usual build.
	 */
	public static final int SCALE = Integer.getInteger("lock.test.scale", 1);

	/**
	 * Longer than anything takes, even on a machine with much else to do.
	 */
	public static final Duration MAX_WAIT = Duration.ofMinutes(1);

	private static final List<String> CLIENTS = List.of("io.lettuce", "io.netty", "org.apache.zookeeper",
			"org.apache.curator", "com.zaxxer.hikari");

	private static final AcquireOptions LONG_TERMS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	public final LockHistory history = new LockHistory();

	/**
	 * Why the store was not available.
	 */
	public final Queue<String> unavailable = new ConcurrentLinkedQueue<>();

	public final AtomicInteger denied = new AtomicInteger();

	public final Random random;

	private final String name;

	private final Leftovers leftovers = new Leftovers();

	private final List<EngineProcess> processes = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private final List<AtomicInteger> grants = new ArrayList<>();

	private final Queue<String> violations = new ConcurrentLinkedQueue<>();

	private final AtomicInteger sequence = new AtomicInteger();

	private final EngineSettings settings;

	public FaultRun(String name) {
		this(name, EngineSettings.defaults());
	}

	public FaultRun(String name, EngineSettings settings) {
		long seed = Long.getLong("lock.test.seed", System.nanoTime());
		this.name = name;
		this.settings = settings;
		this.random = new Random(seed);
		silence();
		say("-Dlock.test.seed=" + seed + " -Dlock.test.scale=" + SCALE);
	}

	/**
	 * Losses and reconnections are what these runs are about, and there are thousands.
	 */
	public static void silence() {
		LoggingSystem logging = LoggingSystem.get(FaultRun.class.getClassLoader());
		CLIENTS.forEach((client) -> logging.setLogLevel(client, LogLevel.OFF));
		setLogLevel(LogLevel.OFF);
	}

	private static void setLogLevel(@Nullable LogLevel level) {
		LoggingSystem.get(FaultRun.class.getClassLoader()).setLogLevel("io.github.lockspring", level);
	}

	/**
	 * Waits with {@link #MAX_WAIT}.
	 */
	public static ConditionFactory eventually() {
		return await().atMost(MAX_WAIT);
	}

	/**
	 * Writes a figure to the output of the build.
	 */
	public void say(String text) {
		System.out.println(this.name + ": " + text);
	}

	/**
	 * Starts a process, which lasts until all are ended.
	 */
	public EngineProcess startProcess(Store store) {
		return startProcess(store, TimeSource.SYSTEM);
	}

	/**
	 * Starts a process with a clock of its own.
	 */
	public EngineProcess startProcess(Store store, TimeSource time) {
		EngineProcess process = new EngineProcess(store, this.settings, time);
		this.processes.add(process);
		return process;
	}

	public List<EngineProcess> startProcesses(int number, Store store) {
		List<EngineProcess> processes = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			processes.add(startProcess(store));
		}
		return processes;
	}

	/**
	 * Starts a thread, of which an exception counts as a violation.
	 */
	public Thread startThread(String name, Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				this.violations.add(name + " ended with " + ex);
				ex.printStackTrace();
			}
		}, "test-" + name);
		thread.setDaemon(true);
		this.threads.add(thread);
		thread.start();
		return thread;
	}

	/**
	 * Starts threads that acquire and release, for some time. One that has held nothing
	 * by then continues until it has, or loses {@link #MAX_WAIT}.
	 */
	public void startWorkers(EngineProcess process, int number, Load load, Duration length) {
		long end = System.nanoTime() + length.toNanos();
		for (int i = 0; i < number; i++) {
			String worker = "worker-" + this.sequence.incrementAndGet();
			Random random = new Random(this.random.nextLong());
			AtomicInteger granted = new AtomicInteger();
			this.grants.add(granted);
			startThread(worker, () -> {
				long last = end + MAX_WAIT.toNanos();
				while (System.nanoTime() - ((granted.get() > 0) ? end : last) < 0) {
					if (cycle(process, worker, load, random)) {
						granted.incrementAndGet();
					}
				}
			});
		}
	}

	private boolean cycle(EngineProcess process, String worker, Load load, Random random) {
		String key = load.keys().get(random.nextInt(load.keys().size()));
		AcquireOptions options = load.options().get(random.nextInt(load.options().size()));
		Duration wait = load.waits().get(random.nextInt(load.waits().size()));
		long asked = System.nanoTime();
		Hold hold = acquire(process, key, options, wait);
		if (hold == null) {
			return false;
		}
		Duration use = (random.nextInt(20) == 0) ? load.longUse() : load.use();
		use(worker, asked, hold, Duration.ofNanos((long) (random.nextDouble() * use.toNanos())));
		return true;
	}

	/**
	 * Acquires. That the store is not available is counted, everything else is a
	 * violation.
	 */
	public @Nullable Hold acquire(EngineProcess process, String key, AcquireOptions options, Duration wait) {
		try {
			Hold hold = process.engine.acquireUninterruptibly(key, options, Thread.currentThread(), wait.toNanos());
			if (hold == null) {
				this.denied.incrementAndGet();
			}
			return hold;
		}
		catch (EngineException ex) {
			if (ex.getReason() != EngineException.Reason.UNAVAILABLE) {
				this.violations.add("acquire: " + ex);
			}
			this.unavailable.add(String.valueOf(ex.getCause()));
			return null;
		}
	}

	/**
	 * Holds for some time, records it, and releases.
	 * @return what {@link Hold#release()} answered
	 */
	public boolean use(String holder, long asked, Hold hold, Duration time) {
		long from = System.nanoTime();
		AtomicLong lost = new AtomicLong(Long.MAX_VALUE);
		AtomicInteger notified = new AtomicInteger();
		hold.onLost(() -> {
			lost.accumulateAndGet(System.nanoTime(), Math::min);
			if (notified.incrementAndGet() > 1) {
				this.violations.add("notified twice of a loss");
			}
		});
		long deadline = deadline(hold, from);
		while (System.nanoTime() - from < time.toNanos() && hold.isHeld()) {
			sleep(Math.min(10_000_000, from + time.toNanos() - System.nanoTime()));
			deadline = Math.max(deadline, deadline(hold, from));
		}
		long released = System.nanoTime();
		if (!hold.isHeld()) {
			lost.accumulateAndGet(released, Math::min);
		}
		this.history.add(new Acquisition(hold.key(), holder, hold.token(), asked, from,
				Math.min(Math.min(released, deadline), lost.get())));
		return release(hold);
	}

	/**
	 * Looks on until a lease is over, and records for how long it was seen to be held.
	 */
	public void observe(String holder, long asked, Hold hold) {
		long from = System.nanoTime();
		long until = from;
		while (hold.hasLease()) {
			long now = System.nanoTime();
			until = hold.isHeld() ? now : until;
			sleep(1_000_000);
		}
		this.history.add(new Acquisition(hold.key(), holder, hold.token(), asked, from, until));
	}

	private static long deadline(Hold hold, long otherwise) {
		long now = System.nanoTime();
		Duration remaining = hold.remaining();
		return remaining.isZero() ? otherwise : now + remaining.toNanos();
	}

	/**
	 * Release. An exception is a violation.
	 */
	public boolean release(Hold hold) {
		try {
			return hold.release();
		}
		catch (RuntimeException ex) {
			this.violations.add("release: " + ex);
			return false;
		}
	}

	private static void sleep(long nanos) {
		try {
			Thread.sleep(Math.max(nanos, 0) / 1_000_000, (int) (Math.max(nanos, 0) % 1_000_000));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	public void violation(String text) {
		this.violations.add(text);
	}

	/**
	 * Waits for all threads, none of which may be stuck.
	 */
	public void awaitThreads() throws InterruptedException {
		for (Thread thread : this.threads) {
			thread.join(MAX_WAIT.multipliedBy(2).toMillis());
			assertThat(thread.isAlive())
				.as(() -> thread + " is stuck in " + List.of(thread.getStackTrace()).toString().replace(", ", "\n"))
				.isFalse();
		}
	}

	/**
	 * Every process takes every key once, when the failure is over.
	 */
	public void assertEveryoneAcquires(List<String> keys) {
		for (EngineProcess process : this.processes) {
			for (String key : keys) {
				long asked = System.nanoTime();
				Hold hold = process.engine.acquireUninterruptibly(key, LONG_TERMS, this, MAX_WAIT.toNanos());
				assertThat(hold).as(key).isNotNull();
				assertThat(use("main", asked, hold, Duration.ZERO)).isTrue();
			}
		}
	}

	/**
	 * Every worker has held something, and nothing went wrong for it.
	 */
	public void assertProgress() {
		sayFigures();
		assertNoViolations();
		assertThat(this.grants).allMatch((grants) -> grants.get() > 0);
	}

	public void sayFigures() {
		say("%d acquisitions (per thread at least %d, at most %d), %d denied, %d unavailable, %d lost".formatted(
				this.history.acquisitions().size(), this.grants.stream().mapToInt(AtomicInteger::get).min().orElse(0),
				this.grants.stream().mapToInt(AtomicInteger::get).max().orElse(0), this.denied.get(),
				this.unavailable.size(), losses()));
	}

	public int losses() {
		return this.processes.stream().mapToInt((process) -> process.lostTokens.size()).sum();
	}

	public void assertNoViolations() {
		assertThat(this.violations).isEmpty();
	}

	/**
	 * Holders excluded each other, and tokens grew.
	 */
	public void assertExclusion() {
		assertThat(this.history.overlaps()).isEmpty();
		assertThat(this.history.tokensOutOfOrder()).isEmpty();
		assertTokensGrow();
	}

	public void assertTokensGrow() {
		assertThat(this.history.tokensThatWentBack()).isEmpty();
		assertThat(this.history.tokensGrantedTwice()).isEmpty();
	}

	/**
	 * Grants to two holders at once happened only in one of some spans of time.
	 * @return how many there were
	 */
	public int assertDoubleGrantsOnlyIn(List<Span> spans) {
		List<Overlap> overlaps = this.history.overlaps();
		assertThat(overlaps)
			.allMatch((overlap) -> spans.stream().anyMatch((span) -> span.contains(overlap.second().from())));
		return overlaps.size();
	}

	/**
	 * Ends all processes, of which nothing may be left.
	 * @param stores each asserts that nothing is left in a store
	 */
	public void assertNothingLeft(ThrowingCallable... stores) {
		endProcesses();
		this.leftovers.assertNone(stores);
	}

	public void endProcesses() {
		this.processes.forEach(EngineProcess::close);
		this.processes.clear();
	}

	@Override
	public void close() {
		endProcesses();
		setLogLevel(null);
	}

	/**
	 * What a thread does.
	 */
	public interface Task {

		void run() throws Exception;

	}

	/**
	 * What workers do: choose one of each at random.
	 *
	 * @param keys the keys
	 * @param options the options of the acquisitions
	 * @param waits how long to wait
	 * @param use the longest time to hold
	 * @param longUse the longest time to hold now and then
	 */
	public record Load(List<String> keys, List<AcquireOptions> options, List<Duration> waits, Duration use,
			Duration longUse) {
	}

	/**
	 * A span of time.
	 *
	 * @param from its begin
	 * @param until its end
	 */
	public record Span(long from, long until) {

		boolean contains(long nanos) {
			return nanos - this.from >= 0 && nanos - this.until <= 0;
		}

	}

}
