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

package io.github.lockspring.simulator.machine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Process, or server, with its own clocks and threads. It can be paused and killed.
 */
public final class Node {

	private static final long EPOCH_MILLIS = 1_800_000_000_000L;

	private final Scheduler scheduler;

	private final String name;

	private final List<SimulatedThread> threads = new ArrayList<>();

	private final Deque<Worker> idle = new ArrayDeque<>();

	private final List<SimulatedThread> paused = new ArrayList<>();

	private final long startNanos;

	private double rate = 1;

	private long rateSince;

	private long nanosSince;

	private long jumpMillis;

	private long pausedAt;

	private boolean isPaused;

	private boolean isDead;

	/**
	 * Create a node whose clocks are right.
	 * @param scheduler the scheduler
	 * @param name its name
	 */
	public Node(Scheduler scheduler, String name) {
		this.scheduler = scheduler;
		this.name = name;
		this.startNanos = scheduler.random().nextLong();
		this.rateSince = scheduler.now();
		scheduler.add(this);
	}

	public Scheduler scheduler() {
		return this.scheduler;
	}

	public String name() {
		return this.name;
	}

	public boolean isPaused() {
		return this.isPaused;
	}

	public boolean isDead() {
		return this.isDead;
	}

	/**
	 * Return the number of threads that have not ended, without those that wait for a
	 * task.
	 * @return the number
	 */
	public int liveThreads() {
		return this.threads.size() - this.idle.size();
	}

	/**
	 * Describe the threads that have not ended, without those that wait for a task, and
	 * where they are.
	 * @return a text of several lines, empty if there are none
	 */
	public String describeThreads() {
		Set<SimulatedThread> idle = this.idle.stream().map((worker) -> worker.thread).collect(Collectors.toSet());
		return this.threads.stream()
			.filter((thread) -> !idle.contains(thread))
			.map(SimulatedThread::describe)
			.collect(Collectors.joining());
	}

	/**
	 * Return the monotonic clock, which begins anywhere, also shortly before it
	 * overflows.
	 * @return nanoseconds
	 */
	public long nanoTime() {
		return this.startNanos + elapsed();
	}

	/**
	 * Return the wall clock.
	 * @return milliseconds since 1970
	 */
	public long currentTimeMillis() {
		return EPOCH_MILLIS + this.jumpMillis + elapsed() / 1_000_000;
	}

	/**
	 * Return the wall clock.
	 * @return microseconds since 1970
	 */
	public long currentTimeMicros() {
		return (EPOCH_MILLIS + this.jumpMillis) * 1000 + elapsed() / 1000;
	}

	private long elapsed() {
		return this.nanosSince + (long) ((this.scheduler.now() - this.rateSince) * this.rate);
	}

	/**
	 * Let the clocks run faster or slower from now on.
	 * @param rate 1 if they are right
	 */
	public void setClockRate(double rate) {
		this.nanosSince = elapsed();
		this.rateSince = this.scheduler.now();
		this.rate = rate;
	}

	/**
	 * Let the wall clock jump.
	 * @param millis by how much, also backwards
	 */
	public void jump(long millis) {
		this.jumpMillis += millis;
	}

	/**
	 * Convert a time by the clock of this node to virtual time.
	 */
	long toVirtual(long nanos) {
		return (this.rate == 1) ? nanos : (long) Math.ceil(nanos / this.rate);
	}

	/**
	 * Start a thread.
	 * @param name the name of the thread
	 * @param task what it runs
	 * @return the thread
	 */
	public Thread start(String name, Runnable task) {
		SimulatedThread thread = new SimulatedThread(this, name, task);
		thread.begin();
		return thread;
	}

	/**
	 * Return an executor with a thread for each task, which cannot be shut down.
	 * @return the executor
	 */
	public ExecutorService executor() {
		return new ThreadPerTask();
	}

	/**
	 * Run a task in a thread of its own after a time by the clock of this node.
	 */
	void executeAfter(long nanos, Runnable task) {
		this.scheduler.after(toVirtual(nanos), this, () -> {
			if (!this.isDead) {
				executor().execute(task);
			}
		});
	}

	/**
	 * Stop all threads where they are, while time passes.
	 */
	public void pause() {
		this.isPaused = true;
		this.pausedAt = elapsed();
	}

	/**
	 * Let the threads go on.
	 */
	public void resume() {
		this.isPaused = false;
		this.paused.forEach(this.scheduler::ready);
		this.paused.clear();
	}

	/**
	 * Let the threads go on, after the machine was suspended since they were stopped: the
	 * monotonic clock stood still, and the wall clock went on.
	 */
	public void resumeAfterSuspension() {
		long millis = (elapsed() - this.pausedAt) / 1_000_000;
		this.nanosSince = elapsed() - millis * 1_000_000;
		this.rateSince = this.scheduler.now();
		jump(millis);
		resume();
	}

	/**
	 * End all threads where they are.
	 */
	public void kill() {
		this.isDead = true;
		resume();
		List.copyOf(this.threads).forEach(SimulatedThread::kill);
	}

	void add(SimulatedThread thread) {
		this.threads.add(thread);
	}

	void remove(SimulatedThread thread) {
		this.threads.remove(thread);
	}

	/**
	 * Let a thread run, unless this node is paused.
	 */
	void ready(SimulatedThread thread) {
		if (this.isPaused) {
			this.paused.add(thread);
		}
		else {
			this.scheduler.ready(thread);
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * Runs tasks, one after the other, when it is given one.
	 */
	private final class Worker implements Runnable {

		private final SimulatedThread thread = new SimulatedThread(Node.this, Node.this.name + "-worker", this);

		private @Nullable Runnable task;

		private Worker(Runnable task) {
			this.task = task;
		}

		@Override
		public void run() {
			while (true) {
				Runnable task = this.task;
				if (task != null) {
					this.task = null;
					task.run();
					Thread.interrupted();
					Node.this.idle.push(this);
				}
				this.thread.park(Scheduler.NEVER);
			}
		}

	}

	/**
	 * Executor of this node.
	 */
	private final class ThreadPerTask extends AbstractExecutorService {

		@Override
		public void execute(Runnable task) {
			Worker worker = Node.this.idle.poll();
			if (worker != null) {
				worker.task = task;
				worker.thread.unpark();
			}
			else {
				new Worker(task).thread.begin();
			}
		}

		@Override
		public void shutdown() {
			// an engine that is restarted uses it again
		}

		@Override
		public List<Runnable> shutdownNow() {
			return List.of();
		}

		@Override
		public boolean isShutdown() {
			return false;
		}

		@Override
		public boolean isTerminated() {
			return false;
		}

		@Override
		public boolean awaitTermination(long timeout, TimeUnit unit) {
			return false;
		}

	}

}
