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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.DaemonThreads;

/**
 * Calls to one node, in separate threads, so that a slow one does not block calls to the
 * others. Its identity is verified before the first of them.
 */
final class NodeCalls {

	private static final Log logger = LogFactory.getLog(NodeCalls.class);

	private static final int THREADS = 32;

	private static final int WAITING_CALLS = 1000;

	private static final int RETRIES = 1000;

	private final String name;

	private final LockBackend backend;

	private final Function<Duration, List<String>> infos;

	private final ThreadPoolExecutor executor;

	private final Semaphore retries = new Semaphore(RETRIES);

	private volatile @Nullable NodeIdentities identities;

	private volatile boolean identified;

	NodeCalls(String name, LockBackend backend, Function<Duration, List<String>> infos) {
		this.name = name;
		this.backend = backend;
		this.infos = infos;
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, 30, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(WAITING_CALLS), DaemonThreads.named("lock-redlock-" + name + "-"));
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * Connect to the server.
	 * @param identities the known servers of all nodes
	 */
	CompletableFuture<Void> start(NodeIdentities identities) {
		this.identities = identities;
		// no request waits, and a loss, which is one vote less, is detected by the next
		// renewal
		return CompletableFuture.runAsync(() -> this.backend.start(BackendListener.NONE), this.executor);
	}

	/**
	 * Make a call in another thread.
	 * @param <T> the type of answer
	 * @param deadline the deadline of the answer; a call that has not begun by then is
	 * not made
	 * @param call the call
	 * @return the answer; the future never fails
	 */
	<T> CompletableFuture<NodeAnswer<T>> callAsync(long deadline, Call<T> call) {
		CompletableFuture<NodeAnswer<T>> answer = new CompletableFuture<>();
		try {
			this.executor.execute(() -> answer.complete(call(deadline, call)));
		}
		catch (RejectedExecutionException ex) {
			answer.complete(failed(new BackendUnavailableException("too many calls are queued for it", ex)));
		}
		catch (Throwable ex) {
			answer.complete(failed(new OutcomeUnknownException("no thread could be started for it: " + ex, ex)));
		}
		return answer;
	}

	private <T> NodeAnswer<T> call(long deadline, Call<T> call) {
		try {
			identify(deadline);
			return new NodeAnswer<>(this.name, call.run(this.backend, until(deadline)), null);
		}
		catch (BackendException ex) {
			return failed(ex);
		}
		catch (Throwable ex) {
			return failed(new OutcomeUnknownException(String.valueOf(ex), ex));
		}
	}

	<T> NodeAnswer<T> failed(BackendException failure) {
		return new NodeAnswer<>(this.name, null, failure);
	}

	/**
	 * Verify the identity of the server before the first call, so that no server has two
	 * votes.
	 */
	private void identify(long deadline) {
		NodeIdentities identities = this.identities;
		if (!this.identified && identities != null) {
			identities.register(this.name, infos(until(deadline)));
			this.identified = true;
		}
	}

	private List<String> infos(Duration timeout) {
		try {
			return this.infos.apply(timeout);
		}
		catch (BackendException ex) {
			throw new BackendUnavailableException(String.valueOf(ex.getMessage()), ex);
		}
		catch (RuntimeException ex) {
			if (!String.valueOf(ex.getMessage()).contains("NOPERM")) {
				throw new BackendUnavailableException("its identity could not be determined: " + ex.getMessage(), ex);
			}
			logger.warn("The Redlock node '" + this.name + "' does not permit INFO: it could not be verified"
					+ " that it is a separate server");
			return List.of();
		}
	}

	private static Duration until(long deadline) {
		long remaining = deadline - System.nanoTime();
		if (remaining <= 0) {
			throw new BackendUnavailableException("the call was queued for too long", null);
		}
		return Duration.ofNanos(remaining);
	}

	/**
	 * Run an action later, unless too many are waiting already.
	 * @return whether it will be run
	 */
	boolean retry(Runnable action, long pauseNanos) {
		if (this.executor.isShutdown() || !this.retries.tryAcquire()) {
			return false;
		}
		CompletableFuture.delayedExecutor(pauseNanos, TimeUnit.NANOSECONDS, Runnable::run).execute(() -> {
			this.retries.release();
			action.run();
		});
		return true;
	}

	/**
	 * Close the connections after the calls in progress.
	 * @param timeout the maximum time to wait for these calls
	 * @return completed when the connections are closed
	 */
	CompletableFuture<Void> close(Duration timeout) {
		this.executor.shutdown();
		return CompletableFuture.runAsync(() -> {
			DaemonThreads.awaitEnd(this.executor, timeout);
			this.backend.close();
		}, (task) -> DaemonThreads.create("lock-redlock-close", task).start());
	}

	/**
	 * Call to a backend.
	 *
	 * @param <T> the type of answer
	 */
	interface Call<T> {

		T run(LockBackend backend, Duration timeout);

	}

}
