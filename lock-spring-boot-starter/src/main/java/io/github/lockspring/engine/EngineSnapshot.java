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
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseMode;

/**
 * Locks that a process holds and waits for: each key is consistent, but keys may be from
 * different times. Immutable.
 *
 * @param held the acquisitions that are held, or lost and not released yet
 * @param waiting the acquisitions that wait, those of one key in the order of its queue
 */
public record EngineSnapshot(List<Held> held, List<Waiting> waiting) {

	public EngineSnapshot {
		held = List.copyOf(held);
		waiting = List.copyOf(waiting);
	}

	/**
	 * Acquisition that is held, or lost and not released yet.
	 *
	 * @param key the key, as used in the store
	 * @param mode the mode of the lease, or {@link LeaseMode#SHARED} of a reader that
	 * entered under the lease of its own writer
	 * @param owner the owner in this process
	 * @param state whether it is held
	 * @param since since when the lease is held in this process, or when it was last
	 * extended; a lease that was handed off has been held by another thread at first
	 * @param remaining the time for which the lease is certain to last unless it is
	 * renewed, zero if it is lost
	 * @param token the fencing token, 0 if the backend has none
	 * @param count how often the owner has acquired and not released it
	 * @param leaseOwner the text of the owner in the store
	 */
	public record Held(String key, LeaseMode mode, Owner owner, State state, Instant since, Duration remaining,
			long token, int count, String leaseOwner) {
	}

	/**
	 * Acquisition that waits.
	 *
	 * @param key the key, as used in the store
	 * @param mode the wanted mode
	 * @param owner the owner in this process
	 * @param since since when it waits
	 * @param position the position in the queue of this process, counted from 1: the
	 * first one contends in the store, unless this process holds the key
	 */
	public record Waiting(String key, LeaseMode mode, Owner owner, Instant since, int position) {
	}

	/**
	 * Owner in this process.
	 *
	 * @param name the name of the thread, or the type of another object and a number that
	 * distinguishes it
	 * @param threadId the id of the thread, or {@code null}
	 * @param threadState the state of the thread, which may have ended without releasing,
	 * or {@code null}
	 */
	public record Owner(String name, @Nullable Long threadId, Thread.@Nullable State threadState) {

		/**
		 * Describe an owner, without calling a method of the application.
		 */
		static Owner of(Object owner) {
			if (owner instanceof Thread thread) {
				String name = thread.getName();
				return new Owner(name.isEmpty() ? "thread-" + thread.getId() : name, thread.getId(), thread.getState());
			}
			String type = owner.getClass().getName();
			return new Owner(type.substring(type.lastIndexOf('.') + 1) + '@'
					+ Integer.toHexString(System.identityHashCode(owner)), null, null);
		}

	}

	/**
	 * State of an acquisition that was granted.
	 */
	public enum State {

		/**
		 * The lock is held.
		 */
		HELD,

		/**
		 * It is unknown whether the lease still exists, because the connection to the
		 * store is suspended, or the store failed over.
		 */
		IN_DOUBT,

		/**
		 * The lease was lost or has expired, and the owner has not released it yet.
		 */
		LOST

	}

}
