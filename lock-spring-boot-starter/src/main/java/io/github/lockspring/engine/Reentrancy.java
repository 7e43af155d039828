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

import org.jspecify.annotations.Nullable;

/**
 * Reenters locks that their owners hold. A writer that reads has a separate hold for
 * that.
 */
final class Reentrancy {

	private final EngineContext context;

	private final LocalQueues queues;

	private final Hold.Engine engine;

	Reentrancy(EngineContext context, Hold.Engine engine) {
		this.context = context;
		this.queues = context.queues();
		this.engine = engine;
	}

	/**
	 * Reenter a lock.
	 * @param found the hold of the owner
	 * @return the hold, or {@code null} if it was released in the meantime
	 */
	@Nullable Hold reenter(Hold found, AcquireOptions options) {
		Hold held = found;
		while (held != null) {
			StackRoom.requireToCountDown();
			Hold again = tryToReenter(held, options);
			if (again != null) {
				return again;
			}
			held = this.queues.heldBy(found.key(), found.owner(), options);
		}
		return null;
	}

	private @Nullable Hold tryToReenter(Hold held, AcquireOptions options) {
		if (!held.isHeld()) {
			if (held.isEnded()) {
				return null;
			}
			throw held.hasLease() ? new EngineException(EngineException.Reason.SUSPENDED,
					"The connection to the store is suspended", null)
					: new EngineException(EngineException.Reason.LOST, "The lease was lost", null);
		}
		if (options.isExclusive() && !held.options().isExclusive()) {
			throw new EngineException(EngineException.Reason.UPGRADE,
					"Upgrading a read lock to a write lock is not supported", null);
		}
		if (isToBeDowngraded(held, options)) {
			return held.queue()
				.lend(held, new Hold(this.engine, held.key(), this.context.capLeaseTime(options), held.owner()));
		}
		return held.countUp() ? held : tryToReenter(held, options);
	}

	/**
	 * Return whether a writer reads on a separate hold, which may outlast that of the
	 * writer.
	 */
	private boolean isToBeDowngraded(Hold held, AcquireOptions options) {
		return !options.isExclusive() && held.options().isExclusive() && held.lease().canDowngrade()
				&& !held.options().hasMinimumHold() && this.context.store().hasReaders();
	}

	/**
	 * Find the hold that an acquisition with the given options would reenter, which may
	 * be lost.
	 */
	@Nullable Hold heldBy(String key, Object owner, AcquireOptions options) {
		Hold held = this.queues.heldBy(key, owner, options);
		boolean upgrade = held != null && options.isExclusive() && !held.options().isExclusive();
		return (held == null || upgrade || isToBeDowngraded(held, options)) ? null : held;
	}

}
