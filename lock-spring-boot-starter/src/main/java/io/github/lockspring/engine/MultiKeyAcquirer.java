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
import java.util.List;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;

/**
 * Acquires several keys in one call to the store, without waiting for them.
 * <ol>
 * <li>Enter the local queues of all keys, unless one of them is held or wanted in this
 * process.</li>
 * <li>Granted in time: hold all keys under one lease.</li>
 * <li>Otherwise leave the queues. A request that may have been granted is released in the
 * background.</li>
 * </ol>
 * Store failures are ignored: they are reported when the keys are then acquired one after
 * the other.
 */
final class MultiKeyAcquirer {

	/**
	 * Maximum number of keys acquired in one call, so that it does not block the store.
	 */
	private static final int MAX_KEYS = 256;

	private final EngineContext context;

	private final Store store;

	private final LocalQueues queues;

	private final TimeSource time;

	private final Acquirer acquirer;

	private final ReleaseRetrier releaseRetrier;

	MultiKeyAcquirer(EngineContext context, Acquirer acquirer, ReleaseRetrier releaseRetrier) {
		this.context = context;
		this.store = context.store();
		this.queues = context.queues();
		this.time = context.time();
		this.acquirer = acquirer;
		this.releaseRetrier = releaseRetrier;
	}

	/**
	 * Return whether keys can be acquired in one call to the store.
	 */
	boolean canAcquire(List<String> keys, AcquireOptions options) {
		return keys.size() > 1 && keys.size() <= MAX_KEYS && options.isPlain() && this.store.hasMultiKey()
				&& !this.context.isClosed();
	}

	/**
	 * Acquire several keys.
	 * @param holds the holds to acquire, in the order of the keys
	 * @param waitNanos the available time, which the call may exceed slightly
	 * @return whether they are held; if not, the attempt leaves nothing behind
	 */
	boolean acquire(List<Hold> holds, long waitNanos) {
		if (!tryAcquire(holds, waitNanos)) {
			return false;
		}
		try {
			this.context.requireOpen();
			holds.forEach(Hold::notifyAcquired);
			return true;
		}
		catch (Throwable ex) {
			Hold.releaseAll(holds);
			throw ex;
		}
	}

	private boolean tryAcquire(List<Hold> holds, long waitNanos) {
		long now = this.time.nanoTime();
		try {
			for (Hold hold : holds) {
				hold.waitFrom(now);
				if (this.queues.join(hold, false) != LocalQueue.Turn.CONTEND) {
					return false;
				}
			}
			return contend(holds, this.acquirer.timeout(waitNanos));
		}
		finally {
			for (Hold hold : holds) {
				leaveUnlessHeld(hold);
			}
		}
	}

	private void leaveUnlessHeld(Hold hold) {
		if (hold.isPending()) {
			this.queues.leave(hold);
		}
	}

	/**
	 * Ignore failures, which are reported when the keys are then acquired one after the
	 * other.
	 */
	private boolean contend(List<Hold> holds, Duration timeout) {
		List<String> keys = holds.stream().map(Hold::key).toList();
		Lease lease = new MultiKeyLease(this.store.newRequest(keys, holds.get(0).options()));
		long now = this.time.nanoTime();
		long nowMillis = this.time.currentTimeMillis();
		boolean answered = false;
		try {
			Attempt attempt = this.store.tryAcquire(lease.request(), false, timeout);
			answered = attempt instanceof Denial;
			if (!(attempt instanceof Grant grant)) {
				return false;
			}
			lease.granted(grant, now, nowMillis);
			if (lease.begin(this.time)) {
				beginAll(holds, lease, grant.token());
				answered = true;
			}
			return answered;
		}
		catch (BackendUnavailableException ex) {
			answered = true;
			return false;
		}
		catch (OutcomeUnknownException ex) {
			return false;
		}
		finally {
			if (!answered) {
				this.releaseRetrier.releaseIfGranted(lease.request());
			}
		}
	}

	private void beginAll(List<Hold> holds, Lease lease, long token) {
		try {
			for (Hold hold : holds) {
				this.acquirer.begin(hold, lease, token);
			}
		}
		catch (Throwable ex) {
			Hold.releaseAll(holds.stream().filter(Hold::isActive).toList());
			throw ex;
		}
	}

}
