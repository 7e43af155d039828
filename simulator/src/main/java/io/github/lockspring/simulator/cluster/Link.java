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

package io.github.lockspring.simulator.cluster;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.Replaced;
import io.github.lockspring.simulator.machine.Scheduler;

/**
 * Connections of a process to a server. Requests and replies of separate connections
 * overtake each other. They can be delayed and lost.
 */
public final class Link {

	private static final long REFUSED_NANOS = 200_000;

	private static final long USUAL_MIN_NANOS = 100_000;

	private static final long USUAL_MAX_NANOS = 500_000;

	private final Node client;

	private final Server server;

	private final Scheduler scheduler;

	private long minNanos = USUAL_MIN_NANOS;

	private long maxNanos = USUAL_MAX_NANOS;

	private int loseRequestOneOf;

	private int loseReplyOneOf;

	private int resetOneOf;

	private int throwOneOf;

	private long cutFrom = Long.MAX_VALUE;

	/**
	 * Create a link without faults.
	 * @param client the process
	 * @param server the server
	 */
	public Link(Node client, Server server) {
		this.client = client;
		this.server = server;
		this.scheduler = client.scheduler();
	}

	Node client() {
		return this.client;
	}

	public Server server() {
		return this.server;
	}

	/**
	 * Set the time that a request or a reply takes.
	 * @param minNanos the shortest
	 * @param maxNanos the longest
	 */
	public void delay(long minNanos, long maxNanos) {
		this.minNanos = minNanos;
		this.maxNanos = maxNanos;
	}

	/**
	 * Let requests and replies take the usual time.
	 */
	void delayAsUsual() {
		delay(USUAL_MIN_NANOS, USUAL_MAX_NANOS);
	}

	/**
	 * Lose requests and replies at random.
	 * @param requestOneOf one of how many requests, 0 for none
	 * @param replyOneOf one of how many replies, 0 for none
	 */
	public void lose(int requestOneOf, int replyOneOf) {
		this.loseRequestOneOf = requestOneOf;
		this.loseReplyOneOf = replyOneOf;
	}

	/**
	 * Lose connections at random, when a request has been executed.
	 * @param oneOf one of how many requests, 0 for none
	 */
	public void reset(int oneOf) {
		this.resetOneOf = oneOf;
	}

	/**
	 * Let calls throw errors at random.
	 * @param oneOf one of how many moments at which they can, 0 for none
	 */
	public void throwErrors(int oneOf) {
		this.throwOneOf = oneOf;
	}

	/**
	 * Throw an error, or not.
	 */
	void mayThrow() {
		if (this.throwOneOf > 0 && isOneOf(this.throwOneOf)) {
			throw new ClientError();
		}
	}

	/**
	 * Lose everything until it is healed.
	 * @param cut whether to lose it
	 */
	public void cut(boolean cut) {
		this.cutFrom = cut ? 0 : Long.MAX_VALUE;
	}

	/**
	 * Lose everything from a later time on, until it is healed.
	 * @param nanos the time until then
	 */
	void cutAfter(long nanos) {
		this.cutFrom = this.scheduler.now() + nanos;
	}

	/**
	 * Call the server and wait for the reply.
	 * @param <T> the type of the reply
	 * @param action what the server does
	 * @param timeout how long to wait
	 * @return the reply
	 * @throws CallFailedException if there is none
	 */
	public <T> T call(Supplier<T> action, Duration timeout) {
		mayThrow();
		Thread caller = Thread.currentThread();
		long begin = Replaced.nanoTime();
		Call<T> call = begin(action, (ended) -> Replaced.unpark(caller));
		boolean interrupted = false;
		for (long left = timeout.toNanos(); !call.isEnded(); left = timeout.toNanos() - (Replaced.nanoTime() - begin)) {
			if (left <= 0) {
				throw new CallFailedException("no reply within " + timeout, true);
			}
			interrupted |= Thread.interrupted();
			Replaced.parkNanos(this, left);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		mayThrow();
		return call.result();
	}

	/**
	 * Call the server.
	 * @param action what the server does
	 * @param onEnd runs when the reply arrives, and must not wait
	 */
	private <T> Call<T> begin(Supplier<T> action, Consumer<Call<T>> onEnd) {
		Call<T> call = new Call<>(this, new Connection(this.scheduler), onEnd);
		send(call, action);
		return call;
	}

	/**
	 * Send a call to the server.
	 */
	<T> void send(Call<T> call, Supplier<T> action) {
		if (this.server.isStopped() && !isCut()) {
			this.scheduler.after(REFUSED_NANOS, this.client,
					() -> call.end(null, new CallFailedException("connection refused", false)));
		}
		else if (!isLost(this.loseRequestOneOf)) {
			int starts = this.server.starts();
			this.scheduler.after(call.requestDelay(delay()), this.server.node(), () -> arrive(call, action, starts));
		}
	}

	private <T> void arrive(Call<T> call, Supplier<T> action, int starts) {
		if (this.server.starts() == starts) {
			this.server.execute(() -> call.executed(action));
			if (losesConnection()) {
				reset(call);
			}
		}
		else {
			reset(call);
		}
	}

	/**
	 * Let the process see that the connection is lost, before a reply arrives.
	 */
	private void reset(Call<?> call) {
		this.scheduler.after(this.minNanos - 1, this.client,
				() -> call.end(null, new CallFailedException("connection reset", true)));
	}

	/**
	 * Send something to the process.
	 * @param connection the connection
	 * @param arrival what happens there, and must not wait
	 */
	void reply(Connection connection, Runnable arrival) {
		if (!isLost(this.loseReplyOneOf)) {
			this.scheduler.after(connection.replyDelay(delay()), this.client, arrival);
		}
	}

	/**
	 * Return whether to lose the connection, when a request has been executed.
	 */
	boolean losesConnection() {
		return this.resetOneOf > 0 && isOneOf(this.resetOneOf);
	}

	boolean isCut() {
		return this.scheduler.now() >= this.cutFrom;
	}

	/**
	 * Return whether to lose a request, unless the link is cut.
	 */
	boolean losesRequest() {
		return !isCut() && isLost(this.loseRequestOneOf);
	}

	/**
	 * Return whether to lose a reply, unless the link is cut.
	 */
	boolean losesReply() {
		return !isCut() && isLost(this.loseReplyOneOf);
	}

	private boolean isLost(int oneOf) {
		return isCut() || (oneOf > 0 && isOneOf(oneOf));
	}

	private boolean isOneOf(int number) {
		return this.scheduler.random().nextInt(number) == 0;
	}

	long delay() {
		return this.scheduler.random().nextLong(this.minNanos, this.maxNanos + 1);
	}

}
