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

package io.github.lockspring.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.EngineInspection.Snapshot;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockNames;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.ProcessName;

/**
 * Descriptors of the responses of the {@link LocksEndpoint}.
 */
public final class LocksDescriptors {

	private LocksDescriptors() {
	}

	/**
	 * Locks that this process holds and waits for.
	 *
	 * @param application the name of the application
	 * @param host the name of the host
	 * @param pid the process id
	 * @param backends the locks of each backend, by its name
	 */
	public record Locks(String application, String host, long pid, Map<String, Backend> backends) {
	}

	/**
	 * Locks that this process holds and waits for on a backend.
	 *
	 * @param owner the identifier of this process, with which the owners of its leases
	 * begin
	 * @param held the locks that are held, or lost and not released yet
	 * @param waiting the acquisitions that wait
	 */
	public record Backend(String owner, List<Held> held, List<Waiting> waiting) {

		static Backend of(LockEngine engine, LockNames names) {
			Snapshot snapshot = engine.inspection().snapshot();
			return new Backend(engine.inspection().instance(),
					snapshot.held().stream().map((held) -> Held.of(held, names)).toList(),
					snapshot.waiting().stream().map((waiting) -> Waiting.of(waiting, names)).toList());
		}

	}

	/**
	 * Lock that is held in this process, or lost and not released yet.
	 *
	 * @param name the name of the lock, as in the tags of meters
	 * @param key the key, as used in the store
	 * @param mode the mode: {@code exclusive}, {@code shared} or a number of permits
	 * @param holder the thread, or another owner
	 * @param threadId the id of the thread, if it is one
	 * @param threadState the state of the thread, if it is one
	 * @param state whether the lock is held
	 * @param since the time since which it is held
	 * @param remaining the time for which the lease is certain to last unless it is
	 * renewed
	 * @param token the fencing token, 0 if the backend has none
	 * @param count the number of times that the owner has acquired and not released it
	 * @param owner the owner of the lease in the store
	 */
	public record Held(String name, String key, String mode, String holder, @Nullable Long threadId,
			Thread.@Nullable State threadState, Snapshot.State state, Instant since, Duration remaining, long token,
			int count, String owner) {

		static Held of(Snapshot.Held held, LockNames names) {
			Snapshot.Owner holder = held.owner();
			return new Held(names.nameOf(held.key()), held.key(), held.mode().toString(), holder.name(),
					holder.threadId(), holder.threadState(), held.state(), held.since(), held.remaining(), held.token(),
					held.count(), held.leaseOwner());
		}

	}

	/**
	 * Acquisition that waits in this process.
	 *
	 * @param name the name of the lock, as in the tags of meters
	 * @param key the key, as used in the store
	 * @param mode the wanted mode
	 * @param waiter the thread, or another owner
	 * @param threadId the id of the thread, if it is one
	 * @param threadState the state of the thread, if it is one
	 * @param since the time since which it waits
	 * @param position the position in the queue of this process, counted from 1
	 */
	public record Waiting(String name, String key, String mode, String waiter, @Nullable Long threadId,
			Thread.@Nullable State threadState, Instant since, int position) {

		static Waiting of(Snapshot.Waiting waiting, LockNames names) {
			Snapshot.Owner waiter = waiting.owner();
			return new Waiting(names.nameOf(waiting.key()), waiting.key(), waiting.mode().toString(), waiter.name(),
					waiter.threadId(), waiter.threadState(), waiting.since(), waiting.position());
		}

	}

	/**
	 * Single lock, as recorded in the stores.
	 *
	 * @param name the name of the lock, as in the tags of meters
	 * @param key the key, as used in the store
	 * @param backends the lock on each backend where it is held or waited for, or that
	 * failed, by the name of the backend
	 */
	public record Lock(String name, String key, Map<String, KeyState> backends) {

		boolean isFound() {
			return this.backends.values().stream().anyMatch(KeyState::isFound);
		}

		boolean isFailed() {
			return this.backends.values().stream().anyMatch((state) -> state.error() != null);
		}

	}

	/**
	 * Single lock on a backend.
	 *
	 * @param holders the holders, of all processes
	 * @param queue the owners that wait in the store, of all processes, if it records
	 * them: one for all acquisitions of a process
	 * @param waiting the acquisitions of this process that wait
	 * @param error the reason why the holders are unknown, or {@code null}
	 */
	public record KeyState(List<Holder> holders, List<Queued> queue, List<Waiting> waiting, @Nullable String error) {

		boolean isFound() {
			return !this.holders.isEmpty() || !this.queue.isEmpty() || !this.waiting.isEmpty();
		}

	}

	/**
	 * Result of a forced release.
	 *
	 * @param key the key, as used in the store
	 * @param backends the result on each backend, by its name
	 */
	public record Release(String key, Map<String, Released> backends) {

		boolean isDone() {
			return this.backends.values().stream().anyMatch((released) -> !released.released().isEmpty());
		}

		boolean isFailed() {
			return this.backends.values().stream().anyMatch((released) -> released.error() != null);
		}

	}

	/**
	 * Result of a forced release on a backend.
	 *
	 * @param released the holders that held the key until now
	 * @param error the reason why others may still hold the key, or {@code null}
	 */
	public record Released(List<Holder> released, @Nullable String error) {
	}

	/**
	 * Owner that waits for a key in the store, of any process.
	 *
	 * @param application the name of the application, if it is known
	 * @param host the name of the host, if it is known
	 * @param pid the process id, if it is known
	 * @param owner the owner that waits
	 * @param thisProcess whether the owner belongs to this process
	 */
	public record Queued(@Nullable String application, @Nullable String host, @Nullable Long pid, String owner,
			boolean thisProcess) {

		static Queued of(LeaseWaiter waiter, LockEngine engine) {
			ProcessName process = waiter.process();
			return new Queued((process != null) ? process.application() : null,
					(process != null) ? process.host() : null, (process != null) ? process.pid() : null, waiter.owner(),
					waiter.isOf(engine.inspection().instance()));
		}

	}

	/**
	 * Holder of a key, of any process.
	 *
	 * @param application the name of the application, if it is known
	 * @param host the name of the host, if it is known
	 * @param pid the process id, if it is known
	 * @param owner the owner of the lease
	 * @param mode the mode of the lease
	 * @param token the last fencing token of the lease, 0 if the backend has none
	 * @param remaining the time until the lease ends if it is not renewed
	 * @param thisProcess whether the owner belongs to this process
	 * @param released whether the owner has released the key, which remains locked until
	 * its minimum hold time is over
	 */
	public record Holder(@Nullable String application, @Nullable String host, @Nullable Long pid, String owner,
			String mode, long token, Duration remaining, boolean thisProcess, boolean released) {

		static Holder of(LeaseHolder holder, LockEngine engine) {
			ProcessName process = holder.process();
			return new Holder((process != null) ? process.application() : null,
					(process != null) ? process.host() : null, (process != null) ? process.pid() : null, holder.owner(),
					holder.mode().toString(), holder.token(), holder.remaining(),
					holder.isOf(engine.inspection().instance()), holder.isReleased());
		}

	}

}
