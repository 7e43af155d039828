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

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseWaiter;

/**
 * Election of one leader among all processes that use the same key on the same store. The
 * leader is the holder of a lease, which is renewed until the election is stopped: other
 * candidates wait for it, without a thread, and the next one is elected as soon as the
 * leader stops, or when its lease has expired if it has crashed.
 *
 * <pre class="code">{@code
 * LeaderElection election = client.leaderElection("reports");
 * election.addListener(new Reporting(scheduler)); // a LeadershipListener
 * election.start();
 * }</pre>
 * <p>
 * Leadership ends for this process before the store can elect another: from the moment at
 * which the lease may have expired, {@link #isLeader()} returns {@code false} and the
 * listeners are notified. The same happens while the connection to the store is
 * suspended, so that it is unknown whether the lease still exists; if it turns out that
 * it does, the same term is granted again. After a loss, this process is a candidate
 * again until it is stopped. While the store is unavailable, it remains a candidate, and
 * retries. A process that is paused cannot notice that its lease has expired before it
 * resumes: what must not be done by a former leader has to be protected by the
 * {@linkplain #fencingToken() fencing token}.
 * <p>
 * When the application context is closed, the leadership is released; when it is
 * restarted, an election that has not been stopped continues.
 * <p>
 * Thread-safe.
 */
public interface LeaderElection extends AutoCloseable {

	/**
	 * Return the key as specified by the caller.
	 * @return the key
	 */
	String key();

	/**
	 * Return the key as used in the store: with the prefix and the name, as in log lines
	 * and in {@link io.github.lockspring.event.LeadershipGrantedEvent}.
	 * @return the key
	 */
	String storeKey();

	/**
	 * Become a candidate, without waiting for the leadership. Has no effect if started
	 * already. Can be called again after {@link #stop()}.
	 */
	void start();

	/**
	 * Relinquish the leadership, or stop being a candidate. {@link #isLeader()} returns
	 * {@code false} from the beginning of this call; listeners are notified, and the
	 * lease is released when they have returned, or after a second. Returns when the
	 * lease has been released, ignoring interrupts; if the store is unavailable, the
	 * release is retried in the background without waiting for it. When called by a
	 * listener of this election, it returns immediately. Has no effect if stopped
	 * already.
	 */
	void stop();

	/**
	 * Stop like {@link #stop()}, without waiting.
	 * @return a stage completed when the lease has been released
	 */
	CompletionStage<Void> stopAsync();

	/**
	 * Stop like {@link #stop()}.
	 */
	@Override
	default void close() {
		stop();
	}

	/**
	 * Relinquish the leadership in favor of the next candidate, and be a candidate again
	 * behind those that wait already. Listeners are notified as by {@link #stop()}.
	 * Returns without waiting. Has no effect if this process is not the leader.
	 */
	void relinquish();

	/**
	 * Return whether this was started, and not stopped.
	 * @return whether this process is the leader or a candidate
	 */
	boolean isRunning();

	/**
	 * Return whether this process is the leader. Answered locally, from the clocks and
	 * without a call to the store.
	 * @return {@code false} from the moment at which another process may be elected, and
	 * while the connection to the store is suspended
	 */
	boolean isLeader();

	/**
	 * Return whether this process is the leader. This is the name that Curator uses.
	 * @return the same as {@link #isLeader()}
	 */
	default boolean hasLeadership() {
		return isLeader();
	}

	/**
	 * Return the fencing token of the present term: greater than that of every former
	 * term of any process, and constant until the term ends.
	 * @return the token
	 * @throws IllegalStateException if this process is not the leader
	 * @throws UnsupportedOperationException if the backend does not support fencing
	 * tokens
	 */
	long fencingToken();

	/**
	 * Wait until this process is the leader, for as long as that takes. The leadership
	 * may have ended again when this method returns.
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws IllegalStateException if this is not started, or stopped while waiting
	 * @throws io.github.lockspring.LockShutdownException if the application shuts down
	 */
	void await() throws InterruptedException;

	/**
	 * Wait until this process is the leader, or until the time has elapsed.
	 * @param time the maximum time to wait
	 * @param unit the unit of the time
	 * @return whether this process is the leader; {@code false} if the time has elapsed,
	 * or if this is not started or stopped while waiting
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws io.github.lockspring.LockShutdownException if the application shuts down
	 */
	boolean await(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Wait like {@link #await()}, without blocking a thread.
	 * @return a stage completed when this process is the leader; fails with
	 * {@link IllegalStateException} if this is not started, or stopped before, and with
	 * {@link io.github.lockspring.LockShutdownException} if the application shuts down
	 */
	CompletionStage<Void> awaitAsync();

	/**
	 * Wait until this process is the leader, run code, and relinquish the leadership when
	 * it has ended, normally or with an exception. This remains a candidate.
	 * <p>
	 * If the leadership ends before the code, because the lease was lost, the connection
	 * to the store is suspended, or it was relinquished or stopped by another thread, the
	 * code is interrupted, and should end. After it was relinquished or stopped, no other
	 * process is elected before the code has ended, unless that takes longer than a
	 * second.
	 * @param callback the code
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the code may throw
	 * @return the result of the code
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws E if the code failed
	 * @throws io.github.lockspring.LockLostException if the code ended normally, but the
	 * lease was lost before; if the code failed, this exception is suppressed in its
	 * exception
	 * @throws IllegalStateException if this is not started, or stopped while waiting
	 * @throws io.github.lockspring.LockShutdownException if the application shuts down
	 */
	<T extends @Nullable Object, E extends Throwable> T callAsLeader(LeadershipCallback<T, E> callback)
			throws E, InterruptedException;

	/**
	 * Return the identifier of this process in the store, with which the owners of its
	 * leases begin.
	 * @return the identifier, which is new after each start of the application
	 * @see LeaseHolder#isOf(String)
	 * @see LeaseWaiter#isOf(String)
	 */
	String id();

	/**
	 * Return the leader, in any process, as recorded in the store. For diagnostics: it
	 * may have changed when this returns, and a process that has crashed is the leader
	 * until its lease has expired.
	 * @return the owner that has the lease, or {@code null} if there is no leader
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	@Nullable LeaseHolder leader();

	/**
	 * Return the candidates of all processes that wait for the leadership, as recorded in
	 * the store, in the order in which it elects them. Several candidates of one process
	 * are listed as one. A store without a queue that polls for free keys records none.
	 * @return the candidates without the leader, empty if there are none
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	List<LeaseWaiter> candidates();

	/**
	 * Add a listener. If this process is the leader at present, the listener is notified
	 * of that.
	 * @param listener the listener
	 */
	void addListener(LeadershipListener listener);

	/**
	 * Remove a listener: it receives no changes that occur after this call. Has no effect
	 * if it was not added.
	 * @param listener the listener
	 */
	void removeListener(LeadershipListener listener);

}
