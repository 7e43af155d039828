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

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.ValueChange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three processes that increment one number without pause, while one of them is killed,
 * one is paused and the server is restarted; and the check that what they got is
 * linearizable.
 * <p>
 * For increments, a history is linearizable if no two of them returned the same number,
 * one that began after another had ended returned a larger number, and every number below
 * the last belongs to an increment that returned it or whose outcome is unknown. All
 * processes use the same monotonic clock, that of the machine.
 */
public final class CounterRun implements AutoCloseable {

	private static final String KEY = "counter";

	private static final ValueChange INCREMENT = new ValueChange.Add(1, Long.MIN_VALUE);

	private static final int THREADS = 2;

	private final ChildJvms children = new ChildJvms();

	private final Class<?> main;

	private final String[] arguments;

	private final List<Thread> readers = new ArrayList<>();

	private final Queue<Increment> history = new ConcurrentLinkedQueue<>();

	/**
	 * Creates a run.
	 * @param main the class whose main method calls {@link #work}
	 * @param arguments its arguments
	 */
	public CounterRun(Class<?> main, String... arguments) {
		this.main = main;
		this.arguments = arguments;
	}

	/**
	 * Runs the processes and the faults, and checks the history.
	 * @param store the store
	 * @param restart kills and restarts the server
	 */
	public void run(Store store, Runnable restart) throws Exception {
		Process killed = start();
		Process paused = start();
		Process unharmed = start();
		for (Process process : List.of(killed, paused, unharmed)) {
			awaitIncrements(process, 20);
		}
		signal(paused, "STOP");
		killed.destroyForcibly().waitFor();
		awaitIncrements(unharmed, 20);
		signal(paused, "CONT");
		awaitIncrements(paused, 20);
		restart.run();
		awaitIncrements(unharmed, 20);
		awaitIncrements(paused, 20);
		for (Process process : List.of(paused, unharmed)) {
			process.getOutputStream().close();
			assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
		}
		for (Thread reader : this.readers) {
			reader.join();
		}
		try (EngineProcess process = new EngineProcess(store, EngineSettings.defaults())) {
			assertLinearizable(process.engine.values().read(KEY).number());
		}
	}

	private Process start() throws IOException {
		Process child = this.children.start(this.main, this.arguments);
		this.readers.add(ChildJvms.read(child, (line) -> {
			if (Increment.isOne(line)) {
				this.history.add(Increment.parse(child.pid(), line));
			}
		}));
		return child;
	}

	private void awaitIncrements(Process process, int count) {
		long start = System.nanoTime();
		FaultRun.eventually()
			.until(() -> this.history.stream()
				.filter((each) -> each.process == process.pid() && each.start - start > 0 && each.isKnown())
				.count() >= count);
	}

	private static void signal(Process process, String name) throws Exception {
		Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
		assertThat(kill.waitFor()).isZero();
	}

	private void assertLinearizable(long last) {
		List<Increment> known = this.history.stream().filter(Increment::isKnown).toList();
		long unknown = this.history.stream().filter((each) -> each.number == Increment.UNKNOWN).count() + THREADS;
		Set<Long> numbers = new HashSet<>();
		known.forEach((each) -> assertThat(numbers.add(each.number)).as("first " + each).isTrue());
		assertThat(last).isBetween((long) known.size(), known.size() + unknown);
		assertThat(numbers).allMatch((number) -> number >= 1 && number <= last);
		List<Increment> byStart = new ArrayList<>(known);
		byStart.sort(Comparator.comparingLong(Increment::start));
		List<Increment> byEnd = new ArrayList<>(known);
		byEnd.sort(Comparator.comparingLong(Increment::end));
		long largest = 0;
		int ended = 0;
		for (Increment increment : byStart) {
			while (byEnd.get(ended).end < increment.start) {
				largest = Math.max(largest, byEnd.get(ended++).number);
			}
			assertThat(increment.number).as(increment + " after " + largest).isGreaterThan(largest);
		}
	}

	/**
	 * Increments until the input ends, and writes what came of each. To be called by a
	 * main method.
	 * @param store what to connect to
	 */
	public static void work(Store store) throws Exception {
		FaultRun.silence();
		AtomicBoolean over = new AtomicBoolean();
		try (EngineProcess process = new EngineProcess(store, EngineSettings.defaults())) {
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				Thread thread = new Thread(() -> increment(process, over));
				thread.start();
				threads.add(thread);
			}
			while (System.in.read() != -1) {
				continue;
			}
			over.set(true);
			for (Thread thread : threads) {
				thread.join();
			}
		}
	}

	private static void increment(EngineProcess process, AtomicBoolean over) {
		while (!over.get()) {
			long start = System.nanoTime();
			long number = numberOrReason(process);
			System.out.println(start + " " + System.nanoTime() + ' ' + number);
			pause();
		}
	}

	private static long numberOrReason(EngineProcess process) {
		try {
			return process.engine.values().update(KEY, INCREMENT).after().number();
		}
		catch (EngineException ex) {
			return (ex.getCause() instanceof OutcomeUnknownException) ? Increment.UNKNOWN : Increment.FAILED;
		}
	}

	private static void pause() {
		try {
			Thread.sleep(1);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		this.children.close();
	}

	/**
	 * One increment of a process.
	 *
	 * @param process the process
	 * @param start when it was called
	 * @param end when it returned
	 * @param number the number that it returned, or that it failed
	 */
	private record Increment(long process, long start, long end, long number) {

		static final long UNKNOWN = -1;

		static final long FAILED = -2;

		static boolean isOne(String line) {
			return line.matches("\\d+ \\d+ -?\\d+"); // and not a line of a log
		}

		static Increment parse(long process, String line) {
			String[] words = line.split(" ");
			return new Increment(process, Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
		}

		boolean isKnown() {
			return this.number > 0;
		}

	}

}
