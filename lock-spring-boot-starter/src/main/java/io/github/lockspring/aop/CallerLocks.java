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

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.support.KeyFormat;

/**
 * Locks held by the caller of a method that is to acquire a lock of the same name.
 * Permits are not reentrant, and a key cannot be a lock and a semaphore at once, so that
 * a call may need what its own caller holds.
 *
 * @param running the locks under which the caller runs
 * @param kept the locks that its transaction keeps although their methods have ended
 */
record CallerLocks(List<LockHandle> running, List<LockHandle> kept) {

	static CallerLocks of(LockOperation lock, @Nullable LockContext held, boolean inTransaction) {
		List<LockHandle> running = lock.ofSameName(held);
		List<LockHandle> kept = inTransaction ? TransactionBinding.kept() : List.of();
		return new CallerLocks(running, kept.stream().filter((each) -> !running.contains(each)).toList());
	}

	/**
	 * Find a permit that the transaction keeps and that no method uses at present.
	 * @param lockInvocation the permit to acquire
	 * @return the handle, or {@code null} if there is none
	 */
	@Nullable LockHandle idlePermit(LockInvocation lockInvocation) {
		LockOperation lock = lockInvocation.lock();
		if (this.kept.isEmpty() || lockInvocation.key() instanceof List || !lock.attributes().isSemaphore()) {
			return null;
		}
		int limit = lockInvocation.options().permits();
		String storeKey = lockInvocation.firstStoreKey();
		return this.kept.stream()
			.filter((each) -> each.storeKey().equals(storeKey)
					&& lock.holdsOf(List.of(each), storeKey).anyMatch((hold) -> hold.permitLimit() == limit))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Reject a call that would wait for its caller.
	 * @param lockInvocation the lock to acquire
	 * @throws IllegalStateException if the caller holds what the call needs
	 */
	void requireFree(LockInvocation lockInvocation) {
		if (this.running.isEmpty() && this.kept.isEmpty()) {
			return;
		}
		LockOperation lock = lockInvocation.lock();
		List<LockHandle> all = Stream.concat(this.running.stream(), this.kept.stream()).toList();
		for (String storeKey : lock.storeKeys(lockInvocation.key())) {
			List<Hold> holds = lock.holdsOf(all, storeKey).toList();
			int permits = (int) holds.stream().filter((hold) -> hold.permitLimit() > 0).count();
			requireFree(lockInvocation, storeKey, permits, permits < holds.size());
		}
	}

	/**
	 * Reject a call that would wait for itself.
	 * @param lockInvocation the lock to acquire
	 * @param storeKey its key
	 * @param permits the number of permits of the key that the caller, or the call, has
	 * @param locked whether it has the key as a lock
	 */
	static void requireFree(LockInvocation lockInvocation, String storeKey, int permits, boolean locked) {
		boolean semaphore = lockInvocation.attributes().isSemaphore();
		if (semaphore ? locked || permits >= lockInvocation.options().permits() : permits > 0) {
			throw new IllegalStateException(lockInvocation.attributes().site() + " would wait for itself: the key "
					+ KeyFormat.quote(storeKey) + " is held "
					+ (locked ? "as a lock" : "with " + permits + ((permits == 1) ? " permit" : " permits"))
					+ " by the same call or transaction. Permits are not reentrant, and a name is that of a lock or of"
					+ " a semaphore. Use another name, or more permits, or do not nest the calls");
		}
	}

}
