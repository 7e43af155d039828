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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.TimerThread;

/**
 * Calls that are made for items when they are due, such as calls to the store.
 * <ol>
 * <li>Each item is due at a time. When the first one is, a single call is made for it and
 * those that are due soon, so that they are due together from then on. One call at a time
 * is made, in a separate thread.</li>
 * <li>A call that succeeds is the last one for its items, except for those that were
 * scheduled or repeated meanwhile. The next call may be made for twice as many.</li>
 * <li>A call that fails is repeated after a delay for half as many: it may have been too
 * large, or one of the items may be the cause. A call that could not be started is
 * undone, and repeated as well.</li>
 * <li>While a call exceeds its timeout, its items and those that are due are removed, and
 * reported as late.</li>
 * </ol>
 * No item is forgotten, and none is part of two calls at a time. Thread-safe.
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

	private final TimerThread.Task task;

	private long sequence;

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
		this.time = context.time();
		this.executor = executor;
		this.work = work;
		this.task = context.task(this::run);
	}

	/**
	 * Make a call for an item at a time of the monotonic clock, or earlier if that is
	 * requested already. If it is part of the call in progress, another call follows.
	 */
	void schedule(T item, long nanoTime) {
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
		this.task.wakeUpAt(nanoTime);
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
			long now = this.time.nanoTime();
			late = takeLate(now);
			next = takeNext(now);
			requestRun();
		}
		if (!late.isEmpty()) {
			this.work.onLate(late);
		}
		if (next != null) {
			start(next);
		}
	}

	private @Nullable Call takeNext(long now) {
		if (this.call != null || this.waiting.isEmpty() || this.waiting.first().dueNanos - now > 0) {
			return null;
		}
		Call next = new Call(dueUntil(now + this.work.soonNanos()), now + this.work.timeoutNanos());
		for (T item : next.items) {
			this.waiting.remove(item);
			item.state = State.CALLED;
		}
		this.call = next;
		return next;
	}

	/**
	 * Find the items that are due at a time, the most urgent ones of one call at most.
	 * They are not removed, so that none is forgotten if no call can be made.
	 */
	private List<T> dueUntil(long nanoTime) {
		List<T> due = new ArrayList<>();
		for (T item : this.waiting) {
			if (item.dueNanos - nanoTime > 0 || due.size() == this.batchSize) {
				break;
			}
			due.add(item);
		}
		return due;
	}

	private List<T> takeLate(long now) {
		Call call = this.call;
		if (call == null || call.endNanos - now > 0) {
			return List.of();
		}
		List<T> late = dueUntil(now);
		call.items.stream().filter((item) -> IN_CALL.contains(item.state)).forEach(late::add);
		late.forEach(this::remove);
		return late;
	}

	private void requestRun() {
		Call call = this.call;
		if (call != null && call.endNanos - this.time.nanoTime() > 0) {
			this.task.wakeUpAt(call.endNanos);
		}
		else if (!this.waiting.isEmpty()) {
			this.task.wakeUpAt(this.waiting.first().dueNanos);
		}
	}

	private void start(Call next) {
		try {
			this.executor.execute(next);
		}
		catch (Throwable ex) {
			end(next, true, this.batchSize);
			throw ex; // logged by the timer
		}
	}

	private void end(Call ended, boolean failed, int nextBatchSize) {
		synchronized (this.waiting) {
			long retryNanos = this.time.nanoTime() + this.work.pauseAfterFailure();
			for (T item : ended.items) {
				if (item.state == State.REPEATED) {
					await(item, item.dueNanos);
				}
				else if (item.state == State.CALLED && failed) {
					await(item, retryNanos);
				}
				else if (item.state == State.CALLED) {
					item.state = State.ABSENT;
				}
			}
			this.batchSize = nextBatchSize;
			this.call = null;
		}
		this.task.wakeUpAt(this.time.nanoTime());
	}

	/**
	 * A call for several items.
	 */
	private final class Call implements Runnable {

		private final List<T> items;

		/**
		 * Time after which it is no longer waited for.
		 */
		private final long endNanos;

		Call(List<T> items, long endNanos) {
			this.items = items;
			this.endNanos = endNanos;
		}

		@Override
		public void run() {
			boolean failed = true;
			try {
				DueCalls.this.work.call(this.items);
				failed = false;
			}
			catch (BackendException ex) {
				logger.debug("A call to the store failed; it will be retried: " + ex.getMessage());
			}
			catch (Throwable ex) {
				logger.error("A call of the lock maintenance failed; it will be retried", ex);
			}
			finally {
				end(this, failed, failed ? smaller() : larger());
			}
		}

		private int smaller() {
			return Math.max(DueCalls.this.work.minBatchSize(), this.items.size() / 2);
		}

		private int larger() {
			return Math.min(MAX_BATCH_SIZE, 2 * DueCalls.this.batchSize);
		}

	}

	/**
	 * What is called for the items, and when.
	 *
	 * @param <T> the type of the items
	 */
	interface Work<T> {

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
		 * Return how long before it is due an item is called together with others.
		 */
		default long soonNanos() {
			return 0;
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
		 * Return the limit of items per call after repeated failures.
		 */
		default int minBatchSize() {
			return 1;
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
		long number;

		long dueNanos;

		State state = State.ABSENT;

		/**
		 * Return the time at which the item is due. Does not change while a call is made
		 * for it, unless another one is requested.
		 */
		final long dueNanos() {
			return this.dueNanos;
		}

		@Override
		public final int compareTo(Item other) {
			return (this.dueNanos != other.dueNanos) ? Long.signum(this.dueNanos - other.dueNanos)
					: Long.compare(this.number, other.number);
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
