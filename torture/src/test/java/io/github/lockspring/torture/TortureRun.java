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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import org.springframework.util.FileSystemUtils;

import io.github.lockspring.server.ServerProcess;
import io.github.lockspring.simulator.history.Bounds;
import io.github.lockspring.simulator.history.Event;
import io.github.lockspring.simulator.history.Fact.Audited;
import io.github.lockspring.simulator.history.History;
import io.github.lockspring.simulator.history.HistoryChecker;
import io.github.lockspring.simulator.history.Report;
import io.github.lockspring.torture.TortureFault.Lane;

/**
 * Processes that lock the same keys on one store, while faults happen.
 */
final class TortureRun implements AutoCloseable {

	/**
	 * Time in which everything heals after the faults, in leases.
	 */
	private static final int HEALING_LEASES = 4;

	/**
	 * Longest time between two looks of one that waits.
	 */
	private static final Duration POLL = Duration.ofSeconds(2);

	/**
	 * What processes need for themselves, besides the stalls that they notice.
	 */
	/**
	 * Longest time for which a released key is kept for a request that has ended: the
	 * validity of a grant by notification.
	 */
	private static final Duration RESERVATION = Duration.ofSeconds(1);

	private static final Duration SLACK = Duration.ofMillis(500);

	/**
	 * Longest time without a sign of life that needs no explanation.
	 */
	private static final Duration STALL = Duration.ofMillis(50);

	/**
	 * Longer than anything takes, even on a machine with much else to do.
	 */
	private static final Duration MAX_WAIT = Duration.ofMinutes(2);

	private final long seed;

	private final TortureSettings settings;

	private final Defect defect;

	private final Path folder;

	private final ClockShim clocks;

	private final FaultLog log = new FaultLog();

	private final WorkerLines lines;

	private final TortureStore store;

	private final List<WorkerProcess> workers;

	/**
	 * Start a store.
	 * @param type the store
	 * @param seed the seed of what the workers do
	 * @param settings the settings
	 * @param defect what is wrong with the workers
	 */
	TortureRun(StoreType type, long seed, TortureSettings settings, Defect defect) throws IOException {
		this.seed = seed;
		this.settings = settings;
		this.defect = defect;
		this.folder = Files.createTempDirectory("torture-");
		this.clocks = new ClockShim(this.folder);
		this.lines = new WorkerLines(this.log);
		ServerFaults faults = new ServerFaults(this.clocks, "store");
		faults.prepareStart();
		this.store = type.start(faults);
		this.workers = IntStream.rangeClosed(1, settings.workers())
			.mapToObj((i) -> new WorkerProcess(this, "process-" + i))
			.toList();
	}

	long seed() {
		return this.seed;
	}

	TortureSettings settings() {
		return this.settings;
	}

	Defect defect() {
		return this.defect;
	}

	Path folder() {
		return this.folder;
	}

	ClockShim clocks() {
		return this.clocks;
	}

	FaultLog log() {
		return this.log;
	}

	WorkerLines lines() {
		return this.lines;
	}

	TortureStore store() {
		return this.store;
	}

	/**
	 * Return the kinds of faults that are possible here.
	 */
	Set<TortureFault> possibleFaults() {
		Set<TortureFault> possible = TortureFault.of(Lane.WORKERS);
		possible.addAll(this.store.networkFaults());
		possible.addAll(this.store.faults().keySet());
		if (!this.clocks.isAvailable()) {
			possible.remove(TortureFault.WORKER_CLOCK_JUMPED);
		}
		return possible;
	}

	/**
	 * Draw faults from the seed, of all kinds that are possible here.
	 */
	TortureSchedule randomSchedule() {
		return TortureSchedule.random(this.seed, this.settings, possibleFaults());
	}

	/**
	 * Let the workers work while faults happen, heal, end them, and look what is left.
	 * @param schedule the faults
	 * @return what happened
	 */
	History run(TortureSchedule schedule) throws Exception {
		Heartbeat own = Heartbeat.start(() -> {
		}, STALL, this.log::stalled);
		Heartbeat probe = Heartbeat.start(this.store::ask, STALL, this.log::stalled);
		this.workers.forEach(WorkerProcess::start);
		awaitGrants();
		lanes().inflict(schedule, this.settings.duration());
		awaitGrants();
		Thread.sleep(this.settings.lease().multipliedBy(HEALING_LEASES).toMillis());
		this.workers.forEach(this::end);
		auditStore();
		probe.close();
		own.close();
		return history();
	}

	/**
	 * Every worker, also those that were started again, must be granted something.
	 */
	private void awaitGrants() {
		for (WorkerProcess worker : this.workers) {
			await(() -> this.lines.hasGrant(worker.name()) || !worker.isAlive(), "a grant to " + worker.name());
			if (!worker.isAlive()) {
				throw new IllegalStateException(worker.name() + " has ended by itself: " + output(worker));
			}
		}
	}

	private boolean await(BooleanSupplier condition, String what) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean() && System.nanoTime() - start < MAX_WAIT.toNanos()) {
			try {
				TimeUnit.MILLISECONDS.sleep(10);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
		boolean met = condition.getAsBoolean();
		if (!met) {
			this.log.record("controller", new Audited("missing: " + what, 0, 1));
		}
		return met;
	}

	private FaultLanes lanes() {
		return new FaultLanes(Map.of(Lane.WORKERS, new WorkerFaults(this.workers, this.folder.resolve("busy.out")),
				Lane.NETWORK, new NetworkFaults(this.workers), Lane.STORE,
				(step, log) -> this.store.faults().get(step.fault()).inflict(step, log)), this.log, MAX_WAIT);
	}

	private void end(WorkerProcess worker) {
		await(() -> this.lines.end(worker.name()), "a line to " + worker.name());
		if (!await(() -> !worker.isAlive(), "the end of " + worker.name()) || !this.lines.hasEnded(worker.name())) {
			this.log.record("controller", new Audited("processes that ended by themselves, or not at all", 0, 1));
		}
	}

	private void auditStore() {
		StringBuilder last = new StringBuilder();
		boolean nothing = await(() -> {
			try {
				this.store.assertNothingLeft();
				return true;
			}
			catch (AssertionError | Exception ex) {
				last.setLength(0);
				last.append(ex);
				return false;
			}
		}, "an empty store");
		this.log.record("controller", new Audited("in the store: " + last, 0, nothing ? 0 : 1));
	}

	private History history() {
		List<Event> events = new ArrayList<>(this.log.events());
		Journal.files(this.folder).forEach((file) -> events.addAll(Journal.read(file)));
		return HistoryAssembler.assemble(events);
	}

	/**
	 * Check a history of this run.
	 * @return what was found, and the numbers
	 */
	Report check(History history) {
		return new HistoryChecker(new Bounds(this.settings.lease(), this.store.longestLease(this.settings.lease()),
				this.settings.operationTimeout(), POLL, SLACK, RESERVATION))
			.report(history);
	}

	private String output(WorkerProcess worker) {
		try {
			return Files.readString(this.folder.resolve(worker.name() + ".out"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the names of the files with the output of the workers.
	 */
	List<String> outputs() {
		return this.workers.stream().map((worker) -> worker.name() + ".out").toList();
	}

	@Override
	public void close() throws IOException {
		this.workers.stream().filter(WorkerProcess::isAlive).forEach(WorkerProcess::kill);
		this.lines.close();
		this.store.close();
		ServerProcess.setPrefix(List.of());
		FileSystemUtils.deleteRecursively(this.folder);
	}

}
