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
import java.util.concurrent.ThreadLocalRandom;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.support.Durations;

/**
 * Asks the store for all that wait for other processes, because news get lost, and some
 * stores have none.
 * <ol>
 * <li>One that the store denied sleeps, and is written down here with the time at which
 * it is due.</li>
 * <li>When the first is due, a single call asks for all that are due soon, so that they
 * fall into step. One call at a time is made, by a thread of its own.</li>
 * <li>One that is alone, on a store without news, asks for itself instead.</li>
 * <li>Whoever is still denied sleeps on. Whoever the answer leaves out is woken, and asks
 * for itself. If it leaves out all, because the store cannot tell, each does so when it
 * is due.</li>
 * <li>A call that fails is the trouble of all that it asked for, and is made again after
 * a pause, for half as many: it may have been too long. One that fails because the
 * backend is at fault tells nothing, so those that are due ask for themselves.</li>
 * <li>While a call takes longer than it may, those that are due ask for themselves.</li>
 * </ol>
 * Safe for use by many threads.
 */
final class Poller {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	/**
	 * How many requests one call asks for at most. The others follow at once.
	 */
	private static final int LARGEST = 10_000;

	/**
	 * How many requests one call asks for after many that failed.
	 */
	private static final int SMALLEST = 2;

	/**
	 * How long a call may go on after its time.
	 */
	private static final long GRACE_NANOS = Duration.ofMillis(250).toNanos();

	/**
	 * Those that wait for the next call. Its monitor guards all that changes here, and
	 * the leases of those that sleep.
	 */
	private final TreeSet<Sleeper> sleepers = new TreeSet<>();

	private final Store store;

	private final EngineSettings settings;

	private final LeaseScheduler leaseScheduler;

	private final TimeSource time;

	private final Executor executor;

	private final long origin;

	private long sequence;

	/**
	 * How many requests the next call asks for at most.
	 */
	private int most = LARGEST;

	/**
	 * Whether nobody sleeps: then the upkeep has nothing to look for.
	 */
	private volatile boolean idle = true;

	/**
	 * The call that is under way.
	 */
	private @Nullable Call call;

	Poller(Store store, EngineSettings settings, LeaseScheduler leaseScheduler, TimeSource time, Executor executor) {
		this.store = store;
		this.settings = settings;
		this.leaseScheduler = leaseScheduler;
		this.time = time;
		this.executor = executor;
		this.origin = time.nanoTime();
	}

	/**
	 * Asks for one that sleeps, until it is woken.
	 * @param hold who speaks for its key
	 * @param denial what the store answered last
	 * @return what to {@linkplain #leaveAlone(Sleeper) leave alone} when it wakes up
	 */
	Sleeper watch(Hold hold, Denial denial) {
		synchronized (this.sleepers) {
			Sleeper sleeper = new Sleeper(hold, hold.lease(), ++this.sequence);
			add(sleeper, pause(denial));
			return sleeper;
		}
	}

	/**
	 * Leaves one that is awake to itself, and its lease to it alone.
	 */
	void leaveAlone(Sleeper sleeper) {
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
		this.leaseScheduler.wakeUpAt(now + pauseNanos);
	}

	/**
	 * How long to wait after a denial. Ends when the present lease does. On a store
	 * without news it is random within its upper half, so that processes do not ask in
	 * step.
	 */
	private long pause(Denial denial) {
		long longest = longestPause();
		long pause = this.store.hasNotifications() ? longest : random(longest);
		return Math.max(Math.min(pause, Durations.nanos(denial.retryAfter())), shortestPause());
	}

	private long pauseAfterFailure() {
		return Math.max(random(Math.min(longestPause(), RetrySchedule.LONGEST_AFTER_FAILURE)), shortestPause());
	}

	private static long random(long pause) {
		return pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
	}

	private long longestPause() {
		return Durations.nanos(this.store.hasNotifications() ? this.settings.queuePoll() : this.settings.maxPoll());
	}

	private long shortestPause() {
		return Durations.nanos(this.settings.minPoll());
	}

	/**
	 * The chore: has a call made by another thread, if one is due and none is under way.
	 */
	void run() {
		if (this.idle) {
			return;
		}
		List<Sleeper> told = new ArrayList<>();
		Call next;
		synchronized (this.sleepers) {
			next = look(this.time.nanoTime(), told);
			this.idle = this.sleepers.isEmpty() && this.call == null;
		}
		told.forEach(Sleeper::wake);
		if (next != null) {
			start(next);
		}
	}

	/**
	 * Looks what is to be done.
	 * @param told filled with those that must ask for themselves
	 * @return the call to be made
	 */
	private @Nullable Call look(long now, List<Sleeper> told) {
		Call present = this.call;
		if (present == null && isDue(now)) {
			List<Sleeper> due = due(now, longestPause() / 2);
			if (due.size() > (this.store.hasNotifications() ? 0 : 1)) {
				Call next = new Call(due, now);
				due.forEach(this.sleepers::remove);
				this.call = next;
				this.leaseScheduler.wakeUpAt(next.end);
				return next;
			}
			tell(due, told);
		}
		if (present != null && now - present.end < 0) {
			this.leaseScheduler.wakeUpAt(present.end);
			return null;
		}
		if (present != null) {
			tell(present.sleepers.values(), told);
			tell(due(now, 0), told);
		}
		if (!this.sleepers.isEmpty()) {
			this.leaseScheduler.wakeUpAt(this.origin + this.sleepers.first().due);
		}
		return null;
	}

	private boolean isDue(long now) {
		return !this.sleepers.isEmpty() && this.sleepers.first().due - (now - this.origin) <= 0;
	}

