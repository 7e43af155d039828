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

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Decides which thread runs next, and when virtual time passes. One simulated thread runs
 * at a time. When it waits, or at a point where another could overtake it, the scheduler
 * chooses the next of those that can run, by its random numbers. When none can run, time
 * advances to the next event.
 * <p>
 * The same seed chooses the same threads in the same order. Used by the thread that runs,
 * and by the driver while none does.
 */
public final class Scheduler implements AutoCloseable {

	static final long NEVER = Long.MAX_VALUE;

	/**
	 * Number of steps without progress of the time at which threads wait busily.
	 */
	private static final long MOST_STEPS_AT_ONE_TIME = 1_000_000;

	private final SplittableRandom random;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final List<SimulatedThread> runnable = new ArrayList<>();

	private final List<Node> nodes = new ArrayList<>();

	private final Semaphore driver = new Semaphore(0);

	private int switchOneOf;

	private boolean prioritized;

	private double lowestPriority;

	private long now;

	private long sequence;

	private long steps;

	private long stepsBefore;

	private @Nullable Node current;

	private @Nullable Throwable failure;

	private boolean inEvent;

	private boolean stopped = true;

	/**
	 * Create a scheduler.
	 * @param seed the seed of all decisions
	 */
	public Scheduler(long seed) {
		this.random = new SplittableRandom(seed);
	}

	/**
	 * Let a thread be overtaken by others not only where it waits, but at each access to
	 * memory that threads share, with a probability.
	 * @param oneOf one of how many accesses; 0 for none
	 */
	public void overtakeAtOneOf(int oneOf) {
		this.switchOneOf = oneOf;
	}

	/**
	 * Let the thread run that has the highest priority, instead of any: each begins with
	 * a random one, and gets the lowest one where it would have been overtaken. That
	 * finds races that need few switches at the right places. (Burckhardt, Kothari,
	 * Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of
	 * Finding Bugs, 2010.)
	 */
	public void prioritize() {
		this.prioritized = true;
	}

	/**
	 * Describe the threads that have not ended, and where they are.
	 * @return a text of several lines, empty if there are none
	 */
	public String describeThreads() {
		return this.nodes.stream().map(Node::describeThreads).collect(Collectors.joining());
	}

	/**
	 * Return the virtual time.
	 * @return nanoseconds since the begin
	 */
	public long now() {
		return this.now;
	}

	/**
	 * Return the number of times that a thread was chosen or an event happened.
	 * @return the number
	 */
	public long steps() {
		return this.steps;
	}

	/**
	 * Return the source of all random decisions.
	 * @return the source
	 */
	public SplittableRandom random() {
		return this.random;
	}

	/**
	 * Let an action happen at a later time. It must not wait.
	 * @param nanos the time from now
	 * @param node where it happens, of which it sees the clocks
	 * @param action the action
	 * @return the event, which can be cancelled
	 */
	public Event after(long nanos, @Nullable Node node, Runnable action) {
		long at = (nanos < NEVER - this.now) ? this.now + Math.max(0, nanos) : NEVER;
		Event event = new Event(at, this.random.nextInt(), this.sequence++, node, action);
		this.events.add(event);
		return event;
	}

	/**
	 * Run until a time, or until nothing is left to do.
	 * @param nanos the time from now
	 * @throws IllegalStateException if a thread or event failed
	 */
	public void run(long nanos) {
		Event end = after(nanos, null, () -> this.stopped = true);
		this.stopped = false;
		Replaced.activate(this);
		SimulatedThread next = next();
		if (next != null) {
			next.giveTurn();
			this.driver.acquireUninterruptibly();
		}
		Replaced.activate(null);
		end.cancel();
		this.stopped = true;
		Throwable failure = this.failure;
		if (failure != null) {
			throw new IllegalStateException("The simulation failed after " + this.now + " ns", failure);
		}
	}

	/**
	 * End all threads.
	 */
	@Override
	public void close() {
		this.events.clear();
		this.nodes.forEach(Node::kill);
		this.failure = null;
		this.switchOneOf = 0;
		run(NEVER);
		Monitors.clear();
	}

	void add(Node node) {
		this.nodes.add(node);
	}

	/**
	 * Stop the simulation because of a failure.
	 * @param failure what {@link #run} throws
	 */
	public void fail(Throwable failure) {
		if (this.failure == null) {
			this.failure = failure;
		}
		this.stopped = true;
	}

