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

import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.machine.Scheduler.Event;

/**
 * Thread of a node. It runs only while it is its turn.
 */
final class SimulatedThread extends Thread {

	/**
	 * Stack of threads that wait most of the time.
	 */
	private static final long STACK_SIZE = 512 * 1024;

	private static final String MACHINE = SimulatedThread.class.getPackageName() + '.';

	private static final String LOCKS = "io.github.lockspring.";

	private final Semaphore turn = new Semaphore(0);

	private final Node node;

	private final Scheduler scheduler;

	private final Runnable task;

	private double priority;

	private boolean permit;

	private boolean waiting;

	private boolean begun;

	private boolean killed;

	private boolean ended;

	private int initializers;

	private @Nullable Event timeout;

	SimulatedThread(Node node, String name, Runnable task) {
		super(null, null, name, STACK_SIZE, false);
		setDaemon(true);
		this.node = node;
		this.scheduler = node.scheduler();
		this.task = task;
	}

	Node node() {
		return this.node;
	}

	double priority() {
		return this.priority;
	}

	void setPriority(double priority) {
		this.priority = priority;
	}

	/**
	 * Describe where this thread is, by the calls that lead there.
	 */
	String describe() {
		return Arrays.stream(getStackTrace())
			.filter((call) -> call.getClassName().startsWith(LOCKS) && !call.getClassName().startsWith(MACHINE))
			.map((call) -> "\n\tat " + call)
			.collect(Collectors.joining("", getName() + (this.waiting ? " waits" : " runs"), "\n"));
	}

	/**
	 * Start the thread, which runs when it is its turn.
	 */
	void begin() {
		this.begun = true;
		this.priority = this.scheduler.firstPriority();
		this.node.add(this);
		start();
		this.node.ready(this);
	}

	boolean isBegun() {
		return this.begun;
	}

	boolean isEnded() {
		return this.ended;
	}

	@Override
	public void run() {
		awaitTurn();
		try {
			checkAlive();
			this.task.run();
		}
		catch (NodeKilled ex) {
			// as if it had never been
		}
		catch (Throwable ex) {
			this.scheduler.fail(ex);
		}
		this.ended = true;
		this.node.remove(this);
		Monitors.notifyAll(this.scheduler, this);
		this.scheduler.end();
	}

	void giveTurn() {
		this.turn.release();
	}

	void awaitTurn() {
		this.turn.acquireUninterruptibly();
	}

	/**
	 * Wait for {@link #unpark()}, an interrupt, or the end of a time by the clock of the
	 * node.
	 */
	void park(long nanos) {
		checkAlive();
		if (!this.permit && !isInterrupted() && nanos > 0) {
			await(nanos);
		}
		this.permit = false;
		checkAlive();
	}

	private void await(long nanos) {
		this.waiting = true;
		if (nanos < Scheduler.NEVER) {
			this.timeout = this.scheduler.after(this.node.toVirtual(nanos), this.node, this::wakeUp);
		}
		this.scheduler.switchFrom(this);
	}

	/**
	 * Wait until the thread is woken up, also while it is interrupted.
	 */
	void block(long nanos) {
		checkAlive();
		await(nanos);
		checkAlive();
	}

	/**
	 * Let the thread go on that waits, or will wait.
	 */
	void unpark() {
		this.permit = true;
		wakeUp();
	}

	void wakeUp() {
		if (this.waiting) {
			this.waiting = false;
			Event timeout = this.timeout;
			if (timeout != null) {
				timeout.cancel();
				this.timeout = null;
			}
			this.node.ready(this);
		}
	}

	void kill() {
		this.killed = true;
		wakeUp();
	}

	/**
	 * Let another thread run, perhaps.
	 */
	void point() {
		checkAlive();
		if (this.initializers == 0) {
			this.scheduler.point(this);
			checkAlive();
		}
	}

	/**
	 * Begin or end a static initializer, which runs once in a JVM and so must not take
	 * part in decisions.
	 */
	void setInitializing(int change) {
		this.initializers += change;
	}

	void checkAlive() {
		if (this.killed) {
			throw new NodeKilled();
		}
	}

	/**
	 * Thrown in the threads of a node that was killed, from everything that it calls.
	 */
	@SuppressWarnings("serial")
	private static final class NodeKilled extends Error {

		NodeKilled() {
			super("The node was killed", null, false, false);
		}

	}

}
