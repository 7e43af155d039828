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
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.TimerThread;

/**
 * Polls the store for all requests that wait for other processes, because notifications
 * may get lost, and some stores send none.
 * <ol>
 * <li>A request denied by the store is registered here with the time at which it is due,
 * and sleeps.</li>
 * <li>When the first is due, a single call polls all that are due soon, so that they are
 * polled together from then on. One call at a time is made, in a separate thread.</li>
 * <li>A single request, on a store without notifications, is retried by itself
 * instead.</li>
 * <li>A request that is still denied continues to sleep. A request that is not part of
 * the answer is woken and retried. If no request is part of the answer, because the store
 * does not support polling, each is retried when it is due.</li>
 * <li>A call that fails counts as a store failure of all requests that it polled, and is
 * repeated after a delay for half as many: it may have been too large. If it fails
 * because of an error in the backend, requests that are due are retried by
 * themselves.</li>
 * <li>While a call exceeds its timeout, requests that are due are retried by
 * themselves.</li>
 * </ol>
 * Thread-safe.
 */
final class Poller {

	private static final Log logger = LogFactory.getLog(Poller.class);

	/**
	 * Maximum delay after a store failure.
	 */
	static final long MAX_PAUSE_AFTER_FAILURE_NANOS = Duration.ofMillis(500).toNanos();

	/**
	 * Maximum number of requests polled in one call. The others follow immediately.
	 */
	private static final int MAX_BATCH_SIZE = 10_000;

	/**
	 * Minimum limit of the requests per call after repeated failures.
	 */
	private static final int MIN_BATCH_SIZE = 2;

	/**
	 * Time by which a call may exceed its timeout.
	 */
	private static final long GRACE_NANOS = Duration.ofMillis(250).toNanos();

	/**
	 * Sleepers that wait for the next call. Its monitor guards the mutable state of this
	 * class, and the leases of the sleepers.
	 */
	private final TreeSet<Sleeper> sleepers = new TreeSet<>();

	private final Store store;

	private final EngineSettings settings;

	private final TimeSource time;

	private final Executor executor;

	private final TimerThread.Task task;

	private final long origin;

	private long sequence;

	/**
	 * Maximum number of requests of the next call.
	 */
	private int batchSize = MAX_BATCH_SIZE;

	/**
	 * Whether there is no sleeper, so that the timed task has nothing to check.
	 */
	private volatile boolean idle = true;

	/**
	 * The call in progress.
	 */
	private @Nullable Call call;

	Poller(EngineContext context) {
		this.store = context.store();
		this.settings = context.settings();
		this.time = context.time();
		this.executor = context.threads().polls();
		this.task = context.task(this::run);
		this.origin = this.time.nanoTime();
	}

	/**
	 * Poll for a sleeping hold, until it is woken.
	 * @param hold the leader of its key
	 * @param denial the last answer of the store
	 * @return the sleeper, to be {@linkplain #remove(Sleeper) removed} when it wakes up
	 */
	Sleeper watch(Hold hold, Denial denial) {
		synchronized (this.sleepers) {
			Sleeper sleeper = new Sleeper(hold, hold.lease(), ++this.sequence);
			add(sleeper, pause(denial));
			return sleeper;
		}
	}

	/**
	 * Stop polling for a hold that is awake, which then owns its lease alone.
	 */
	void remove(Sleeper sleeper) {
		synchronized (this.sleepers) {
			this.sleepers.remove(sleeper);
			sleeper.asleep = false;
		}
	}

	private void add(Sleeper sleeper, long pauseNanos) {
		long now = this.time.nanoTime();
		sleeper.due = now - this.origin + pauseNanos;
		this.sleepers.add(sleeper);
		this.idle = false;
		this.task.wakeUpAt(now + pauseNanos);
	}

	/**
	 * Return the delay after a denial. It ends when the current lease does. On a store
	 * without notifications it is random within its upper half, so that processes do not
	 * poll in lockstep.
	 */
	private long pause(Denial denial) {
		long max = maxPause();
		long pause = this.store.hasNotifications() ? max : Durations.jitter(max);
		return Math.max(Math.min(pause, Durations.nanos(denial.retryAfter())), minPause());
	}

