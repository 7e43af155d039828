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
import io.github.lockspring.spi.TimeSource;

/**
 * Downgrades the lease of a writer whose owner reads as well, so that the reader keeps
 * it.
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
 */
final class LockDowngrader {

	private static final Log logger = LogFactory.getLog(LockDowngrader.class);

	private final EngineContext context;

	private final TimeSource time;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final LossHandler lossHandler;

	LockDowngrader(EngineContext context, RenewalPlan plan, ReleaseRetrier releaseRetrier, LossHandler lossHandler) {
		this.context = context;
		this.time = context.time();
		this.plan = plan;
		this.releaseRetrier = releaseRetrier;
		this.lossHandler = lossHandler;
	}

	/**
	 * Downgrade the lease of a writer that has ended for its reader.
	 * @return {@code false} if the lease turned out to be lost
	 */
	boolean downgrade(Hold writer, Hold reader) {
		long now = this.time.nanoTime();
		long nowMillis = this.time.currentTimeMillis();
		Lease shared = new Lease(this.context.store().newRequest(reader.key(), reader.terms(), false));
		reader.queue().changeLease(reader, writer.lease().whileDowngrading(reader.terms(), now, nowMillis));
		boolean answered = false;
		try {
			Attempt attempt = this.context.store()
				.downgrade(writer.lease().request(), shared.request(), this.context.settings().operationTimeout());
			answered = true;
			if (attempt instanceof Grant grant) {
				shared.granted(grant, now, nowMillis);
				begin(reader, shared);
				return true;
			}
			this.lossHandler.lose(reader, "it had already ended in the store before the downgrade");
			return false;
		}
		catch (BackendException ex) {
			logger.warn("Could not downgrade to the read lock on " + KeyFormat.quote(writer.key()) + ": "
					+ ex.getMessage());
			return !writer.lease().isExpired(this.time);
		}
		finally {
			if (!answered) {
				releaseBoth(writer, reader, shared);
			}
			this.context.queues().end(writer);
		}
	}

	private void begin(Hold reader, Lease shared) {
		if (!shared.begin(this.time)) {
			this.lossHandler.lose(reader, "the store took longer than the lease time to downgrade it");
			this.releaseRetrier.release(shared.request());
		}
		else if (reader.queue().changeLease(reader, shared)) {
			this.plan.watch(reader);
		}
		else {
			this.releaseRetrier.releaseNow(reader, shared.request());
		}
	}

	private void releaseBoth(Hold writer, Hold reader, Lease shared) {
		this.lossHandler.lose(reader, "the store failed during the downgrade");
		this.releaseRetrier.release(writer.lease().request());
		this.releaseRetrier.releaseIfGranted(shared.request());
	}

}
