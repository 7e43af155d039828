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

package io.github.lockspring.redis;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

import io.github.lockspring.support.Deadline;

/**
 * Threads that wait for replies on one connection. One of them at a time, the leader,
 * reads the replies of all until it has its own; then a follower takes over.
 */
final class LeaderFollowers {

	private final LongPredicate reader;

	private final AtomicBoolean led = new AtomicBoolean();

	private final Queue<Thread> followers = new ConcurrentLinkedQueue<>();

	/**
	 * Create an instance without threads.
	 * @param reader reads one reply before a deadline, and completes its future; returns
	 * {@code false} if there was none
	 */
	LeaderFollowers(LongPredicate reader) {
		this.reader = reader;
	}

	/**
	 * Read, or wait for the thread that reads, until a reply is completed. Ends earlier
	 * at the deadline, if nothing can be read, or if the thread is interrupted while it
	 * waits.
	 */
	void await(CompletableFuture<?> reply, long deadline) {
		if (!lead(reply, deadline)) {
			follow(reply, deadline);
		}
	}

	/**
	 * Read until a reply is completed, unless another thread reads.
	 */
	private boolean lead(CompletableFuture<?> reply, long deadline) {
		if (!this.led.compareAndSet(false, true)) {
			return false;
		}
		try {
			while (!reply.isDone() && this.reader.test(deadline)) {
				// the next one
			}
		}
		finally {
			this.led.set(false);
			LockSupport.unpark(this.followers.peek());
		}
		return true;
	}

	private void follow(CompletableFuture<?> reply, long deadline) {
		Thread thread = Thread.currentThread();
		this.followers.add(thread);
		reply.whenComplete((result, failure) -> LockSupport.unpark(thread));
		while (!reply.isDone() && !Deadline.isOver(deadline) && !thread.isInterrupted() && !lead(reply, deadline)) {
			LockSupport.parkNanos(this, Deadline.remainingNanos(deadline));
		}
		this.followers.remove(thread);
		if (!this.led.get()) {
			// this thread may have been woken to lead
			LockSupport.unpark(this.followers.peek());
		}
	}

}