	/**
	 * Return the node whose code runs.
	 */
	@Nullable Node current() {
		return this.current;
	}

	/**
	 * Return whether an event happens, in whose place no thread can wait.
	 */
	boolean isInEvent() {
		return this.inEvent;
	}

	/**
	 * Return the priority of a thread that begins.
	 */
	double firstPriority() {
		return this.prioritized ? this.random.nextDouble() : 0;
	}

	/**
	 * Let a thread run when it is its turn.
	 */
	void ready(SimulatedThread thread) {
		this.runnable.add(thread);
	}

	/**
	 * Let other threads run until it is the turn of the calling thread, which is ready or
	 * waits.
	 */
	void switchFrom(SimulatedThread self) {
		SimulatedThread next = next();
		if (next != self) {
			wake(next);
			self.awaitTurn();
		}
	}

	/**
	 * Let other threads run, when the calling one ends.
	 */
	void end() {
		wake(next());
	}

	/**
	 * Perhaps let other threads run, although the calling one could go on.
	 */
	void point(SimulatedThread self) {
		if (this.switchOneOf > 0 && !this.stopped && !this.runnable.isEmpty() && isOvertaken(self)) {
			ready(self);
			switchFrom(self);
		}
	}

	private boolean isOvertaken(SimulatedThread self) {
		boolean overtaken = this.random.nextInt(this.switchOneOf) == 0;
		if (this.prioritized && overtaken) {
			self.setPriority(--this.lowestPriority);
		}
		return this.prioritized ? this.runnable.get(indexOfHighest()).priority() > self.priority() : overtaken;
	}

	private int indexOfHighest() {
		int highest = 0;
		for (int i = 1; i < this.runnable.size(); i++) {
			if (this.runnable.get(i).priority() > this.runnable.get(highest).priority()) {
				highest = i;
			}
		}
		return highest;
	}

	private void wake(@Nullable SimulatedThread next) {
		if (next != null) {
			next.giveTurn();
		}
		else {
			this.driver.release();
		}
	}

	private @Nullable SimulatedThread next() {
		while (!this.stopped) {
			this.steps++;
			SimulatedThread chosen = choose();
			if (this.steps - this.stepsBefore > MOST_STEPS_AT_ONE_TIME) {
				fail(new IllegalStateException("Threads wait busily, such as " + chosen));
				break;
			}
			if (chosen != null) {
				this.current = chosen.node();
				return chosen;
			}
			Event event = this.events.poll();
			if (event == null || event.at == NEVER) {
				break;
			}
			happen(event);
		}
		this.current = null;
		return null;
	}

	private @Nullable SimulatedThread choose() {
		int size = this.runnable.size();
		if (size == 0) {
			return null;
		}
		int index = this.prioritized ? indexOfHighest() : (size == 1) ? 0 : this.random.nextInt(size);
		SimulatedThread last = this.runnable.remove(size - 1);
		return (index == size - 1) ? last : this.runnable.set(index, last);
	}

	private void happen(Event event) {
		if (event.at > this.now) {
			this.now = event.at;
			this.stepsBefore = this.steps;
		}
		Runnable action = event.action;
		if (action != null) {
			this.current = event.node;
			this.inEvent = true;
			try {
				action.run();
			}
			catch (Throwable ex) {
				fail(ex);
			}
			finally {
				this.inEvent = false;
			}
		}
	}

	/**
	 * Action that happens at a time. Those of one time happen in a random order.
	 */
	public static final class Event implements Comparable<Event> {

		private final long at;

		private final int tie;

		private final long sequence;

		private final @Nullable Node node;

		private @Nullable Runnable action;

		private Event(long at, int tie, long sequence, @Nullable Node node, Runnable action) {
			this.at = at;
			this.tie = tie;
			this.sequence = sequence;
			this.node = node;
			this.action = action;
		}

		/**
		 * Let the action not happen.
		 */
		public void cancel() {
			this.action = null;
		}

		@Override
		public int compareTo(Event other) {
			int order = Long.compare(this.at, other.at);
			order = (order != 0) ? order : Integer.compare(this.tie, other.tie);
			return (order != 0) ? order : Long.compare(this.sequence, other.sequence);
		}

	}

}
