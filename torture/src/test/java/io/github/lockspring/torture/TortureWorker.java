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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.Leftovers;
import io.github.lockspring.faults.StoreClient;
import io.github.lockspring.simulator.cluster.ClusterSettings;
import io.github.lockspring.simulator.cluster.ClusterWork;
import io.github.lockspring.simulator.cluster.ProcessLocks;
import io.github.lockspring.simulator.cluster.Worker;
import io.github.lockspring.simulator.cluster.Workplace;
import io.github.lockspring.simulator.history.Fact;
import io.github.lockspring.simulator.history.Fact.Audited;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.Fact.ProcessChanged;
import io.github.lockspring.simulator.history.LockFact.Granted;
import io.github.lockspring.simulator.history.LockFact.Written;

/**
 * Program whose threads lock until it is told to end, or terminated.
 */
final class TortureWorker implements Workplace {

	/**
	 * Longer than anything takes, even on a machine with much else to do.
	 */
	private static final long MAX_WAIT_MILLIS = 60_000;

	/**
	 * Longest time without a sign of life that needs no explanation.
	 */
	private static final Duration STALL = Duration.ofMillis(20);

	private static final long OPERATIONS_OF_A_PROCESS = 1_000_000_000;

	private final WorkerSettings settings;

	private final Journal journal;

	private final WorkerLine line;

	private final AtomicLong operations;

	private final SplittableRandom random;

	private final StoreClient client;

	private final LockTemplate locks;

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean ending;

	private TortureWorker(WorkerSettings settings) {
		this.settings = settings;
		this.journal = new Journal(settings.journal(), settings.process());
		this.line = WorkerLine.connect(settings.port(), settings.process());
		this.random = new SplittableRandom(settings.seed());
		this.operations = new AtomicLong((this.random.nextInt(Integer.MAX_VALUE) + 1L) * OPERATIONS_OF_A_PROCESS);
		TortureSettings run = settings.run();
		EngineSettings engine = EngineSettings.defaults().withOperationTimeout(run.operationTimeout());
		this.client = settings.store().store(run.lease()).connect(engine);
		this.locks = LockTemplate.builder(settings.defect().into(this.client.backend()))
			.keyPrefix("torture")
			.defaultOptions(LockOptions.defaults().withLeaseTime(run.lease()))
			.operationTimeout(run.operationTimeout())
			.shutdownTimeout(run.lease())
			.build();
	}

	/**
	 * Run.
	 * @param arguments see {@link WorkerSettings}
	 */
	public static void main(String[] arguments) {
		FaultRun.silence();
		new TortureWorker(WorkerSettings.parse(arguments)).run();
	}

	private void run() {
		Heartbeat.start(this::mayInterrupt, STALL, this::stalled);
		Runtime.getRuntime().addShutdownHook(new Thread(this::terminate));
		warmUp();
		startThreads();
		this.line.awaitEnd();
		this.ending = true;
		awaitThreads();
		close();
		audit();
		this.line.send(WorkerLine.ENDED);
		Runtime.getRuntime().halt(0);
	}

	/**
	 * Connect and load classes, which takes as long as it takes.
	 */
	private void warmUp() {
		LockClient client = new LockClient(this.locks);
		String key = "warm-up of " + this.settings.process();
		boolean done = false;
		while (!done) {
			try {
				this.locks.acquire(key).close();
				this.locks.acquireAsync(key, this.locks.defaultOptions()).join().close();
				if (settings().works().contains(ClusterWork.COUNTER)) {
					client.atomicLong(key).get();
				}
				done = true;
			}
			catch (LockException | CompletionException ex) {
				LockSupport.parkNanos(10_000_000);
			}
		}
	}

	private void startThreads() {
		ProcessLocks process = ProcessLocks.of(this.locks, Executors.newCachedThreadPool((task) -> {
			Thread thread = new Thread(task, "task");
			thread.setDaemon(true);
			return thread;
		}));
		for (int i = 1; i <= this.settings.run().threads(); i++) {
			Worker worker = new Worker(this, this.settings.process(), "worker-" + i, this.random.split(), process);
			Thread thread = new Thread(worker, "worker-" + i);
			thread.setUncaughtExceptionHandler((failed, ex) -> failed(failed.getName(), ex));
			thread.setDaemon(true);
			thread.start();
			this.threads.add(thread);
		}
	}

	/**
	 * No exception is to reach a thread that does not expect it, unless the process ends
	 * under its feet.
	 */
	private void failed(String worker, Throwable ex) {
		ex.printStackTrace();
		if (!this.ending) {
			this.journal.append(worker, new Audited("threads that ended with " + ex, 0, 1));
		}
	}

	/**
	 * Interrupt a thread, once in some seconds.
	 */
	private void mayInterrupt() {
		if (!this.ending && this.settings.seed() % 2 == 0 && this.random.nextInt(500) == 0) {
			this.threads.get(this.random.nextInt(this.threads.size())).interrupt();
		}
	}

	private void stalled(long from, long to) {
		this.journal.append(from, "heartbeat", new ProcessChanged(ProcessChange.PAUSED));
		this.journal.append(to, "heartbeat", new ProcessChanged(ProcessChange.RESUMED));
	}

	private void awaitThreads() {
		for (Thread thread : this.threads) {
			try {
				thread.join(MAX_WAIT_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			if (thread.isAlive()) {
				System.err.println(thread + " is stuck: " + List.of(thread.getStackTrace()));
				this.journal.append(thread.getName(), new Audited("threads that are stuck", 0, 1));
			}
		}
	}

	private void terminate() {
		this.ending = true;
		close();
	}

	private void close() {
		this.locks.close();
		this.client.close();
	}

	/**
	 * Count the threads of the library, which get the time to end.
	 */
	private void audit() {
		long end = System.nanoTime() + Duration.ofMillis(MAX_WAIT_MILLIS).toNanos();
		while (!Leftovers.threads().isEmpty() && System.nanoTime() - end < 0) {
			LockSupport.parkNanos(10_000_000);
		}
		this.journal.append("main", new Audited("threads " + Leftovers.threads(), 0, Leftovers.threads().size()));
	}

	@Override
	public ClusterSettings settings() {
		return this.settings.run().work().withWorks(this.settings.store().works());
	}

	@Override
	public boolean isEnding() {
		return this.ending;
	}

	@Override
	public long nextOperation() {
		return this.operations.incrementAndGet();
	}

	@Override
	public void record(String process, String worker, Fact fact) {
		this.journal.append(worker, fact);
		if (fact instanceof Granted) {
			this.line.granted();
		}
	}

	@Override
	public <F extends @Nullable Fact> F look(String process, String worker, Supplier<F> look) {
		long time = System.nanoTime();
		F found = look.get();
		if (found != null) {
			this.journal.append(time, worker, found);
		}
		return found;
	}

	/**
	 * The resource is in another process.
	 */
	@Override
	public void write(String process, String worker, Written write, long delay) {
		this.line.send(worker, write);
	}

}
