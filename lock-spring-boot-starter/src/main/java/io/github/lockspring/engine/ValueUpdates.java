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

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.Durations;

/**
 * Makes the updates of values.
 * <ol>
 * <li>The updates of a key queue in this process, and one at a time is sent to the store:
 * by one of the threads that wait for theirs.</li>
 * <li>Additions that queue behind each other are sent as one, whose result is divided
 * among them. Those that cannot be applied are not sent again. (Hendler, Incze, Shavit,
 * Tzafrir: Flat Combining and the Synchronization-Parallelism Tradeoff, 2010.)</li>
 * <li>An update whose outcome is unknown is repeated with the same identity, by which the
 * store recognizes it, until the deadline.</li>
 * <li>An update that is still in the queue at its deadline leaves it and fails; nothing
 * was sent then.</li>
 * </ol>
 * Nothing is kept of a key without updates. Thread-safe.
 */
final class ValueUpdates {

	/**
	 * Maximum number of additions sent as one.
	 */
	private static final int MAX_COMBINED = 1000;

	private static final long MIN_PAUSE_NANOS = 1_000_000;

	private static final long MAX_PAUSE_NANOS = 50_000_000;

	private final Store store;

	private final TimeSource time;

	private final long attemptNanos;

	/**
	 * The queues of the keys with updates. Guarded by its monitor.
	 */
	private final Map<String, KeyQueue> queues = new HashMap<>();

	ValueUpdates(EngineContext context) {
		this.store = context.store();
		this.time = context.time();
		this.attemptNanos = context.settings().operationTimeout().toNanos();
	}

