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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.Grant;

/**
 * How a writer whose owner reads as well leaves the lease to the reader.
 * <ol>
 * <li>The store makes a shared lease out of the exclusive one, in a single step, so that
 * no other writer comes between. The reader goes on under the shared lease, which lasts
 * from the moment before the store was asked.</li>
 * <li>If the reader has ended in the meantime, the shared lease is given back.</li>
 * <li>If the store says that the exclusive lease was over, writer and reader have lost
 * it.</li>
 * <li>If the store failed, the reader has lost its lease, and whichever of the two the
 * store has is released in the background.</li>
 * </ol>
 * Until the store has answered, the key counts as held by the writer here.
 */
final class LockDowngrader {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	private final LeaseReleaser leaseReleaser;

	private final Store store;

	private final LocalQueues queues;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final EngineSettings settings;

	private final TimeSource time;

	LockDowngrader(LeaseReleaser leaseReleaser, Store store, LocalQueues queues, RenewalPlan plan,
			ReleaseRetrier releaseRetrier, EngineSettings settings, TimeSource time) {
		this.leaseReleaser = leaseReleaser;
		this.store = store;
		this.queues = queues;
		this.plan = plan;
		this.releaseRetrier = releaseRetrier;
		this.settings = settings;
		this.time = time;
	}

	/**
	 * Leaves the lease of a writer that has ended to its reader.
	 * @return {@code false} if the lease turned out to be lost
	 */
	boolean downgrade(Hold writer, Hold reader) {
		long now = this.time.nanoTime();
		long nowMillis = this.time.currentTimeMillis();
		Lease shared = new Lease(this.store.newRequest(reader.key(), reader.terms(), false));
		reader.queue().changeLease(reader, writer.lease().whileDowngrading(reader.terms(), now, nowMillis));
		boolean answered = false;
		try {
			Attempt attempt = this.store.downgrade(writer.lease().request(), shared.request(),
					this.settings.operationTimeout());
			answered = true;
			if (attempt instanceof Grant grant) {
				shared.granted(grant, now, nowMillis);
				advance(reader, shared);
				return true;
			}
			this.leaseReleaser.lose(reader, "the store had given it up before the writer stepped down");
			return false;
		}
		catch (BackendException ex) {
			logger.warn("Could not step down to the read lock on " + KeyFormat.quote(writer.key()) + ": "
					+ ex.getMessage());
			return !writer.lease().isExpired(this.time);
		}
		finally {
			if (!answered) {
				giveUp(writer, reader, shared);
			}
			this.queues.end(writer);
		}
	}

	private void advance(Hold reader, Lease shared) {
		if (!shared.begin(this.time)) {
			this.leaseReleaser.lose(reader, "the store took longer to step down than the lease lasts");
			this.releaseRetrier.release(shared.request());
		}
		else if (reader.queue().changeLease(reader, shared)) {
			this.plan.watch(reader);
		}
		else {
			this.leaseReleaser.releaseLease(reader, shared.request());
		}
	}

	private void giveUp(Hold writer, Hold reader, Lease shared) {
		this.leaseReleaser.lose(reader, "the store failed when the writer stepped down");
		this.releaseRetrier.release(writer.lease().request());
		this.releaseRetrier.releaseIfGranted(shared.request());
	}

}
