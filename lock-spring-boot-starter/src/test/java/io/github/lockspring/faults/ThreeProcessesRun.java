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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three processes that work without pause, while one of them is killed, one is paused and
 * the server is restarted. They work until their input ends, and write what they do.
 */
abstract class ThreeProcessesRun implements AutoCloseable {

	private final ChildJvms children = new ChildJvms();

	private final Class<?> main;

	private final String[] arguments;

	private volatile long killedBy;

	private final List<Thread> readers = new ArrayList<>();

	/**
	 * Creates a run.
	 * @param main the class with the main method of the processes
	 * @param arguments its arguments
	 */
	ThreeProcessesRun(Class<?> main, String... arguments) {
		this.main = main;
		this.arguments = arguments;
	}

	/**
	 * Keeps what a process has written.
	 */
	abstract void add(long process, String line);

	/**
	 * Returns whether a process has done enough.
	 * @param process the process
	 * @param since what it did before does not count
	 * @param alone whether it is the only one
	 */
	abstract boolean hasWorked(long process, long since, boolean alone);

	/**
	 * Runs the processes and the faults.
	 * @param restart kills and restarts the server
	 */
	final void runProcesses(Runnable restart) throws Exception {
		Process killed = start();
		Process paused = start();
		Process unharmed = start();
		for (Process process : List.of(killed, paused, unharmed)) {
			awaitWork(process, false);
		}
		signal(paused, "STOP");
		killed.destroyForcibly().waitFor();
		this.killedBy = System.nanoTime();
		awaitWork(unharmed, true);
		signal(paused, "CONT");
		awaitWork(paused, false);
		restart.run();
		awaitWork(unharmed, false);
		awaitWork(paused, false);
		for (Process process : List.of(paused, unharmed)) {
			process.getOutputStream().close();
			assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
			assertThat(process.exitValue()).isZero();
		}
		for (Thread reader : this.readers) {
			reader.join();
		}
	}

	/**
	 * Returns a time at which the killed process was dead.
	 */
	final long killedBy() {
		return this.killedBy;
	}

	private Process start() throws IOException {
		Process child = this.children.start(this.main, this.arguments);
		this.readers.add(ChildJvms.read(child, (line) -> add(child.pid(), line)));
		return child;
	}

	private void awaitWork(Process process, boolean alone) {
		long start = System.nanoTime();
		FaultRun.eventually()
			.atMost(Duration.ofMinutes(4)) // it may have to start a JVM
			.until(() -> hasWorked(process.pid(), start, alone));
	}

	private static void signal(Process process, String name) throws Exception {
		Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
		assertThat(kill.waitFor()).isZero();
	}

	@Override
	public final void close() {
		this.children.close();
	}

}
