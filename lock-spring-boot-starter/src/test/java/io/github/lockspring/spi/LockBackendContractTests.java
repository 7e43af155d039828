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

package io.github.lockspring.spi;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

import io.github.lockspring.concurrent.AtomicLongContract;
import io.github.lockspring.concurrent.BarrierContract;
import io.github.lockspring.concurrent.CountDownLatchContract;
import io.github.lockspring.concurrent.DoubleBarrierContract;
import io.github.lockspring.concurrent.LeaseLockContract;
import io.github.lockspring.concurrent.LeaseReadWriteLockContract;
import io.github.lockspring.concurrent.LeaseSemaphoreContract;
import io.github.lockspring.concurrent.LockProcesses;
import io.github.lockspring.concurrent.MultiLockContract;
import io.github.lockspring.concurrent.SharedCountContract;

/**
 * What every {@link LockBackend} promises, as tests. A backend is done when a subclass of
 * this class passes against the backend's real store; such a subclass implements two
 * methods and may answer three questions.
 * <p>
 * Groups and tests that need a {@link Capability} are skipped, with a message, if the
 * backend does not have it. Every test uses keys of its own, so that the store need not
 * be emptied between tests.
 * <p>
 * A set-up whose code is under the whole contract on another one already, and which
 * differs from it only in how the store is reached, may be left to a long build but for
 * the tests tagged {@link #EVERYWHERE}, by excluding {@code torture & !everywhere}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LockBackendContractTests {

	/**
	 * Tag of tests that a set-up can fail although others pass: one or more of each call,
	 * script, answer and notification, and those of several keys, the text of keys, the
	 * queue and a store that is away.
	 */
	public static final String EVERYWHERE = "everywhere";

	private final LockProcesses lockProcesses = new LockProcesses(this::backend, this::expire);

	private @Nullable BackendProcess one;

	private @Nullable BackendProcess two;

	/**
	 * Closes the backends, and disconnects from the store.
	 */
	@AfterAll
	final void closeBackends() throws Exception {
		this.lockProcesses.close();
		if (this.one != null) {
			this.one.close();
		}
		if (this.two != null) {
			this.two.close();
		}
		disconnect();
	}

	/**
	 * Releases what the backends have used, after all tests and once they are closed. By
	 * default, does nothing.
	 * @throws Exception if that failed
	 */
	protected void disconnect() throws Exception {
	}

	/**
	 * Creates a backend on the shared store. Two of them play two processes, for as many
	 * tests as do not close them. They are started and closed by the tests.
	 * @return a new backend that has not been started
	 */
	protected abstract LockBackend backend();

	BackendProcess one() {
		this.one = running(this.one);
		return this.one;
	}

	BackendProcess two() {
		this.two = running(this.two);
		return this.two;
	}

	private BackendProcess running(@Nullable BackendProcess process) {
		return (process != null && !process.isClosed()) ? process : new BackendProcess(backend());
	}

	/**
	 * Makes the store regard a lease as over, at once, as if its time had run out.
	 * @param lease the request that was granted
	 */
	protected abstract void expire(LeaseRequest lease);

	/**
	 * Creates a backend whose store is away: nothing listens at its address, or nothing
	 * answers. Tests of failure are skipped if there is none.
	 * @return a new backend that has not been started, or {@code null}
	 */
	protected @Nullable LockBackend unreachableBackend() {
		return null;
	}

	/**
	 * Whether a lease ends when its time is over although its process lives on and stays
	 * connected.
	 * @return {@code false} for a store whose leases last as long as a session
	 */
	protected boolean endsLeasesByTime() {
		return true;
	}

	/**
	 * Whether of many who try at once one is granted a free key.
	 * @return {@code false} for a store whose parts decide one by one, so that contenders
	 * may be in each other's way
	 */
	protected boolean letsOneOfManyWin() {
		return true;
	}

	/**
	 * Whether the store keeps a recall until its holder knows it.
	 * @return {@code false} for a store that sends a message, which may be lost
	 */
	protected boolean keepsRecalls() {
		return false;
	}

	/**
	 * Whether the store keeps the name of the process of a lease.
	 * @return {@code false} for a backend whose holders are only known by their owner
	 */
	protected boolean recordsProcesses() {
		return true;
	}

	@Nested
	class Acquire extends AcquireRules {

		Acquire() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Release extends ReleaseRules {

		Release() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class ReleaseAfter extends DelayedReleaseRules {

		ReleaseAfter() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Renew extends RenewRules {

		Renew() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Expiry extends ExpiryRules {

		Expiry() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Fencing extends FencingRules {

		Fencing() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Contention extends ContentionRules {

		Contention() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Poll extends PollRules {

		Poll() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class SharedMode extends SharedModeRules {

		SharedMode() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Permits extends PermitsRules {

		Permits() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class OneProcess extends OneProcessRules {

		OneProcess() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class SeveralKeys extends SeveralKeysRules {

		SeveralKeys() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Queue extends QueueRules {

		Queue() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Recall extends RecallRules {

		Recall() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Fair extends FairRules {

		Fair() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Keys extends KeysRules {

		Keys() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Holders extends HolderRules {

		Holders() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class LeaseLocks extends LeaseLockContract {

		LeaseLocks() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

	@Nested
	class Semaphores extends LeaseSemaphoreContract {

		Semaphores() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

	@Nested
	class ReadWriteLocks extends LeaseReadWriteLockContract {

		ReadWriteLocks() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

	@Nested
	class MultiLocks extends MultiLockContract {

		MultiLocks() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

	@Nested
	class Failure extends FailureRules {

		Failure() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class Values extends ValueRules {

		Values() {
			super(LockBackendContractTests.this);
		}

	}

	@Nested
	class AtomicLongs extends AtomicLongContract {

		AtomicLongs() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

	@Nested
	class SharedCounts extends SharedCountContract {

		SharedCounts() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

	@Nested
	class CountDownLatches extends CountDownLatchContract {

		CountDownLatches() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

	@Nested
	class Barriers extends BarrierContract {

		Barriers() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

	@Nested
	class DoubleBarriers extends DoubleBarrierContract {

		DoubleBarriers() {
			super(LockBackendContractTests.this.lockProcesses);
		}

	}

}
