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

package io.github.lockspring.engine;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;

/**
 * Calls that are made for items when they are due, such as calls to the store.
 * <ol>
 * <li>Each item is due at a time. When the first one is, a single call is made for it and
 * those that are due soon and fit into the call, so that they are due together from then
 * on. One call at a time is made, in a separate thread.</li>
 * <li>A call that succeeds is the last one for its items, except for those that were
 * scheduled or repeated meanwhile. The next call may be made for twice as many.</li>
 * <li>A call that fails is repeated after a delay for half as many: it may have been too
 * large, or one of the items may be the cause. A call that could not be started is
 * undone, and repeated as well.</li>
 * <li>While a call exceeds its timeout, its items and those that are due are removed, and
 * reported as late.</li>
 * </ol>
 * No item is forgotten, and none is part of two calls at a time. An item belongs to one
 * instance of this class. Thread-safe.
 *
 * @param <T> the type of the items
 */
final class DueCalls<T extends DueCalls.Item> {

	private static final Log logger = LogFactory.getLog(DueCalls.class);

	/**
	 * Maximum number of items of a call. The others follow immediately.
	 */
	static final int MAX_BATCH_SIZE = 10_000;

	/**
	 * States of the items of the call in progress. Initializes their class before it is
	 * used by a thread that may have little stack left.
	 */
	private static final Set<State> IN_CALL = EnumSet.of(State.CALLED, State.REPEATED);

	/**
	 * Items that wait until they are due. Its monitor guards the state of this class and
	 * of the items.
	 */
	private final TreeSet<T> waiting = new TreeSet<>();

	private final TimeSource time;

	private final Executor executor;

	private final Work<T> work;

	/**
	 * Requests a run at a time of the monotonic clock, or earlier.
	 */
	private final LongConsumer timer;

	private int sequence;

	/**
	 * Maximum number of items of the next call.
	 */
	private int batchSize = MAX_BATCH_SIZE;

	/**
	 * The call in progress.
	 */
	private @Nullable Call call;

	/**
	 * Create the calls for items that are added later.
	 * @param context the context
	 * @param executor makes the calls
	 * @param work what a call does
	 */
	DueCalls(EngineContext context, Executor executor, Work<T> work) {
		this(context, executor, work, null);
	}

	/**
	 * Create the calls for items that are added later.
	 * @param context the context
	 * @param executor makes the calls
	 * @param work what a call does
	 * @param timer requests a run at a time of the monotonic clock, if that is part of a
	 * larger task
	 */
	DueCalls(EngineContext context, Executor executor, Work<T> work, @Nullable LongConsumer timer) {
		this.time = context.time();
		this.executor = executor;
		this.work = work;
		this.timer = (timer != null) ? timer : context.task(this::run)::wakeUpAt;
	}

	/**
	 * Make a call for an item at a time of the monotonic clock, or earlier if that is
	 * requested already. If it is part of the call in progress, another call follows.
	 */
	void schedule(T item, long nanoTime) {
		add(item, nanoTime);
		this.timer.accept(nanoTime);
	}

	/**
	 * Make a call for the items that are due, unless one is in progress, after which
	 * another one follows. Does not wait for the timer. Must not be called with a
	 * monitor, because the executor may make the call in this thread.
	 */
	void runNow() {
		try {
			run();
		}
		catch (Throwable ex) {
			logger.error("Could not start a call of the lock maintenance; it will be retried", ex);
		}
	}

	/**
	 * Let a call be made for an item at a time, or earlier if that is requested already,
	 * by the next {@linkplain #runNow run}.
	 */
	void add(T item, long nanoTime) {
		synchronized (this.waiting) {
			if (item.state == State.ABSENT) {
				await(item, nanoTime);
			}
			else if (item.state == State.CALLED) {
				markRepeated(item, nanoTime);
			}
			else {
				setEarlier(item, nanoTime);
			}
		}
	}

	/**
	 * Make another call for an item of the call in progress, unless the item was removed
	 * meanwhile.
	 */
	void repeat(T item, long nanoTime) {
		synchronized (this.waiting) {
			if (item.state == State.CALLED) {
				markRepeated(item, nanoTime);
			}
		}
	}

	/**
	 * Make no other call for an item.
	 */
	void remove(T item) {
		synchronized (this.waiting) {
			this.waiting.remove(item);
			item.state = State.ABSENT;
		}
	}