	private long pauseAfterFailure() {
		return Math.max(Durations.jitter(Math.min(maxPause(), MAX_PAUSE_AFTER_FAILURE_NANOS)), minPause());
	}

	private long maxPause() {
		return Durations.nanos(this.store.hasNotifications() ? this.settings.queuePoll() : this.settings.maxPoll());
	}

	private long minPause() {
		return Durations.nanos(this.settings.minPoll());
	}

	/**
	 * Task: start a call in another thread, if one is due and none is in progress.
	 */
	private void run() {
		if (this.idle) {
			return;
		}
		List<Sleeper> woken = new ArrayList<>();
		Call next;
		synchronized (this.sleepers) {
			next = look(this.time.nanoTime(), woken);
			this.idle = this.sleepers.isEmpty() && this.call == null;
		}
		woken.forEach(Sleeper::wakeUp);
		if (next != null) {
			start(next);
		}
	}

	/**
	 * Determine the next call, and schedule the next run.
	 * @param woken filled with the sleepers that must be retried by themselves
	 * @return the call to be made, or {@code null}
	 */
	private @Nullable Call look(long now, List<Sleeper> woken) {
		Call present = this.call;
		if (present == null && isDue(now)) {
			List<Sleeper> due = due(now, maxPause() / 2);
			if (due.size() > (this.store.hasNotifications() ? 0 : 1)) {
				Call next = new Call(due, now);
				due.forEach(this.sleepers::remove);
				this.call = next;
				this.task.wakeUpAt(next.end);
				return next;
			}
			signal(due, woken);
		}
		if (present != null && now - present.end < 0) {
			this.task.wakeUpAt(present.end);
			return null;
		}
		if (present != null) {
			signal(present.sleepers.values(), woken);
			signal(due(now, 0), woken);
		}
		if (!this.sleepers.isEmpty()) {
			this.task.wakeUpAt(this.origin + this.sleepers.first().due);
		}
		return null;
	}

	private boolean isDue(long now) {
		return !this.sleepers.isEmpty() && this.sleepers.first().due - (now - this.origin) <= 0;
	}

	/**
	 * Find the sleepers that are due, and remove those that no longer wait. Due sleepers
	 * are not removed, so that none is lost if the call cannot be started.
	 */
	private List<Sleeper> due(long now, long early) {
		List<Sleeper> due = new ArrayList<>();
		Iterator<Sleeper> all = this.sleepers.iterator();
		while (due.size() < this.batchSize && all.hasNext()) {
			Sleeper sleeper = all.next();
			if (sleeper.due - (now + early - this.origin) > 0) {
				break;
			}
			if (sleeper.hold.isLeader()) {
				due.add(sleeper);
			}
			else {
				all.remove();
			}
		}
		return due;
	}

	private void signal(Collection<Sleeper> due, List<Sleeper> woken) {
		for (Sleeper sleeper : due) {
			woken.add(sleeper);
			this.sleepers.remove(sleeper);
			if (!sleeper.signal()) {
				woken.remove(woken.size() - 1);
			}
		}
	}

	private void start(Call next) {
		try {
			this.executor.execute(next::run);
		}
		catch (Throwable ex) {
			next.end(null);
			throw ex; // the timer will run this again
		}
	}

	/**
	 * One call to the store.
	 */
	private final class Call {

		private final Map<LeaseRequest, Sleeper> sleepers = new LinkedHashMap<>();

		/**
		 * Time at which the first of the sleepers was due, relative to the start.
		 */
		private final long start;

		/**
		 * Time after which the answer is no longer awaited.
		 */
		private final long end;

		Call(List<Sleeper> sleepers, long now) {
			sleepers.forEach((sleeper) -> this.sleepers.put(sleeper.lease.request(), sleeper));
			this.start = now - Poller.this.origin;
			this.end = now + Poller.this.settings.operationTimeout().toNanos() + GRACE_NANOS;
		}

		private void run() {
			BackendException failure = null;
			try {
				long sentMillis = Poller.this.time.currentTimeMillis();
				long sentNanos = Poller.this.time.nanoTime();
				answered(poll(), sentNanos, sentMillis);
			}
			catch (BackendException ex) {
				failure = ex;
			}
			catch (Throwable ex) {
				logger.error("Could not poll the waiting lock requests; it will be retried", ex);
			}
			finally {
				end(failure);
			}
		}

