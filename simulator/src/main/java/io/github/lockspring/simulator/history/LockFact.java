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

package io.github.lockspring.simulator.history;

import java.util.List;

/**
 * Facts about the acquisition, the claim and the release of a lock or of permits.
 */
public sealed interface LockFact extends Fact.OfOperation {

	/**
	 * Wait time without an end.
	 */
	long FOREVER = Long.MAX_VALUE;

	/**
	 * Token of a store that has none, or of keys without a common one.
	 */
	long NO_TOKEN = 0;

	/**
	 * Begin of an acquisition.
	 *
	 * @param operation the number of the operation
	 * @param keys the keys, as the store names them
	 * @param mode the mode
	 * @param permits the number of permits, 1 for other modes
	 * @param limit the number of permits that the key has, 1 for other modes
	 * @param fair whether the order of requests is promised
	 * @param leaseTime nanoseconds of a lease that is not renewed, or 0 if it is renewed
	 * @param waitTime the wait time in nanoseconds, or {@link #FOREVER}
	 * @param retainTime nanoseconds for which the process retains the lease after its
	 * last use
	 */
	record Requested(long operation, List<String> keys, Mode mode, int permits, int limit, boolean fair, long leaseTime,
			long waitTime, long retainTime) implements LockFact {

		public Requested {
			keys = List.copyOf(keys);
		}

		/**
		 * Begin of an acquisition of a lease that is not retained.
		 */
		public Requested(long operation, List<String> keys, Mode mode, int permits, int limit, boolean fair,
				long leaseTime, long waitTime) {
			this(operation, keys, mode, permits, limit, fair, leaseTime, waitTime, 0);
		}

		/**
		 * Begin of an acquisition of a lease that is renewed.
		 */
		public Requested(long operation, List<String> keys, Mode mode, int permits, int limit, boolean fair,
				long waitTime) {
			this(operation, keys, mode, permits, limit, fair, 0, waitTime);
		}

	}

	/**
	 * The place in the queue of the store was confirmed.
	 */
	record Queued(long operation) implements LockFact {
	}

	/**
	 * The lock was granted.
	 */
	record Granted(long operation, long token) implements LockFact {
	}

	/**
	 * The wait time was over.
	 */
	record NotAcquired(long operation) implements LockFact {
	}

	/**
	 * The acquisition ended with an exception.
	 */
	record Failed(long operation, String exception) implements LockFact {
	}

	/**
	 * The acquisition was interrupted or canceled.
	 */
	record Interrupted(long operation) implements LockFact {
	}

	/**
	 * The owner acquired again what it held, also the read lock under its write lock.
	 */
	record Reentered(long operation, long token) implements LockFact {
	}

	/**
	 * The holder looked whether it holds the lock; the token is {@link #NO_TOKEN} if it
	 * does not, or did not look at it.
	 */
	record Checked(long operation, boolean held, long token) implements LockFact {
	}

	/**
	 * A resource that remembers the largest token decided about a write.
	 */
	record Written(long operation, String resource, long token, boolean accepted) implements LockFact {
	}

	/**
	 * Begin of the last release.
	 */
	record ReleaseBegun(long operation) implements LockFact {
	}

	/**
	 * End of the last release.
	 */
	record ReleaseEnded(long operation, Fact.Outcome outcome) implements LockFact {
	}

	/**
	 * The holder was told that its lease is lost.
	 */
	record LossTold(long operation) implements LockFact {
	}

	/**
	 * Begin of a change of the claim.
	 *
	 * @param operation the number of the operation
	 * @param change the change
	 * @param amount permits to release, or nanoseconds of the extension
	 */
	record ChangeBegun(long operation, Change change, long amount) implements LockFact {
	}

	/**
	 * End of a change of the claim.
	 */
	record ChangeEnded(long operation, Change change, Fact.Outcome outcome) implements LockFact {
	}

	/**
	 * Modes of locks.
	 */
	enum Mode {

		EXCLUSIVE, WRITE, READ, PERMITS;

		boolean isExclusive() {
			return this == EXCLUSIVE || this == WRITE;
		}

	}

	/**
	 * Changes of a claim.
	 */
	enum Change {

		DOWNGRADE, EXTENSION, PARTIAL_RELEASE

	}

}
