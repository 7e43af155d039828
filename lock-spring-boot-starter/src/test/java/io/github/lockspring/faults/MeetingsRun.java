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
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.github.lockspring.LockException;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.DistributedCountDownLatch;
import io.github.lockspring.concurrent.DistributedDoubleBarrier;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.EngineSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three processes that open one latch after the other and meet at a barrier for two,
 * while one of them is killed, one is paused and the server is restarted; and the check
 * that no one was let through too early, nor kept for no reason.
 * <p>
 * A latch is open no earlier than the third count-down has begun, and the one that asks
 * after three have returned finds it open. The one that was let into the barrier was not
 * alone, nor with one that was dead before, there were never three inside, and the one
 * that was let out had not left anyone behind, unless the barrier was broken. All
 * processes use the same monotonic clock, that of the machine.
 */
public final class MeetingsRun extends ThreeProcessesRun {

	private static final int COUNT = 3;

	private static final int PARTIES = 2;

	/**
	 * More than are opened.
	 */
	private static final int LATCHES = 3000;

	/**
	 * As long as a session of ZooKeeper.
	 */
	private static final Duration LEASE = Duration.ofSeconds(4);

	private static final Duration MAX_WAIT_AT_LATCH = Duration.ofMillis(100);

	private static final Duration MAX_WAIT_AT_BARRIER = Duration.ofMillis(500);

	/**
	 * How many latches and meetings of a process are awaited.
	 */
	private static final int ENOUGH = 10;

	private final Queue<Event> history = new ConcurrentLinkedQueue<>();

	/**
	 * Creates a run.
	 * @param main the class whose main method calls {@link #work}
	 * @param arguments its arguments
	 */
	public MeetingsRun(Class<?> main, String... arguments) {
		super(main, arguments);
	}

	/**
	 * Runs the processes and the faults, and checks the history.
	 * @param store the store
	 * @param restart kills and restarts the server
	 */
	public void run(Store store, Runnable restart) throws Exception {
		try (StoreClient connection = store.connect(EngineSettings.defaults());
				LockTemplate locks = LockTemplate.builder(connection.backend())
					.operationTimeout(Duration.ofSeconds(20))
					.build()) {
			LockClient client = new LockClient(locks);
			CompletableFuture
				.allOf(IntStream.range(0, LATCHES)
					.mapToObj((i) -> latch(client, i).trySetCountAsync(COUNT))
					.toArray(CompletableFuture[]::new))
				.get(2, TimeUnit.MINUTES);
		}
		runProcesses(restart);
		assertLatchesOpenInTime();
		assertMeetings();
	}

	@Override
	void add(long process, String line) {
		if (line.matches("[A-Z]+( \\d+){3}")) { // and not a line of a log
			String[] words = line.split(" ");
			this.history.add(new Event(process, Kind.valueOf(words[0]), Long.parseLong(words[1]),
					Long.parseLong(words[2]), Long.parseLong(words[3])));
		}
	}

	@Override
	boolean hasWorked(long process, long since, boolean alone) {
		return count(process, since, Kind.OPEN) >= ENOUGH && (alone || count(process, since, Kind.LEFT) >= ENOUGH);
	}

	private long count(long process, long since, Kind kind) {
		return of(kind).stream().filter((event) -> event.process == process && event.start - since > 0).count();
	}

	private List<Event> of(Kind kind) {
		return this.history.stream().filter((event) -> event.kind == kind).toList();
	}

	private void assertLatchesOpenInTime() {
		Map<Long, long[]> begun = new HashMap<>();
		Map<Long, long[]> returned = new HashMap<>();
		of(Kind.COUNTING)
			.forEach((event) -> begun.merge(event.number, new long[] { event.start }, MeetingsRun::sorted));
		of(Kind.COUNTED)
			.forEach((event) -> returned.merge(event.number, new long[] { event.end }, MeetingsRun::sorted));
		assertThat(of(Kind.OPEN)).allSatisfy((event) -> {
			assertThat(begun.get(event.number)).hasSizeGreaterThanOrEqualTo(COUNT);
			assertThat(begun.get(event.number)[COUNT - 1]).isLessThan(event.end);
		});
		assertThat(of(Kind.SHUT)).noneMatch((event) -> {
			long[] ends = returned.getOrDefault(event.number, new long[0]);
			return ends.length >= COUNT && ends[COUNT - 1] < event.start;
		});
	}

	private static long[] sorted(long[] some, long[] others) {
		long[] all = Arrays.copyOf(some, some.length + others.length);
		System.arraycopy(others, 0, all, some.length, others.length);
		Arrays.sort(all);
		return all;
	}

	private void assertMeetings() {
		Map<String, Visit> visits = new HashMap<>();
		this.history.stream()
			.filter((event) -> event.kind.atBarrier)
			.forEach((event) -> visits
				.computeIfAbsent(event.process + " " + event.number, (key) -> new Visit(event.process))
				.add(event));
		for (Visit visit : visits.values()) {
			List<Visit> others = visits.values().stream().filter((other) -> other.process != visit.process).toList();
			if (visit.inside > 0) {
				assertThat(others).as("participants beside " + visit)
					.anyMatch((other) -> other.isWith(visit, killedBy()));
			}
			if (visit.left > 0) {
				assertThat(others).as("those whom " + visit + " left behind")
					.noneMatch((other) -> other.isLeftBy(visit));
			}
		}
		assertThat(mostInside(visits.values())).isEqualTo(PARTIES);
	}

