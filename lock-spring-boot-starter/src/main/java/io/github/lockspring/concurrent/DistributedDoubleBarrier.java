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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Barrier at which a number of participants, of all processes, begin a computation
 * together and leave it together: {@link #enter()} returns when all have entered,
 * {@link #leave()} when all have left.
 *
 * <pre class="code">{@code
 * DistributedDoubleBarrier barrier = client.doubleBarrier("computation", 3);
 * barrier.enter();
 * compute();
 * barrier.leave();
 * }</pre>
 * <p>
 * Each object is one participant, which enters and then leaves, again and again if
 * wanted; several participants in one process use one object each. All participants must
 * agree on their number; otherwise entering throws {@link IllegalArgumentException}. More
 * participants than that wait until the others have left.
 * <p>
 * All participants have entered when each of them, after all had joined, has confirmed
 * that it is still there. A participant that was killed before that is not counted as one
 * that entered, although its lease may last for a while; one that ends afterwards has
 * entered, and breaks the barrier for those that leave.
 * <p>
 * A participant holds a lease until it has left. If its process ends, is paused for
 * longer than the lease time or loses the connection for so long, the barrier breaks: the
 * others do not wait for it, but get a {@link BrokenBarrierException}, at the latest a
 * second after its lease has expired. A broken barrier can be entered anew immediately. A
 * participant that stops waiting to enter does not break the barrier, unless all have
 * joined and another one does not confirm within a second (a third of the lease time, if
 * that is shorter) after the time of the waiting one is over.
 * <p>
 * Waiting continues while the store is unavailable, and throws
 * {@link io.github.lockspring.LockUnavailableException} if it still is when the time is
 * over. To enter and to leave need an answer of the store within three operation
 * timeouts. A participant that gets this exception has not entered, or has left: if the
 * store did not learn that, the barrier breaks for the others.
 * <p>
 * The methods that end in {@code Async} do the same without blocking the calling thread,
 * and their futures fail with the same exceptions. Thread-safe, although calls for the
 * same participant should follow each other.
 *
 * @see <a href="https://zookeeper.apache.org/doc/current/recipes.html">Recipes of
 * ZooKeeper</a>
 */
public interface DistributedDoubleBarrier {

	/**
	 * Wait until all participants have entered.
	 * @throws InterruptedException if the thread was interrupted before or while waiting;
	 * it has not entered then
	 * @throws BrokenBarrierException if another participant, or this one, lost its lease
	 * while waiting, or another one did not wait for a participant that does not answer;
	 * this one has not entered then
	 * @throws IllegalStateException if this participant has entered and not left
	 */
	void enter() throws InterruptedException, BrokenBarrierException;

	/**
	 * Wait until all participants have entered.
	 * @param waitTime how long to wait
	 * @param unit the unit of the time
	 * @return {@code true} if all have entered; {@code false} if the time was over, in
	 * which case this participant has not entered. If all have joined when the time is
	 * over, up to a second more is waited for their confirmations
	 * @throws InterruptedException if the thread was interrupted before or while waiting;
	 * it has not entered then
	 * @throws BrokenBarrierException if another participant, or this one, lost its lease
	 * while waiting, or another one did not wait for a participant that does not answer;
	 * this one has not entered then
	 * @throws IllegalStateException if this participant has entered and not left
	 */
	boolean enter(long waitTime, TimeUnit unit) throws InterruptedException, BrokenBarrierException;

	/**
	 * Leave, and wait until all participants have left.
	 * @throws InterruptedException if the thread was interrupted before or while waiting;
	 * it has left nevertheless
	 * @throws BrokenBarrierException if a participant lost its lease before it left
	 * @throws IllegalStateException if this participant has not entered
	 */
	void leave() throws InterruptedException, BrokenBarrierException;

	/**
	 * Leave, and wait until all participants have left.
	 * @param waitTime how long to wait
	 * @param unit the unit of the time
	 * @return {@code true} if all have left; {@code false} if the time was over, in which
	 * case this participant has left nevertheless
	 * @throws InterruptedException if the thread was interrupted before or while waiting;
	 * it has left nevertheless
	 * @throws BrokenBarrierException if a participant lost its lease before it left
	 * @throws IllegalStateException if this participant has not entered
	 */
	boolean leave(long waitTime, TimeUnit unit) throws InterruptedException, BrokenBarrierException;

	/**
	 * Asynchronous form of {@link #enter(long, TimeUnit)}.
	 * @param waitTime how long to wait
	 * @return whether all have entered
	 */
	CompletableFuture<Boolean> enterAsync(Duration waitTime);

	/**
	 * Asynchronous form of {@link #leave(long, TimeUnit)}.
	 * @param waitTime how long to wait
	 * @return whether all have left
	 */
	CompletableFuture<Boolean> leaveAsync(Duration waitTime);

}