	/**
	 * Finds those that are due, and drops others. They are not taken out: whatever fails
	 * next, none is forgotten.
	 */
	private List<Sleeper> due(long now, long early) {
		List<Sleeper> due = new ArrayList<>();
		Iterator<Sleeper> all = this.sleepers.iterator();
		while (due.size() < this.most && all.hasNext()) {
			Sleeper sleeper = all.next();
			if (sleeper.due - (now + early - this.origin) > 0) {
				break;
			}
			if (sleeper.hold.state() == Hold.LEADING) {
				due.add(sleeper);
			}
			else {
				all.remove();
			}
		}
		return due;
	}

	private void tell(Collection<Sleeper> due, List<Sleeper> told) {
		for (Sleeper sleeper : due) {
			told.add(sleeper);
			this.sleepers.remove(sleeper);
			if (!sleeper.tell()) {
				told.remove(told.size() - 1);
			}
		}
	}

	private void start(Call next) {
		try {
			this.executor.execute(next::make);
		}
		catch (Throwable ex) {
			next.end(null);
			throw ex; // the upkeep will run this again
		}
	}

	/**
	 * One call to the store.
	 */
	private final class Call {

		private final Map<LeaseRequest, Sleeper> sleepers = new LinkedHashMap<>();

		/**
		 * When those were due, since the beginning, that could not wait for longer.
		 */
		private final long start;

		/**
		 * When nobody waits for the answer any more.
		 */
		private final long end;

		Call(List<Sleeper> sleepers, long now) {
			sleepers.forEach((sleeper) -> this.sleepers.put(sleeper.lease.request(), sleeper));
			this.start = now - Poller.this.origin;
			this.end = now + Poller.this.settings.operationTimeout().toNanos() + GRACE_NANOS;
		}

		private void make() {
			BackendException trouble = null;
			try {
				long sentMillis = Poller.this.time.currentTimeMillis();
				long sentNanos = Poller.this.time.nanoTime();
				answered(ask(), sentNanos, sentMillis);
			}
			catch (BackendException ex) {
				trouble = ex;
			}
			catch (Throwable ex) {
				logger.error("Could not look after those that wait for locks, trying again", ex);
			}
			finally {
				end(trouble);
			}
		}

		private Map<LeaseRequest, Denial> ask() {
			try {
				return Objects.requireNonNull(
						Poller.this.store.poll(this.sleepers.keySet(), Poller.this.settings.operationTimeout()),
						"No answer");
			}
			catch (BackendException ex) {
				throw ex;
			}
			catch (Throwable ex) {
				logger.error("Could not ask for those that wait for locks, leaving it to them", ex);
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
					sleeper.wake();
				}
			});
		}

		private void denied(Sleeper sleeper, Denial denial, long sentNanos, long sentMillis) {
			synchronized (Poller.this.sleepers) {
				if (sleeper.asleep) {
					sleeper.lease.denied(denial.stamp(), sentNanos, sentMillis);
					sleeper.hold.queue().setStoreFailure(null);
					add(sleeper, pause(denial));
				}
			}
		}

		/**
		 * Has one ask for itself. If all do, which may be so because the store cannot
		 * tell, nobody does before it is due.
		 */
		private boolean leftOut(Sleeper sleeper, boolean all) {
			synchronized (Poller.this.sleepers) {
				if (all && sleeper.asleep && sleeper.due - this.start > 0) {
					Poller.this.sleepers.add(sleeper);
					return false;
				}
				return sleeper.tell();
			}
		}

		/**
		 * Ends this. Those that it has no answer for are asked for again.
		 */
		private void end(@Nullable BackendException trouble) {
			synchronized (Poller.this.sleepers) {
				long pause = pauseAfterFailure();
				for (Sleeper sleeper : this.sleepers.values()) {
					if (sleeper.asleep && !Poller.this.sleepers.contains(sleeper)) {
						if (trouble != null) {
							sleeper.hold.queue().setStoreFailure(trouble);
						}
						add(sleeper, pause);
					}
				}
				Poller.this.most = most(trouble != null);
				Poller.this.call = null;
			}
			Poller.this.leaseScheduler.wakeUpAt(Poller.this.time.nanoTime());
		}

		private int most(boolean failed) {
			return failed ? Math.max(SMALLEST, Math.min(Poller.this.most, this.sleepers.size()) / 2)
					: Math.min(LARGEST, Poller.this.most * 2);
		}

	}

	/**
	 * One that sleeps until it is told to ask, or until it has reasons of its own.
	 */
	static final class Sleeper implements Comparable<Sleeper> {

		private final Hold hold;

		private final Lease lease;

		private final long number;

		/**
		 * When to ask for it, since the beginning. Does not change while it waits for a
		 * call.
		 */
		private long due;

		private boolean asleep = true;

		private volatile boolean told;

		private Sleeper(Hold hold, Lease lease, long number) {
			this.hold = hold;
			this.lease = lease;
			this.number = number;
		}

		/**
		 * Tells it to ask.
		 * @return {@code false} if it is awake already
		 */
		private boolean tell() {
			boolean wasAsleep = this.asleep;
			this.asleep = false;
			this.told |= wasAsleep;
			return wasAsleep;
		}

		private void wake() {
			this.hold.wake();
		}

		/**
		 * Whether to ask now.
		 */
		boolean isTold() {
			return this.told;
		}

		@Override
		public int compareTo(Sleeper other) {
			return (this.due != other.due) ? Long.compare(this.due, other.due)
					: Long.compare(this.number, other.number);
		}

	}

}
