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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;

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
final class Poller implements DueCalls.Work<Poller.Sleeper> {

	private static final Log logger = LogFactory.getLog(Poller.class);

	/**
	 * Maximum delay after a store failure.
	 */
	static final long MAX_PAUSE_AFTER_FAILURE_NANOS = Duration.ofMillis(500).toNanos();

	/**
	 * Minimum limit of the requests per call after repeated failures.
	 */
	private static final int MIN_BATCH_SIZE = 2;

	/**
	 * Time by which a call may exceed its timeout.
	 */
	private static final long GRACE_NANOS = Duration.ofMillis(250).toNanos();

	private final Store store;

	private final EngineSettings settings;

	private final TimeSource time;

	private final DueCalls<Sleeper> calls;

	Poller(EngineContext context) {
		this.store = context.store();
		this.settings = context.settings();
		this.time = context.time();
		this.calls = new DueCalls<>(context, context.threads().polls(), this);
	}

	/**
	 * Poll for a sleeping hold, until it is woken.
	 * @param hold the leader of its key
	 * @param denial the last answer of the store
	 * @return the sleeper, to be {@linkplain #remove(Sleeper) removed} when it wakes up
	 */
	Sleeper watch(Hold hold, Denial denial) {
		Sleeper sleeper = new Sleeper(hold, hold.lease());
		this.calls.schedule(sleeper, this.time.nanoTime() + pause(denial));
		return sleeper;
	}

	/**
	 * Stop polling for a hold that is awake, which then owns its lease alone.
	 */
	void remove(Sleeper sleeper) {
		sleeper.wakeUp();
		this.calls.remove(sleeper);
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

	@Override
	public long pauseAfterFailure() {
		return Math.max(Durations.jitter(Math.min(maxPause(), MAX_PAUSE_AFTER_FAILURE_NANOS)), minPause());
	}

	private long maxPause() {
		return Durations
			.nanos(this.store.hasNotifications() ? this.settings.polling().queue() : this.settings.polling().max());
	}

	private long minPause() {
		return Durations.nanos(this.settings.polling().min());
	}

	@Override
	public long soonNanos(Sleeper sleeper) {
		return maxPause() / 2;
	}

	@Override
	public long timeoutNanos() {
		return this.settings.operationTimeout().toNanos() + GRACE_NANOS;
	}

	@Override
	public int nextBatchSize(boolean failed, int batchSize, int called) {
		return Math.max(MIN_BATCH_SIZE, DueCalls.Work.super.nextBatchSize(failed, batchSize, called));
	}

	@Override
	public void onLate(List<Sleeper> late) {
		late.forEach(this::signal);
	}

	@Override
	public void call(List<Sleeper> due) {
		Map<LeaseRequest, Sleeper> waiting = new LinkedHashMap<>();
		due.stream()
			.filter((sleeper) -> sleeper.hold.isLeader())
			.forEach((sleeper) -> waiting.put(sleeper.lease.request(), sleeper));
		if (waiting.size() > (this.store.hasNotifications() ? 0 : 1)) {
			poll(waiting);
		}
		else {
			waiting.values().forEach(this::signal);
		}
	}

	private void poll(Map<LeaseRequest, Sleeper> waiting) {
		try {
			long sentMillis = this.time.currentTimeMillis();
			long sentNanos = this.time.nanoTime();
			Map<LeaseRequest, Denial> denials = denials(waiting.keySet());
			waiting.forEach((request, sleeper) -> {
				Denial denial = denials.get(request);
				if (denial != null) {
					denied(sleeper, denial, sentNanos, sentMillis);
				}
				else if (denials.isEmpty() && sleeper.dueNanos() - sentNanos > 0) {
					this.calls.repeat(sleeper, sleeper.dueNanos());
				}
				else {
					signal(sleeper);
				}
			});
		}
		catch (BackendException ex) {
			waiting.values().forEach((sleeper) -> failed(sleeper, ex));
			throw ex;
		}
	}

	/**
	 * Ask the store. If no request is part of the answer, perhaps because the store does
	 * not support polling, none is signalled before it is due.
	 */
	private Map<LeaseRequest, Denial> denials(Collection<LeaseRequest> waiting) {
		try {
			return Objects.requireNonNull(this.store.poll(waiting, this.settings.operationTimeout()), "No answer");
		}
		catch (BackendException ex) {
			throw ex;
		}
		catch (Throwable ex) {
			logger.error("Could not poll the waiting lock requests; they are retried by themselves", ex);
			return Map.of();
		}
	}

	private void denied(Sleeper sleeper, Denial denial, long sentNanos, long sentMillis) {
		synchronized (sleeper) {
			if (sleeper.asleep) {
				sleeper.lease.denied(denial.attemptId(), sentNanos, sentMillis);
				sleeper.hold.queue().answered(sentNanos, null);
				this.calls.repeat(sleeper, this.time.nanoTime() + pause(denial));
			}
		}
	}

	private void failed(Sleeper sleeper, BackendException failure) {
		synchronized (sleeper) {
			if (sleeper.asleep) {
				sleeper.hold.queue().answered(this.time.nanoTime(), failure);
			}
		}
	}

	/**
	 * Let a sleeper retry, unless it is awake already.
	 */
	private void signal(Sleeper sleeper) {
		if (sleeper.signal()) {
			this.calls.remove(sleeper);
			sleeper.hold.wakeUp();
		}
	}

	/**
	 * Sleeping acquisition, which is signalled to retry, or wakes up for other reasons.
	 * Its monitor guards its lease while it is asleep.
	 */
	static final class Sleeper extends DueCalls.Item {

		private final Hold hold;

		private final Lease lease;

		private boolean asleep = true;

		private volatile boolean signalled;

		private Sleeper(Hold hold, Lease lease) {
			this.hold = hold;
			this.lease = lease;
		}

		/**
		 * Wake up.
		 * @return {@code false} if it is awake already
		 */
		private synchronized boolean wakeUp() {
			boolean wasAsleep = this.asleep;
			this.asleep = false;
			return wasAsleep;
		}

		private synchronized boolean signal() {
			boolean wasAsleep = wakeUp();
			this.signalled |= wasAsleep;
			return wasAsleep;
		}

		/**
		 * Return whether to retry now.
		 */
		boolean isSignalled() {
			return this.signalled;
		}

	}

}
