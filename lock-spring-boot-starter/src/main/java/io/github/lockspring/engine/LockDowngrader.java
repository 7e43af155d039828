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
import java.util.function.BiPredicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Replaces leases by weaker ones: that of a writer whose owner reads as well, so that the
 * reader keeps it, and permits by fewer permits.
 * <p>
 * A writer is downgraded as follows:
 * <ol>
 * <li>The store downgrades the exclusive lease to a shared one atomically, so that no
 * other writer can acquire the key in between. The reader continues under the shared
 * lease, which lasts from the time before the call.</li>
 * <li>If the reader has ended in the meantime, the shared lease is released.</li>
 * <li>If the store reports that the exclusive lease had ended, writer and reader have
 * lost it.</li>
 * <li>If the store failed, the reader has lost its lease, and whichever of the two the
 * store has is released in the background.</li>
 * </ol>
 * Until the store has answered, the key is treated as held by the writer in this process.
 * <p>
 * Permits are replaced in the same way, but the hold and its token remain the same. Until
 * the store has answered, the lease is not renewed. A call that fails is repeated once,
 * which has no other effect if the first one had: if the store is unavailable then as
 * well, the hold continues with all its permits.
 */
final class LockDowngrader {

	private static final Log logger = LogFactory.getLog(LockDowngrader.class);

	private final EngineContext context;

	private final TimeSource time;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final BiPredicate<Hold, LeaseRequest> release;

	private final LossHandler lossHandler;

	/**
	 * Create an instance.
	 * @param release releases a request of a hold that has ended, now or in the
	 * background
	 */
	LockDowngrader(EngineContext context, RenewalPlan plan, ReleaseRetrier releaseRetrier, LossHandler lossHandler,
			BiPredicate<Hold, LeaseRequest> release) {
		this.context = context;
		this.time = context.time();
		this.plan = plan;
		this.releaseRetrier = releaseRetrier;
		this.release = release;
		this.lossHandler = lossHandler;
	}

	/**
	 * Downgrade the lease of a writer that has ended for its reader.
	 * @return {@code false} if the lease turned out to be lost
	 */
	boolean downgrade(Hold writer, Hold reader) {
		Lease former = writer.lease();
		Lease shared = new Lease(this.context.store().newRequest(reader.key(), reader.options(), false));
		reader.queue().changeLease(reader, new ReplacedLease(former.request(), former, shared, this.time));
		boolean answered = false;
		try {
			boolean replaced = tryToReplace(former.request(), shared);
			answered = true;
			if (replaced) {
				begin(reader, shared, shared.begin(this.time));
				return true;
			}
			this.lossHandler.lose(reader, "it had already ended in the store before the downgrade");
			return false;
		}
		catch (BackendException ex) {
			logger.warn("Could not downgrade to the read lock on " + KeyFormat.quote(writer.key()) + ": "
					+ ex.getMessage());
			return !former.isExpired(this.time);
		}
		finally {
			if (!answered) {
				releaseBoth(reader, former.request(), shared.request());
			}
			this.context.queues().end(writer);
		}
	}

	private void begin(Hold hold, Lease weaker, boolean inTime) {
		if (!inTime) {
			this.lossHandler.lose(hold, "the store took longer than the lease time to downgrade it");
			this.releaseRetrier.release(weaker.request());
		}
		else if (hold.queue().changeLease(hold, weaker)) {
			this.plan.watch(hold);
		}
		else {
			this.release.test(hold, weaker.request());
		}
	}

	private void releaseBoth(Hold hold, LeaseRequest former, LeaseRequest weaker) {
		this.lossHandler.lose(hold, "the store failed during the downgrade");
		this.releaseRetrier.release(former);
		this.releaseRetrier.releaseIfGranted(weaker);
	}

	/**
	 * Release some permits of a hold.
	 * @param hold the hold, which is not released before this returns
	 * @param fewer the mode with the permits to keep
	 * @return {@code false} if the lease turned out to be lost
	 * @throws EngineException if the store is unavailable, and the permits are still held
	 */
	boolean reduce(Hold hold, Permits fewer) {
		Lease former = hold.lease();
		Lease weaker = new Lease(this.context.store().newRequest(hold.key(), terms(former, fewer, hold.options())));
		if (!hold.queue().changeLease(hold, new ReplacedLease(weaker.request(), former, weaker, this.time))) {
			return false;
		}
		boolean answered = false;
		try {
			if (replace(former.request(), weaker)) {
				begin(hold, weaker, weaker.begin(former, this.time));
				hold.queue().wakeNext(); // which may be granted with the released permits
			}
			else {
				this.lossHandler.lose(hold, "it had already ended in the store before permits were released");
			}
			answered = true;
			return hold.hasLease();
		}
		catch (BackendUnavailableException ex) {
			answered = true;
			if (!hold.queue().changeLease(hold, former)) {
				this.releaseRetrier.release(former.request());
				return false;
			}
			this.plan.watch(hold);
			if (!hold.hasLease()) {
				return false;
			}
			throw this.context.store().unavailable(ex);
		}
		catch (OutcomeUnknownException ex) {
			return false;
		}
		finally {
			if (!answered) {
				releaseBoth(hold, former.request(), weaker.request());
			}
		}
	}

	/**
	 * Return the terms of the weaker lease, which lasts no longer than the former one
	 * unless it is renewed.
	 */
	private LeaseTerms terms(Lease former, Permits fewer, AcquireOptions options) {
		LeaseTerms terms = former.request().terms();
		Duration leaseTime = terms.leaseTime();
		if (!options.isRenewed()) {
			Duration remaining = Duration.ofMillis(Math.max(1, former.remainingNanos(this.time) / 1_000_000));
			leaseTime = Durations.min(remaining, leaseTime);
		}
		return new LeaseTerms(fewer, terms.fair(), leaseTime, terms.tokens());
	}

	private boolean replace(LeaseRequest former, Lease fewer) {
		try {
			return tryToReplace(former, fewer);
		}
		catch (BackendException failure) {
			return replaceAfter(failure, former, fewer);
		}
	}

	private boolean replaceAfter(BackendException failure, LeaseRequest former, Lease fewer) {
		try {
			return tryToReplace(former, fewer);
		}
		catch (BackendUnavailableException ex) {
			// the first attempt may have had an effect
			throw (failure instanceof OutcomeUnknownException) ? failure : ex;
		}
	}

	private boolean tryToReplace(LeaseRequest former, Lease fewer) {
		long now = this.time.nanoTime();
		long nowMillis = this.time.currentTimeMillis();
		Attempt attempt = this.context.store()
			.downgrade(former, fewer.request(), this.context.settings().operationTimeout());
		if (!(attempt instanceof Grant grant)) {
			return false;
		}
		fewer.granted(grant, now, nowMillis);
		return true;
	}

}
