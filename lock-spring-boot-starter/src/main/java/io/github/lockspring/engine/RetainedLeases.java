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
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;
import io.github.lockspring.support.TimerThread;

/**
 * Leases that this process retains after their last use, so that its next acquisition of
 * the key needs no call to the store. That of another process recalls them.
 * <ol>
 * <li>A released lease is retained by a hold of its own in the local queue, unless there
 * are too many of them.</li>
 * <li>The next acquisition takes it over, with a larger fencing token.</li>
 * <li>It is released to the store when it is recalled, when the time to retain it is
 * over, when there are too many, the oldest first, and at shutdown.</li>
 * <li>As long as there are retained leases, the store checks as often as it is polled for
 * waiting requests that it receives recalls.</li>
 * <li>A lease that is recalled while it is in use is not retained again. The recall is
 * declined, so that those who want only a lease that is free need not wait.</li>
 * </ol>
 * While it is retained it is renewed like one that is held. Its loss is not reported.
 * <p>
 * The idea is that of biased locks inside a JVM, and of the cached locks of Chubby's
 * clients.
 * <p>
 * Thread-safe.
 */
final class RetainedLeases {

	private static final Log logger = LogFactory.getLog(RetainedLeases.class);

	/**
	 * Time by which a lease may be released late, so that many are released together.
	 */
	private static final long TOLERANCE_NANOS = Duration.ofMillis(100).toNanos();

	private final EngineContext context;

	private final RenewalPlan plan;

	private final AsyncDispatcher dispatcher;

	private final int max;

	private final AtomicInteger count = new AtomicInteger();

	/**
	 * Releases the leases whose time is over, and the oldest if there are too many, and
	 * checks that recalls are received.
	 */
	private final TimerThread.Task task;

	private final long checkNanos;

	private long checkedNanos;

	/**
	 * Whether a lease was not retained because there are too many.
	 */
	private volatile boolean full;

	RetainedLeases(EngineContext context, RenewalPlan plan, AsyncDispatcher dispatcher) {
		this.context = context;
		this.plan = plan;
		this.dispatcher = dispatcher;
		this.max = context.settings().limits().maxRetainedKeys();
		this.task = context.task(this::run);
		this.checkNanos = Durations.nanos(context.settings().polling().queue());
		this.checkedNanos = context.time().nanoTime();
	}

	/**
	 * Retain the lease of a hold that has ended.
	 * @return {@code false} if it must be handed off or released to the store
	 */
	boolean retain(Hold hold) {
		if (this.context.isClosed()
				|| !hold.lease().canHandOff(hold.options(), this.context.settings(), this.context.time())) {
			return false;
		}
		long now = this.context.time().nanoTime();
		if (this.count.get() >= this.max) {
			this.full = true;
			this.task.wakeUpAt(now);
			return false;
		}
		Hold retained = hold.retainedBy(new Retention(this.count, now));
		if (!hold.queue().retain(hold, retained)) {
			return false;
		}
		this.plan.watch(retained);
		this.task.wakeUpAt(now + Math.min(hold.options().retainNanos(), this.checkNanos));
		return true;
	}

	int count() {
		return this.count.get();
	}

	/**
	 * Release a lease that another process wants, now or when its holder ends.
	 */
	void recall(LeaseRequest lease) {
		Hold hold = this.context.queues().recall(lease);
		if (hold == null) {
			return;
		}
		if (hold.isRetained()) {
			hold.releaseRetained();
			return;
		}
		this.dispatcher.execute(() -> decline(hold, lease));
	}

	private void decline(Hold hold, LeaseRequest lease) {
		try {
			if (!hold.isEnded()) {
				this.context.store().declineRecall(lease, this.context.settings().operationTimeout());
			}
		}
		catch (Throwable ex) {
			logger.debug("Could not decline the recall of " + KeyFormat.quote(lease.key())
					+ "; those who recalled it wait until their time is over", ex);
		}
	}

	/**
	 * Release all leases that are not in use: at shutdown, and if recalls may have been
	 * lost.
	 */
	void releaseAll() {
		retained().forEach(Hold::releaseRetained);
	}

	private List<Hold> retained() {
		List<Hold> retained = new ArrayList<>();
		if (this.count.get() > 0) {
			this.context.queues().forEachHolder((hold) -> {
				if (hold.isRetained()) {
					retained.add(hold);
				}
			});
		}
		return retained;
	}

	private void run() {
		List<Hold> retained = retained();
		long now = this.context.time().nanoTime();
		if (!retained.isEmpty() && now - this.checkedNanos >= this.checkNanos) {
			this.checkedNanos = now;
			this.dispatcher.execute(this::checkNotifications);
		}
		if (!retained.isEmpty()) {
			releaseDue(retained, now);
		}
	}

	/**
	 * Let the store notice if recalls are not received.
	 */
	private void checkNotifications() {
		try {
			this.context.store().poll(List.of(), this.context.settings().operationTimeout());
		}
		catch (Throwable ex) {
			logger.debug("Could not check whether recalls are received", ex);
		}
	}

	private void releaseDue(List<Hold> retained, long now) {
		if (this.full) {
			this.full = false;
			retained.sort((one, other) -> Long.signum(dueNanos(one) - dueNanos(other)));
			retained.stream().limit(1 + this.max / 10).forEach(Hold::releaseRetained);
		}
		long next = this.checkNanos;
		for (Hold hold : retained) {
			long left = dueNanos(hold) - now;
			if (left <= 0) {
				hold.releaseRetained();
			}
			else {
				next = Math.min(next, left);
			}
		}
		this.task.wakeUpAt(now + Math.max(next, TOLERANCE_NANOS));
	}

	private static long dueNanos(Hold hold) {
		return (hold.owner() instanceof Retention retention) ? retention.sinceNanos() + hold.options().retainNanos()
				: 0;
	}

}
