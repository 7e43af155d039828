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
package io.github.lockspring.jdbc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.jdbc.TimedConnection.State;

/**
 * Idle connections, and calls that wait for one. Calls get connections in the order of
 * their arrival. Urgent calls take precedence, and one connection is reserved for them.
 * Guarded by the pool.
 */
final class ConnectionQueue {

	private final int maxOrdinary;

	private final Deque<TimedConnection> idle = new ArrayDeque<>();

	private final Deque<Waiter> waiters = new ArrayDeque<>();

	private int ordinary;

	/**
	 * Create a queue.
	 * @param maxOrdinary the maximum number of connections that are lent to calls that
	 * are not urgent
	 */
	ConnectionQueue(int maxOrdinary) {
		this.maxOrdinary = maxOrdinary;
	}

	/**
	 * Lend the connection that was used last.
	 * @return the connection, or {@code null} if the call has to {@linkplain #enqueue
	 * wait}
	 */
	@Nullable TimedConnection poll(boolean urgent, long deadline) {
		TimedConnection connection = isAdmitted(urgent) ? this.idle.pollLast() : null;
		if (connection != null) {
			lend(connection, urgent, deadline);
		}
		return connection;
	}

	private boolean isAdmitted(boolean urgent) {
		return urgent || this.ordinary < this.maxOrdinary;
	}

	private void lend(TimedConnection connection, boolean urgent, long deadline) {
		connection.lend(urgent, deadline);
		this.ordinary += urgent ? 0 : 1;
	}

	Waiter enqueue(boolean urgent, long deadline) {
		Waiter waiter = new Waiter(urgent, deadline);
		if (urgent) {
			this.waiters.addFirst(waiter);
		}
		else {
			this.waiters.addLast(waiter);
		}
		serve();
		return waiter;
	}

	void remove(Waiter waiter) {
		this.waiters.remove(waiter);
	}

	/**
	 * Let the waiting calls fail.
	 */
	void fail(Throwable reason) {
		this.waiters.forEach((waiter) -> waiter.completeExceptionally(reason));
		this.waiters.clear();
	}

	/**
	 * Add a connection, which is lent to a waiting call, or idle.
	 */
	void add(TimedConnection connection) {
		connection.moveTo(State.IDLE);
		this.idle.addLast(connection);
		serve();
	}

	/**
	 * Take a connection back from a call. It is not used again unless it is
	 * {@linkplain #add added}.
	 */
	void takeBack(TimedConnection connection) {
		this.ordinary -= connection.isUrgent() ? 0 : 1;
	}

	/**
	 * Hand idle connections to waiting calls.
	 */
	void serve() {
		while (!this.idle.isEmpty() && !this.waiters.isEmpty() && isAdmitted(this.waiters.peek().urgent)) {
			Waiter waiter = this.waiters.remove();
			TimedConnection connection = this.idle.removeLast();
			lend(connection, waiter.urgent, waiter.deadline);
			if (!waiter.complete(connection)) {
				takeBack(connection);
				connection.moveTo(State.IDLE);
				this.idle.addLast(connection);
			}
		}
	}

	/**
	 * Remove idle connections, beginning with those that have not been used for longest.
	 * @param max the maximum number
	 * @param selected which ones to remove
	 */
	List<TimedConnection> removeIdle(int max, Predicate<TimedConnection> selected) {
		List<TimedConnection> removed = new ArrayList<>(
				this.idle.stream().filter(selected).limit(Math.max(0, max)).toList());
		this.idle.removeAll(removed);
		return removed;
	}

	int idle() {
		return this.idle.size();
	}

	boolean isAnyIdle(Predicate<TimedConnection> selected) {
		return this.idle.stream().anyMatch(selected);
	}

	boolean isAnyoneWaiting() {
		return !this.waiters.isEmpty();
	}

	/**
	 * Return the number of waiting calls to which connections would be lent now.
	 */
	int admitted() {
		return (int) this.waiters.stream().filter((waiter) -> isAdmitted(waiter.urgent)).count();
	}

	/**
	 * Call that waits for a connection.
	 */
	static final class Waiter extends CompletableFuture<TimedConnection> {

		private final boolean urgent;

		private final long deadline;

		private Waiter(boolean urgent, long deadline) {
			this.urgent = urgent;
			this.deadline = deadline;
		}

	}

}
