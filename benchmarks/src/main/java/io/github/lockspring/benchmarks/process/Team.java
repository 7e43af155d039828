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

package io.github.lockspring.benchmarks.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.report.Histogram;

/**
 * Threads that acquire and release, with nothing in between, for some time. A thread
 * reads the clock once in each cycle, while it holds nothing. What happens until all
 * threads have been at work for a quarter of the time does not count: a thread that is
 * still alone is fast.
 */
public final class Team {

	private static final int RUN_UP = 4;

	private final Contestant contestant;

	private final int threads;

	private final KeyChoice keys;

	private final Occupancy occupancy;

	private final CountDownLatch started;

	private volatile boolean measuring;

	private volatile boolean running = true;

	/**
	 * Creates the team for one run.
	 * @param contestant who locks
	 * @param threads how many threads
	 * @param keys which key each of them takes
	 * @param occupancy notified of each hold
	 */
	public Team(Contestant contestant, int threads, KeyChoice keys, Occupancy occupancy) {
		this.contestant = contestant;
		this.threads = threads;
		this.keys = keys;
		this.occupancy = occupancy;
		this.started = new CountDownLatch(threads);
	}

	/**
	 * Runs.
	 * @param time for how long
	 * @return what the threads achieved
	 */
	public TeamResult run(Duration time) throws InterruptedException {
		ExecutorService executor = Executors.newFixedThreadPool(this.threads);
		try {
			List<Future<Histogram>> members = new ArrayList<>();
			for (int i = 0; i < this.threads; i++) {
				int thread = i;
				members.add(executor.submit(() -> cycles(thread)));
			}
			return result(members, measure(time));
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * Runs without being measured.
	 * @param cycles how many times each thread acquires and releases
	 * @param atMost how long it may take: no thread begins a cycle later, but all do one
	 * @return how many cycles there were
	 */
	public long repeat(int cycles, Duration atMost) throws InterruptedException {
		long end = System.nanoTime() + atMost.toNanos();
		ExecutorService executor = Executors.newFixedThreadPool(this.threads);
		try {
			List<Future<Histogram>> members = new ArrayList<>();
			for (int i = 0; i < this.threads; i++) {
				int thread = i;
				members.add(executor.submit(() -> repeat(thread, cycles, end)));
			}
			return result(members, 1).sum();
		}
		finally {
			executor.shutdownNow();
		}
	}

	private Histogram repeat(int thread, int cycles, long end) throws InterruptedException {
		Histogram times = new Histogram();
		for (int cycle = 0; cycle == 0 || (cycle < cycles && System.nanoTime() - end < 0); cycle++) {
			cycle(thread, cycle);
			times.add(0);
		}
		return times;
	}

	private long measure(Duration time) throws InterruptedException {
		this.started.await();
		TimeUnit.NANOSECONDS.sleep(time.toNanos() / RUN_UP);
		long start = System.nanoTime();
		this.measuring = true;
		TimeUnit.NANOSECONDS.sleep(time.toNanos());
		this.running = false;
		return System.nanoTime() - start;
	}

	private Histogram cycles(int thread) throws InterruptedException {
		try {
			Histogram times = new Histogram();
			long last = 0;
			for (int cycle = 0; this.running; cycle++) {
				cycle(thread, cycle);
				if (cycle == 0) {
					this.started.countDown();
				}
				last = this.measuring ? add(times, last) : 0;
			}
			return times;
		}
		catch (Throwable ex) {
			this.started.countDown();
			throw ex;
		}
	}

	private void cycle(int thread, int cycle) throws InterruptedException {
		Contestant.Hold hold = this.contestant.acquire(this.keys.key(thread, cycle));
		try {
			this.occupancy.begin();
			this.occupancy.end();
		}
		finally {
			hold.release();
		}
	}

	private static long add(Histogram times, long last) {
		long now = System.nanoTime();
		if (last != 0) {
			times.add(now - last);
		}
		return now;
	}

	private static TeamResult result(List<Future<Histogram>> members, long nanos) throws InterruptedException {
		List<Long> cycles = new ArrayList<>();
		Histogram all = new Histogram();
		for (Future<Histogram> member : members) {
			try {
				Histogram times = member.get();
				cycles.add(times.count());
				all.addAll(times);
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException("A thread failed", ex.getCause());
			}
		}
		return new TeamResult(nanos, cycles, all);
	}

	/**
	 * Which key a thread takes next.
	 */
	@FunctionalInterface
	public interface KeyChoice {

		String key(int thread, int cycle);

	}

}
