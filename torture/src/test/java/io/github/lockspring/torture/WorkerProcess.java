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

package io.github.lockspring.torture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.JavaProgram;
import io.github.lockspring.server.ServerProcess;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.Fact.ProcessChanged;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Place of a worker: when it has ended, another takes its place. Not thread-safe.
 */
final class WorkerProcess {

	private static final List<String> JVM_OPTIONS = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m",
			"-Xshare:auto");

	private final TortureRun run;

	private final String name;

	private final List<FaultProxy> proxies;

	private final StoreAddress address;

	private @Nullable ServerProcess process;

	private int incarnation;

	WorkerProcess(TortureRun run, String name) {
		this.run = run;
		this.name = name;
		this.proxies = run.store().newProxies();
		this.address = run.store().address(this.proxies);
	}

	String name() {
		return this.name;
	}

	/**
	 * Return the proxies that a fault happens to.
	 */
	List<FaultProxy> proxies(Step step) {
		return this.run.store().affected(step, this.proxies);
	}

	void start() {
		record((++this.incarnation == 1) ? ProcessChange.STARTED : ProcessChange.RESTARTED);
		long seed = (this.run.seed() * 31 + this.name.hashCode()) * 31 + this.incarnation;
		WorkerSettings settings = new WorkerSettings(this.run.settings(), seed, this.name, this.incarnation,
				this.address, this.run.lines().port(), this.run.folder(), this.run.defect());
		List<String> command = new ArrayList<>(this.run.clocks().prefix(this.name));
		command.addAll(
				Arrays.asList(JavaProgram.command(JVM_OPTIONS, TortureWorker.class.getName(), settings.arguments())));
		Path output = this.run.folder().resolve(this.name + ".out");
		this.process = ServerProcess.start(output, command.toArray(String[]::new));
	}

	void pause() {
		record(ProcessChange.PAUSED);
		process().pause();
	}

	void resume() {
		process().resume();
		record(ProcessChange.RESUMED);
	}

	void kill() {
		process().kill();
		ended();
	}

	/**
	 * Ask the process to end, and kill it if it does not.
	 */
	void terminate() {
		record(ProcessChange.STOPPING);
		process().stop("TERM");
		ended();
	}

	private void ended() {
		record(ProcessChange.KILLED);
		this.run.lines().forget(this.name);
	}

	void jump(long seconds) {
		record(ProcessChange.CLOCK_JUMPED);
		this.run.clocks().set(this.name, seconds);
	}

	boolean isAlive() {
		return process().isAlive();
	}

	private ServerProcess process() {
		ServerProcess process = this.process;
		if (process == null) {
			throw new IllegalStateException(this.name + " has not started");
		}
		return process;
	}

	private void record(ProcessChange change) {
		this.run.log().record(this.name, new ProcessChanged(change));
	}

}
