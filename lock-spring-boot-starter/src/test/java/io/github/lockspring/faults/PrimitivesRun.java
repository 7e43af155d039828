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
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.LockHistory.Acquisition;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three processes that use a counter, a number that is compared and set, a lock and
 * permits without pause, while one of them is killed, one is paused and the server is
 * restarted; and the check that what they got is consistent.
 * <p>
 * The numbers grow by one with each update. Such a history is linearizable if no two
 * updates returned the same number, one that began after another had ended returned a
 * larger number, and every number below the last belongs to an update that returned it or
 * whose outcome is unknown. Holders of the lock exclude each other and have growing
 * tokens, and no more permits are held at a time than there are. All processes use the
 * same monotonic clock, that of the machine.
 */
public final class PrimitivesRun extends ThreeProcessesRun {

	private static final String COUNTER = "counter";

	private static final String NUMBER = "number";

	private static final String LOCK = "lock";

	private static final String PERMIT = "permit";

	private static final List<String> PRIMITIVES = List.of(COUNTER, NUMBER, LOCK, PERMIT);

	private static final int PERMITS = 2;

	/**
	 * As long as a session of ZooKeeper.
	 */
	private static final Duration LEASE = Duration.ofSeconds(4);

	private static final int THREADS = 2;

	/**
	 * How many uses of each primitive by a process are awaited.
	 */
	private static final int USES = (FaultRun.SCALE > 1) ? 10 : 5;

	private final Queue<Use> history = new ConcurrentLinkedQueue<>();

	/**
	 * Creates a run.
	 * @param main the class whose main method calls {@link #work}
	 * @param arguments its arguments
	 */
	public PrimitivesRun(Class<?> main, String... arguments) {
		super(main, arguments);
	}

	/**
	 * Runs the processes and the faults, and checks the history.
	 * @param store the store
	 * @param restart kills and restarts the server
	 */
	public void run(Store store, Runnable restart) throws Exception {
		runProcesses(restart);
		try (EngineProcess process = new EngineProcess(store, EngineSettings.defaults())) {
			assertLinearizable(COUNTER, process.engine.values().read(COUNTER).number());
			assertLinearizable(NUMBER, process.engine.values().read(NUMBER).number());
		}
		assertExclusion();
		assertThat(mostPermitsAtOnce()).isLessThanOrEqualTo(PERMITS);
	}

	@Override
	void add(long process, String line) {
		if (Use.isOne(line)) {
			this.history.add(Use.parse(process, line));
		}
	}

	@Override
	boolean hasWorked(long process, long since, boolean alone) {
		return PRIMITIVES.stream()
			.allMatch((primitive) -> of(primitive).stream()
				.filter((use) -> use.process == process && use.start - since > 0)
				.count() >= USES);
	}

	/**
	 * The uses of a primitive whose result is known.
	 */
	private List<Use> of(String primitive) {
		return this.history.stream().filter((use) -> use.primitive.equals(primitive) && use.number > 0).toList();
	}

	private void assertLinearizable(String primitive, long last) {
		List<Use> known = of(primitive);
		long unknown = this.history.stream()
			.filter((use) -> use.primitive.equals(primitive) && use.number == Use.UNKNOWN)
			.count() + THREADS;
		Set<Long> numbers = new HashSet<>();
		known.forEach((use) -> assertThat(numbers.add(use.number)).as("first " + use).isTrue());
		assertThat(last).isBetween((long) known.size(), known.size() + unknown);
		assertThat(numbers).allMatch((number) -> number >= 1 && number <= last);
		List<Use> byStart = new ArrayList<>(known);
		byStart.sort(Comparator.comparingLong(Use::start));
		List<Use> byEnd = new ArrayList<>(known);
		byEnd.sort(Comparator.comparingLong(Use::end));
		long largest = 0;
		int ended = 0;
		for (Use use : byStart) {
			while (byEnd.get(ended).end < use.start) {
				largest = Math.max(largest, byEnd.get(ended++).number);
			}
			assertThat(use.number).as(use + " after " + largest).isGreaterThan(largest);
		}
	}

	private void assertExclusion() {
		LockHistory holders = new LockHistory();
		of(LOCK).forEach((use) -> holders
			.add(new Acquisition(LOCK, Long.toString(use.process), use.number, use.start, use.from, use.end)));
		assertThat(holders.overlaps()).isEmpty();
		assertThat(holders.tokensOutOfOrder()).isEmpty();
		assertThat(holders.tokensGrantedTwice()).isEmpty();
	}