	/**
	 * Make no other call for the items that wait.
	 * @return the items
	 */
	List<T> removeWaiting() {
		synchronized (this.waiting) {
			List<T> items = List.copyOf(this.waiting);
			items.forEach(this::remove);
			return items;
		}
	}

	/**
	 * Return the first of the items that wait, if any.
	 */
	@Nullable T first() {
		synchronized (this.waiting) {
			return this.waiting.isEmpty() ? null : this.waiting.first();
		}
	}

	/**
	 * Return the number of items that wait.
	 */
	int size() {
		synchronized (this.waiting) {
			return this.waiting.size();
		}
	}

	/**
	 * Return whether a call is in progress.
	 */
	boolean isCalling() {
		synchronized (this.waiting) {
			return this.call != null;
		}
	}

	private void await(T item, long nanoTime) {
		item.number = (item.number != 0) ? item.number : ++this.sequence;
		item.dueNanos = nanoTime;
		this.waiting.add(item);
		item.state = State.WAITING;
	}

	private static void markRepeated(Item item, long nanoTime) {
		item.dueNanos = nanoTime;
		item.state = State.REPEATED;
	}

	private void setEarlier(T item, long nanoTime) {
		if (nanoTime - item.dueNanos < 0) {
			boolean waits = this.waiting.remove(item);
			item.dueNanos = nanoTime;
			if (waits) {
				this.waiting.add(item);
			}
		}
	}

	/**
	 * Task: start a call, if one is due and none is in progress.
	 */
	void run() {
		List<T> late;
		Call next;
		synchronized (this.waiting) {
			endAgain();
			long now = this.time.nanoTime();
			late = takeLate(now);
			next = takeNext(now);
			requestRun(now);
		}
		if (!late.isEmpty()) {
			this.work.onLate(late);
		}
		if (next != null) {
			start(next);
		}
	}

	/**
	 * End the call in progress if it is over, and to end it has failed before.
	 */
	private void endAgain() {
		Call call = this.call;
		if (call != null && call.over) {
			end(call);
		}
	}

	private @Nullable Call takeNext(long now) {
		if (this.call != null || this.waiting.isEmpty() || this.work.readyAt(this.waiting.first()) - now > 0) {
			return null;
		}
		Call next = new Call(nextBatch(now), now, now + this.work.timeoutNanos());
		for (T item : next.items) {
			this.waiting.remove(item);
			item.state = State.CALLED;
		}
		this.call = next;
		return next;
	}

	/**
	 * Find the items of one call, the most urgent ones. They are not removed, so that
	 * none is forgotten if no call can be made.
	 */
	private List<T> nextBatch(long now) {
		List<T> batch = new ArrayList<>();
		int size = 0;
		for (T item : this.waiting) {
			int limit = this.work.limit(item, this.batchSize);
			if (item.dueNanos - now > this.work.soonNanos(item) || (size >= limit && !batch.isEmpty())) {
				break;
			}
			if (batch.isEmpty() || size + item.size() <= limit) {
				batch.add(item);
				size += item.size();
			}
		}
		return batch;
	}

	private List<T> takeLate(long now) {
		Call call = this.call;
		if (call == null || call.endNanos - now > 0) {
			return List.of();
		}
		List<T> late = new ArrayList<>();
		this.waiting.stream().takeWhile((item) -> item.dueNanos - now <= 0).forEach(late::add);
		call.items.stream().filter((item) -> IN_CALL.contains(item.state)).forEach(late::add);
		late.forEach(this::remove);
		return late;
	}

	private void requestRun(long now) {
		Call call = this.call;
		if (call != null && call.endNanos - now > 0) {
			this.timer.accept(call.endNanos);
		}
		else if (!this.waiting.isEmpty()) {
			this.timer.accept(this.work.readyAt(this.waiting.first()));
		}
	}

	private void start(Call next) {
		try {
			this.executor.execute(next);
		}
		catch (Throwable ex) {
			end(next);
			throw ex; // logged by the timer
		}
	}