	/**
	 * Change a value. Ignores interrupts, as the outcome would be unknown, but preserves
	 * the interrupt status. Takes no longer than the timeouts of three calls to the
	 * store.
	 * @throws BackendException if the store failed
	 */
	ValueUpdateResult update(String key, ValueChange change) {
		StackRoom.requireToUndo();
		Entry entry = new Entry(change, this.time.nanoTime() + this.attemptNanos);
		KeyQueue queue = enter(key, entry);
		boolean interrupted = Thread.interrupted();
		try {
			while (!entry.isDone()) {
				if (isLate(entry) && queue.cancel(entry)) {
					entry.completeExceptionally(new BackendUnavailableException(
							"The store did not respond to the preceding updates in time", null));
				}
				else if (queue.lead()) {
					sendNext(queue);
				}
				else {
					interrupted |= awaitTurn(queue, entry);
				}
			}
			return entry.result();
		}
		finally {
			leave(queue);
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean isLate(Entry entry) {
		return this.time.nanoTime() - entry.deadline >= 0;
	}

	/**
	 * Park until the update was sent by another thread, or is to be sent by this one.
	 * @return whether the thread was interrupted
	 */
	private boolean awaitTurn(KeyQueue queue, Entry entry) {
		long remaining = entry.deadline - this.time.nanoTime();
		this.time.parkNanos(queue, (remaining > 0) ? remaining : this.attemptNanos);
		return Thread.interrupted();
	}

	/**
	 * Return how many keys have updates.
	 */
	int size() {
		synchronized (this.queues) {
			return this.queues.size();
		}
	}

	private KeyQueue enter(String key, Entry entry) {
		synchronized (this.queues) {
			KeyQueue queue = this.queues.computeIfAbsent(key, KeyQueue::new);
			queue.users++;
			queue.add(entry);
			return queue;
		}
	}

	private void leave(KeyQueue queue) {
		synchronized (this.queues) {
			if (--queue.users == 0) {
				this.queues.remove(queue.key);
			}
		}
	}

	/**
	 * Send the next updates of a key, and let another thread send those that follow.
	 */
	private void sendNext(KeyQueue queue) {
		List<Entry> batch = List.of();
		try {
			batch = queue.next();
			if (!batch.isEmpty()) {
				send(queue.key, batch);
			}
		}
		catch (Throwable ex) {
			batch.forEach((entry) -> entry.completeExceptionally(ex));
		}
		finally {
			queue.endLead();
		}
	}

	/**
	 * Send updates as one. If they cannot all be applied, the answer shows which of them
	 * can: these are sent as one, and the others need not be sent.
	 */
	private void send(String key, List<Entry> batch) {
		List<Entry> rest = batch;
		List<Entry> next = batch;
		long deadline = this.time.nanoTime() + 2 * this.attemptNanos;
		while (!rest.isEmpty()) {
			ValueUpdateResult result = send(key, combined(next), deadline);
			boolean decided = result.applied() || next.size() == 1;
			if (decided) {
				divide(result, next);
				rest = rest.stream().filter((entry) -> !entry.isDone()).toList();
			}
			next = applicable(rest, result.after());
			if (next.isEmpty()) {
				rest.forEach((entry) -> entry.complete(new ValueUpdateResult(result.after(), result.after())));
				return;
			}
		}
	}

	private static ValueChange combined(List<Entry> batch) {
		ValueChange first = batch.get(0).change;
		if (batch.size() == 1) {
			return first;
		}
		long sum = batch.stream().mapToLong((entry) -> ((ValueChange.Add) entry.change).delta()).sum();
		ValueChange.Add add = (ValueChange.Add) first;
		return new ValueChange.Add(sum, add.min(), add.minKept());
	}

	/**
	 * Find the updates that can be applied to a value, one after the other.
	 */
	private static List<Entry> applicable(List<Entry> entries, Value present) {
		List<Entry> applicable = new ArrayList<>();
		Value value = present;
		for (Entry entry : entries) {
			if (entry.change.appliesTo(value)) {
				applicable.add(entry);
				value = entry.change.valueAfter(value, value.version());
			}
		}
		return applicable;
	}

	private static void divide(ValueUpdateResult result, List<Entry> batch) {
		if (batch.size() == 1) {
			batch.get(0).complete(result);
			return;
		}
		Value before = result.before();
		// the values in between were never stored
		long version = Math.max(before.version() + 1, result.after().version());
		for (Entry entry : batch) {
			Value after = entry.change.valueAfter(before, version);
			entry.complete(new ValueUpdateResult(before, after));
			before = new Value(after.number(), before.version());
		}
	}

	/**
	 * Send an update, and repeat it as long as its outcome is unknown, or the store is
	 * away.
	 */
	private ValueUpdateResult send(String key, ValueChange change, long deadline) {
		ValueUpdate update = this.store.newUpdate(key, change);
		long pause = MIN_PAUSE_NANOS;
		while (true) {
			try {
				long remaining = deadline - this.time.nanoTime();
				if (remaining <= 0) {
					throw new BackendUnavailableException("The store did not respond in time", null);
				}
				ValueUpdateResult result = this.store.update(update,
						Duration.ofNanos(Math.min(remaining, this.attemptNanos)));
				return requireFinal(update, result);
			}
			catch (BackendException ex) {
				update = (ex instanceof OutcomeUnknownException) ? update.again() : update;
				if (this.time.nanoTime() + pause + MIN_PAUSE_NANOS - deadline > 0) {
					throw update.repeated() ? new OutcomeUnknownException(String.valueOf(ex.getMessage()), ex) : ex;
				}
			}
			pause(pause);
			pause = Math.min(2 * pause, MAX_PAUSE_NANOS);
		}
	}

	/**
	 * Reject the answer that a repeated update was not applied: an earlier attempt that
	 * is still on its way may be, once its condition is met. A version that has passed is
	 * never met again, but a value may be absent again.
	 */
	private static ValueUpdateResult requireFinal(ValueUpdate update, ValueUpdateResult result) {
		boolean versioned = (update.change() instanceof ValueChange.Set set
				&& set.expectedVersion() > Value.ABSENT.version())
				|| (update.change() instanceof ValueChange.Delete delete
						&& delete.expectedVersion() != ValueChange.ANY_VERSION);
		if (update.repeated() && !result.applied() && !versioned) {
			throw new OutcomeUnknownException("An earlier attempt may still take effect", null);
		}
		return result;
	}

	private void pause(long nanos) {
		boolean interrupted = Thread.interrupted();
		this.time.parkNanos(this, Durations.jitter(nanos));
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * The updates of one key.
	 */
	private static final class KeyQueue {

		private final String key;

		/**
		 * Threads that have an update of this key. Guarded by the monitor of all queues.
		 */
		private int users;

		/**
		 * Updates that were not sent yet. Guarded by the monitor of this queue.
		 */
		private final Deque<Entry> entries = new ArrayDeque<>();

		private boolean led;

		KeyQueue(String key) {
			this.key = key;
		}

		synchronized void add(Entry entry) {
			this.entries.add(entry);
		}

		/**
		 * Become the thread that sends, if there is none.
		 */
		synchronized boolean lead() {
			boolean free = !this.led;
			this.led = true;
			return free;
		}

		synchronized void endLead() {
			this.led = false;
			wakeNext();
		}

		/**
		 * Remove an update, unless it was sent.
		 */
		synchronized boolean cancel(Entry entry) {
			boolean removed = this.entries.remove(entry);
			if (!this.led) {
				wakeNext();
			}
			return removed;
		}

		private void wakeNext() {
			Entry next = this.entries.peek();
			if (next != null) {
				LockSupport.unpark(next.thread);
			}
		}

		/**
		 * Remove the next update, and the additions behind it that can be combined with
		 * it: with the same sign, so that no intermediate sum is out of range.
		 */
		synchronized List<Entry> next() {
			List<Entry> batch = new ArrayList<>();
			long sum = 0;
			for (Entry entry : this.entries) {
				if (batch.size() == MAX_COMBINED || !(batch.isEmpty() || isCombinable(batch.get(0), entry, sum))) {
					break;
				}
				batch.add(entry);
				sum += (entry.change instanceof ValueChange.Add add) ? add.delta() : 0;
			}
			batch.forEach((entry) -> this.entries.remove());
			return batch;
		}

		private static boolean isCombinable(Entry first, Entry next, long sum) {
			return first.change instanceof ValueChange.Add one && next.change instanceof ValueChange.Add other
					&& one.min() == other.min() && one.minKept() == other.minKept()
					&& Long.signum(one.delta()) * Long.signum(other.delta()) == 1
					&& Long.signum(sum + other.delta()) == Long.signum(sum);
		}

	}

	/**
	 * An update, and the thread that waits for it.
	 */
	private static final class Entry extends CompletableFuture<ValueUpdateResult> {

		private final ValueChange change;

		private final long deadline;

		private final Thread thread = Thread.currentThread();

		Entry(ValueChange change, long deadline) {
			this.change = change;
			this.deadline = deadline;
		}

		@Override
		public boolean complete(ValueUpdateResult result) {
			return wakeUp(super.complete(result));
		}

		@Override
		public boolean completeExceptionally(Throwable failure) {
			return wakeUp(super.completeExceptionally(failure));
		}

		private boolean wakeUp(boolean completed) {
			if (completed && this.thread != Thread.currentThread()) {
				LockSupport.unpark(this.thread);
			}
			return completed;
		}

		ValueUpdateResult result() {
			try {
				return join();
			}
			catch (CompletionException ex) {
				if (ex.getCause() instanceof BackendException failure) {
					throw failure;
				}
				throw new OutcomeUnknownException("The update failed: " + ex.getCause(), ex.getCause());
			}
		}

	}

}