	private long mostPermitsAtOnce() {
		Map<Long, Long> changes = new TreeMap<>();
		for (Use use : of(PERMIT)) {
			if (use.end > use.from) {
				changes.merge(use.from, 1L, Long::sum);
				changes.merge(use.end, -1L, Long::sum);
			}
		}
		long[] held = changes.values().stream().mapToLong(Long::longValue).toArray();
		for (int i = 1; i < held.length; i++) {
			held[i] += held[i - 1];
		}
		return LongStream.of(held).max().orElse(0);
	}

	/**
	 * Uses the primitives until the input ends, and writes what came of each use. To be
	 * called by a main method.
	 * @param store what to connect to
	 */
	public static void work(Store store) throws Exception {
		FaultRun.silence();
		AtomicBoolean over = new AtomicBoolean();
		try (EngineProcess process = new EngineProcess(store, EngineSettings.defaults())) {
			List<FaultRun> runs = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				runs.add(startThread(over, (run) -> increment(process)));
				runs.add(startThread(over, (run) -> replace(process)));
			}
			runs.add(startThread(over, (run) -> hold(run, process, LOCK, AcquireOptions.exclusive(LEASE, true))));
			AcquireOptions permit = AcquireOptions.permits(1, PERMITS, LEASE, true);
			runs.add(startThread(over, (run) -> hold(run, process, PERMIT, permit)));
			while (System.in.read() != -1) {
				continue;
			}
			over.set(true);
			for (FaultRun run : runs) {
				run.awaitThreads();
				run.assertNoViolations();
			}
		}
	}

	private static FaultRun startThread(AtomicBoolean over, UseOnce use) {
		FaultRun run = new FaultRun("primitives");
		run.startThread("primitives", () -> {
			while (!over.get()) {
				use.with(run);
				Thread.sleep(1);
			}
		});
		return run;
	}

	private static void increment(EngineProcess process) {
		update(COUNTER,
				() -> process.engine.values().update(COUNTER, new ValueChange.Add(1, Long.MIN_VALUE)).after().number());
	}

	private static void replace(EngineProcess process) {
		update(NUMBER, () -> {
			long number = process.engine.values().read(NUMBER).number();
			ValueUpdateResult result = process.engine.values()
				.update(NUMBER, new ValueChange.Replace(number + 1, number));
			return result.applied() ? result.after().number() : Use.FAILED;
		});
	}

	private static void update(String primitive, Update update) {
		long start = System.nanoTime();
		long number = numberOrReason(update);
		write(primitive, start, start, System.nanoTime(), number);
	}

	private static long numberOrReason(Update update) {
		try {
			return update.number();
		}
		catch (EngineException ex) {
			return (ex.getCause() instanceof OutcomeUnknownException) ? Use.UNKNOWN : Use.FAILED;
		}
	}

	private static void hold(FaultRun run, EngineProcess process, String primitive, AcquireOptions options) {
		long start = System.nanoTime();
		Hold hold = run.acquire(process, primitive, options, LEASE);
		if (hold != null) {
			run.use(primitive, start, hold, Duration.ofMillis(2));
			run.history.acquisitions()
				.forEach((each) -> write(primitive, each.asked(), each.from(), each.until(), each.token()));
			run.history.clear();
		}
	}

	private static void write(String primitive, long start, long from, long end, long number) {
		System.out.println(primitive + ' ' + start + ' ' + from + ' ' + end + ' ' + number);
	}

	/**
	 * One use of a primitive by a thread.
	 */
	private interface UseOnce {

		void with(FaultRun run);

	}

	/**
	 * Update of a number.
	 */
	private interface Update {

		long number();

	}

	/**
	 * One use of a primitive.
	 *
	 * @param primitive the primitive
	 * @param process the process
	 * @param start when it was called
	 * @param from when a lock or permit was there
	 * @param end when an update returned, or a lock or permit was no longer held
	 * @param number the number or token that was returned, or that it failed
	 */
	private record Use(String primitive, long process, long start, long from, long end, long number) {

		static final long UNKNOWN = -1;

		static final long FAILED = -2;

		static boolean isOne(String line) {
			return line.matches("[a-z]+( -?\\d+){4}"); // and not a line of a log
		}

		static Use parse(long process, String line) {
			String[] words = line.split(" ");
			return new Use(words[0], process, Long.parseLong(words[1]), Long.parseLong(words[2]),
					Long.parseLong(words[3]), Long.parseLong(words[4]));
		}

	}

}
