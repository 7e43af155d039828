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

package io.github.lockspring.aop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.LockContext;
import io.github.lockspring.support.KeyFormat;

/**
 * Detects lock names that are acquired in both orders, and logs a warning once for each
 * pair: two concurrent calls can deadlock until their wait times expire.
 * <p>
 * Thread-safe. The memory used grows with the number of pairs of lock names.
 */
final class LockOrder {

	private static final Log logger = LogFactory.getLog(LockOrder.class);

	private final Set<Pair> seen = ConcurrentHashMap.newKeySet();

	private final Set<Pair> reported = ConcurrentHashMap.newKeySet();

	/**
	 * Record the order of a lock about to be acquired. A reentrant acquisition does not
	 * wait and is not recorded.
	 * @param lockInvocation the lock about to be acquired
	 * @param held the locks that are held already
	 */
	void acquiring(LockInvocation lockInvocation, LockContext held) {
		String name = lockInvocation.name();
		for (LockContext each = held; each != null; each = each.outer()) {
			if (!each.name().equals(name)) {
				Pair pair = new Pair(each.name(), name);
				if (!this.seen.contains(pair) && !lockInvocation.lock().isHeld(held, lockInvocation.key())) {
					note(pair);
				}
			}
		}
	}

	private void note(Pair pair) {
		if (this.seen.add(pair) && this.seen.contains(pair.reversed()) && this.reported.add(pair.sorted())) {
			logger.warn("The locks " + KeyFormat.quote(pair.first()) + " and " + KeyFormat.quote(pair.second())
					+ " are acquired in both orders: concurrent calls can deadlock until their wait times expire."
					+ " Always acquire them in the same order");
		}
	}

	private record Pair(String first, String second) {

		Pair reversed() {
			return new Pair(this.second, this.first);
		}

		Pair sorted() {
			return (this.first.compareTo(this.second) <= 0) ? this : reversed();
		}

	}

}