		private Map<LeaseRequest, Denial> poll() {
			try {
				return Objects.requireNonNull(
						Poller.this.store.poll(this.sleepers.keySet(), Poller.this.settings.operationTimeout()),
						"No answer");
			}
			catch (BackendException ex) {
				throw ex;
			}
			catch (Throwable ex) {
				logger.error("Could not poll the waiting lock requests; they are retried by themselves", ex);
				return Map.of();
			}
		}

		private void answered(Map<LeaseRequest, Denial> denials, long sentNanos, long sentMillis) {
			this.sleepers.forEach((request, sleeper) -> {
				Denial denial = denials.get(request);
				if (denial != null) {
					denied(sleeper, denial, sentNanos, sentMillis);
				}
				else if (leftOut(sleeper, denials.isEmpty())) {
					sleeper.wakeUp();
				}
			});
		}

		private void denied(Sleeper sleeper, Denial denial, long sentNanos, long sentMillis) {
			synchronized (Poller.this.sleepers) {
				if (sleeper.asleep) {
					sleeper.lease.denied(denial.attemptId(), sentNanos, sentMillis);
					sleeper.hold.queue().answered(sentNanos, null);
					add(sleeper, pause(denial));
				}
			}
		}

		/**
		 * Signal a sleeper that is not part of the answer. If no sleeper is part of the
		 * answer, perhaps because the store does not support polling, none is signalled
		 * before it is due.
		 */
		private boolean leftOut(Sleeper sleeper, boolean all) {
			synchronized (Poller.this.sleepers) {
				if (all && sleeper.asleep && sleeper.due - this.start > 0) {
					Poller.this.sleepers.add(sleeper);
					return false;
				}
				return sleeper.signal();
			}
		}

		/**
		 * End this call. Sleepers without an answer are polled again.
		 */
		private void end(@Nullable BackendException failure) {
			synchronized (Poller.this.sleepers) {
				long pause = pauseAfterFailure();
				for (Sleeper sleeper : this.sleepers.values()) {
					if (sleeper.asleep && !Poller.this.sleepers.contains(sleeper)) {
						if (failure != null) {
							sleeper.hold.queue().answered(Poller.this.time.nanoTime(), failure);
						}
						add(sleeper, pause);
					}
				}
				Poller.this.batchSize = nextBatchSize(failure != null);
				Poller.this.call = null;
			}
			Poller.this.task.wakeUpAt(Poller.this.time.nanoTime());
		}

		private int nextBatchSize(boolean failed) {
			return failed ? Math.max(MIN_BATCH_SIZE, Math.min(Poller.this.batchSize, this.sleepers.size()) / 2)
					: Math.min(MAX_BATCH_SIZE, Poller.this.batchSize * 2);
		}

	}

	/**
	 * Sleeping acquisition, which is signalled to retry, or wakes up for other reasons.
	 */
	static final class Sleeper implements Comparable<Sleeper> {

		private final Hold hold;

		private final Lease lease;

		private final long number;

		/**
		 * Time of its next poll, relative to the start. Does not change while it waits
		 * for a call.
		 */
		private long due;

		private boolean asleep = true;

		private volatile boolean signalled;

		private Sleeper(Hold hold, Lease lease, long number) {
			this.hold = hold;
			this.lease = lease;
			this.number = number;
		}

		/**
		 * Signal it to retry.
		 * @return {@code false} if it is awake already
		 */
		private boolean signal() {
			boolean wasAsleep = this.asleep;
			this.asleep = false;
			this.signalled |= wasAsleep;
			return wasAsleep;
		}

		private void wakeUp() {
			this.hold.wakeUp();
		}

		/**
		 * Return whether to retry now.
		 */
		boolean isSignalled() {
			return this.signalled;
		}

		@Override
		public int compareTo(Sleeper other) {
			return (this.due != other.due) ? Long.compare(this.due, other.due)
					: Long.compare(this.number, other.number);
		}

	}

}