	private void end(Call ended) {
		synchronized (this.waiting) {
			if (this.call != ended) {
				return;
			}
			if (!ended.over) {
				ended.over = true;
				this.timer.accept(ended.startNanos);
			}
			long retryNanos = this.time.nanoTime() + this.work.pauseAfterFailure();
			for (T item : ended.items) {
				if (item.state == State.REPEATED) {
					await(item, item.dueNanos);
				}
				else if (item.state == State.CALLED && ended.failed) {
					await(item, retryNanos);
				}
				else if (item.state == State.CALLED) {
					item.state = State.ABSENT;
				}
			}
			if (ended.made) {
				this.batchSize = this.work.nextBatchSize(ended.failed, this.batchSize, ended.items.size());
			}
			this.call = null;
		}
	}

	/**
	 * A call for several items.
	 */
	private final class Call implements Runnable {

		private final List<T> items;

		private final long startNanos;

		/**
		 * Time after which it is no longer waited for.
		 */
		private final long endNanos;

		private boolean made;

		private boolean failed = true;

		private boolean over;

		Call(List<T> items, long startNanos, long endNanos) {
			this.items = items;
			this.startNanos = startNanos;
			this.endNanos = endNanos;
		}

		@Override
		public void run() {
			this.made = true;
			try {
				DueCalls.this.work.call(this.items);
				this.failed = false;
			}
			catch (BackendException ex) {
				logger.debug("A call to the store failed; it will be retried: " + ex.getMessage());
			}
			catch (Throwable ex) {
				logger.error("A call of the lock maintenance failed; it will be retried", ex);
			}
			finally {
				end(this);
			}
		}

	}

	/**
	 * What is called for the items, and when.
	 *
	 * @param <T> the type of the items
	 */
	interface Work<T extends Item> {

		/**
		 * Make a call for items that are due, or due soon.
		 * @throws BackendException if the store failed
		 */
		void call(List<T> items);

		/**
		 * Called by the timer for items of which there is no call until they are
		 * scheduled again, because a call hangs. Returns immediately.
		 */
		default void onLate(List<T> items) {
		}

		/**
		 * Return the time at which a call may be made for the first item.
		 */
		default long readyAt(T first) {
			return first.dueNanos();
		}

		/**
		 * Return how long before it is due an item is called together with others.
		 */
		default long soonNanos(T item) {
			return 0;
		}

		/**
		 * Return the maximum size of a call with an item that is not the first one.
		 */
		default int limit(T item, int batchSize) {
			return batchSize;
		}

		/**
		 * Return the time after which a call hangs.
		 */
		default long timeoutNanos() {
			return Durations.MAX_NANOS;
		}

		/**
		 * Return the time after which a failed call is repeated.
		 */
		long pauseAfterFailure();

		/**
		 * Return the maximum number of items of the next call.
		 * @param failed whether the last call failed
		 * @param batchSize the maximum of the last call
		 * @param called the number of its items
		 */
		default int nextBatchSize(boolean failed, int batchSize, int called) {
			return failed ? Math.max(1, called / 2) : Math.min(2 * batchSize, MAX_BATCH_SIZE);
		}

	}

	/**
	 * Item for which calls are made.
	 */
	abstract static class Item implements Comparable<Item> {

		/**
		 * Order of the items that are due at the same time. All fields are guarded by the
		 * monitor of the calls.
		 */
		int number;

		long dueNanos;

		State state = State.ABSENT;

		/**
		 * Return the time at which the item is due. Does not change while a call is made
		 * for it, unless another one is requested.
		 */
		final long dueNanos() {
			return this.dueNanos;
		}

		/**
		 * Return what the item contributes to the size of a call.
		 */
		int size() {
			return 1;
		}

		/**
		 * Return the rank of an item, which is called after those of lower rank. Changes
		 * only while a call is made for it.
		 */
		int rank() {
			return 0;
		}

		@Override
		public final int compareTo(Item other) {
			if (rank() != other.rank()) {
				return Integer.compare(rank(), other.rank());
			}
			return (this.dueNanos != other.dueNanos) ? Long.signum(this.dueNanos - other.dueNanos)
					: Integer.compare(this.number, other.number);
		}

	}

	enum State {

		/**
		 * No call is made.
		 */
		ABSENT,

		/**
		 * A call is made when it is due.
		 */
		WAITING,

		/**
		 * It is part of the call in progress.
		 */
		CALLED,

		/**
		 * It is part of the call in progress, and of another one when it is due.
		 */
		REPEATED

	}

}