	/**
	 * Returns how many were inside at once, of those who kept their lease.
	 */
	private static int mostInside(Collection<Visit> visits) {
		List<Visit> complete = visits.stream().filter((visit) -> visit.left > 0).toList();
		return complete.stream()
			.mapToInt((visit) -> (int) complete.stream()
				.filter((other) -> other.inside <= visit.inside && visit.inside < other.leaving)
				.count())
			.max()
			.orElse(0);
	}

	/**
	 * Opens latches and meets others until the input ends, and writes what came of it. To
	 * be called by a main method.
	 * @param store what to connect to
	 */
	public static void work(Store store) throws Exception {
		FaultRun.silence();
		AtomicBoolean over = new AtomicBoolean();
		try (StoreClient connection = store.connect(EngineSettings.defaults());
				LockTemplate locks = LockTemplate.builder(connection.backend()).build()) {
			LockClient client = new LockClient(locks);
			DistributedDoubleBarrier barrier = client.doubleBarrier("barrier", PARTIES,
					locks.defaultOptions().withLeaseTime(LEASE));
			FaultRun run = new FaultRun("meetings");
			run.startThread("latches", () -> {
				for (int number = 0; number < LATCHES && !over.get(); number++) {
					open(latch(client, number), number, over);
				}
			});
			run.startThread("barrier", () -> {
				for (long number = 0; !over.get(); number++) {
					meet(barrier, number);
				}
			});
			while (System.in.read() != -1) {
				continue;
			}
			over.set(true);
			run.awaitThreads();
			run.assertNoViolations();
		}
	}

	private static DistributedCountDownLatch latch(LockClient client, int number) {
		return client.countDownLatch("latch-" + number);
	}

	/**
	 * Counts for those who do not come, as well.
	 */
	private static void open(DistributedCountDownLatch latch, long number, AtomicBoolean over) throws Exception {
		boolean open = false;
		while (!open && !over.get()) {
			long start = System.nanoTime();
			write(Kind.COUNTING, start, 0, number);
			try {
				latch.countDown();
				write(Kind.COUNTED, start, System.nanoTime(), number);
				start = System.nanoTime();
				open = latch.await(MAX_WAIT_AT_LATCH);
				write(open ? Kind.OPEN : Kind.SHUT, start, System.nanoTime(), number);
			}
			catch (LockException ex) {
				// the server is away
			}
		}
		Thread.sleep(5);
	}

	private static void meet(DistributedDoubleBarrier barrier, long number) throws Exception {
		long start = System.nanoTime();
		write(Kind.ENTERING, start, 0, number);
		boolean inside = false;
		try {
			inside = barrier.enter(MAX_WAIT_AT_BARRIER.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (BrokenBarrierException | LockException ex) {
			// someone is gone, or the server
		}
		write(inside ? Kind.INSIDE : Kind.OUTSIDE, start, System.nanoTime(), number);
		if (inside) {
			Thread.sleep(2);
			leave(barrier, number);
		}
		Thread.sleep(5);
	}

	private static void leave(DistributedDoubleBarrier barrier, long number) throws Exception {
		long start = System.nanoTime();
		write(Kind.LEAVING, start, 0, number);
		boolean left = false;
		try {
			left = barrier.leave(FaultRun.MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (BrokenBarrierException | LockException ex) {
			// someone is gone, or the server
		}
		if (left) {
			write(Kind.LEFT, start, System.nanoTime(), number);
		}
	}

	private static void write(Kind kind, long start, long end, long number) {
		System.out.println(kind + " " + start + ' ' + end + ' ' + number);
	}

	/**
	 * What a process does.
	 */
	private enum Kind {

		COUNTING(false), COUNTED(false), OPEN(false), SHUT(false), ENTERING(true), INSIDE(true), OUTSIDE(true),
		LEAVING(true), LEFT(true);

		private final boolean atBarrier;

		Kind(boolean atBarrier) {
			this.atBarrier = atBarrier;
		}

	}

	/**
	 * Something that a process did.
	 *
	 * @param process the process
	 * @param kind what it did
	 * @param start when it began
	 * @param end when it ended, 0 if it has only begun
	 * @param number the number of the latch, or of the visit to the barrier
	 */
	private record Event(long process, Kind kind, long start, long end, long number) {
	}

	/**
	 * A visit of a process to the barrier. Times are 0 as long as they are not known.
	 */
	private static final class Visit {

		private final long process;

		private long entering;

		private long inside;

		private long outside;

		private long leaving;

		private long left;

		Visit(long process) {
			this.process = process;
		}

		void add(Event event) {
			switch (event.kind) {
				case ENTERING -> {
					this.entering = event.start;
				}
				case INSIDE -> {
					this.inside = event.end;
				}
				case OUTSIDE -> {
					this.outside = event.end;
				}
				case LEAVING -> {
					this.leaving = event.start;
				}
				case LEFT -> {
					this.left = event.end;
				}
				default -> throw new IllegalArgumentException(event.toString());
			}
		}

		/**
		 * Returns whether this one may have let another in: before it ended, or before
		 * its process was killed.
		 */
		boolean isWith(Visit other, long killedBy) {
			long end = Math.max(this.outside, this.leaving);
			return this.entering < other.inside && ((end == 0) ? killedBy : end) > other.entering;
		}

		/**
		 * Returns whether another that was inside with this one was let out before this
		 * one left. One that was killed inside was with those who entered with it.
		 */
		boolean isLeftBy(Visit other) {
			boolean together = this.inside > 0 && this.inside < other.leaving
					&& ((this.leaving > 0) ? this.leaving > other.inside : this.inside > other.entering);
			return together && (this.leaving == 0 || this.leaving > other.left);
		}

		@Override
		public String toString() {
			return "visit of " + this.process + " from " + this.entering + ", " + this.inside + ", " + this.leaving
					+ ", " + this.left;
		}

	}

}
