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

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What an operator sees of the holders of a key.
 */
abstract class HolderRules extends BackendRules {

	/**
	 * Ends while a test waits.
	 */
	private static final Duration SHORT = Duration.ofMillis(300);

	HolderRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void holderNamesItsProcess() {
		requiresNames();
		LeaseRequest lease = this.one.acquire(this.key);
		assertThat(this.two.inspect(this.key)).singleElement().satisfies((holder) -> {
			assertThat(holder.owner()).isEqualTo(lease.owner().toString());
			assertThat(holder.process()).isEqualTo(this.one.processName());
			assertThat(holder.isOf(lease.owner().instance())).isTrue();
			assertThat(holder.isOf(this.two.request(this.key).owner().instance())).isFalse();
		});
	}

	@Test
	void readersNameTheirProcesses() {
		requiresNames();
		requires(Capability.SHARED);
		LeaseRequest first = this.one.request(this.key, LeaseMode.SHARED);
		LeaseRequest second = this.two.request(this.key, LeaseMode.SHARED);
		this.one.acquire(first);
		this.two.acquire(second);
		assertThat(this.two.inspect(this.key)).extracting(LeaseHolder::owner, LeaseHolder::process)
			.containsExactlyInAnyOrder(tuple(first.owner().toString(), this.one.processName()),
					tuple(second.owner().toString(), this.two.processName()));
	}

	@Test
	void permitsNameTheirProcess() {
		requiresNames();
		requires(Capability.PERMITS);
		this.one.acquire(this.one.request(this.key, LeaseMode.permits(2, 3)));
		assertThat(this.two.inspect(this.key)).extracting(LeaseHolder::process).containsExactly(this.one.processName());
	}

	@Test
	void queuedOwnerNamesItsProcessOnceItHolds() {
		requiresNames();
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		this.one.release(holder);
		this.two.awaitGrant(contender);
		assertThat(this.one.inspect(this.key)).extracting(LeaseHolder::process).containsExactly(this.two.processName());
	}

	@Test
	void downgradedOwnerNamesItsProcess() {
		requiresNames();
		requires(Capability.SHARED);
		LeaseRequest writer = this.one.acquire(this.key);
		LeaseRequest reader = this.one.request(this.key, LeaseMode.SHARED);
		assertThat(this.one.downgrade(writer, reader)).isInstanceOf(Grant.class);
		assertThat(this.two.inspect(this.key)).extracting(LeaseHolder::owner, LeaseHolder::process)
			.containsExactly(tuple(reader.owner().toString(), this.one.processName()));
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void fairRequestsThatWaitNameTheirProcesses() {
		requiresNames();
		requires(Capability.FAIR);
		LeaseRequest holder = this.one.acquire(this.key);
		assertThat(this.two.inspectQueue(this.key)).isEmpty();
		LeaseRequest first = this.two.queue(this.two.fairRequest(this.key, LeaseMode.EXCLUSIVE));
		LeaseRequest second = this.one.queue(this.one.fairRequest(this.key, LeaseMode.SHARED));
		assertThat(this.one.inspectQueue(this.key)).extracting(LeaseWaiter::owner, LeaseWaiter::process)
			.containsExactly(tuple(first.owner().toString(), this.two.processName()),
					tuple(second.owner().toString(), this.one.processName()));
		this.one.release(second);
		this.one.release(holder);
		this.two.awaitGrant(first);
		assertThat(this.one.inspectQueue(this.key)).isEmpty();
	}

	@Test
	void keyHasNoHolderAfterTheDelayOfARelease() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.releaseAfter(lease, SHORT);
		await().untilAsserted(() -> assertThat(this.two.inspect(this.key)).isEmpty());
	}

	@Test
	void processIsNamedDuringTheDelayOfARelease() {
		requiresNames();
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.releaseAfter(lease, BackendProcess.LEASE_TIME);
		assertThat(this.two.inspect(this.key)).extracting(LeaseHolder::process).containsExactly(this.one.processName());
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void keyIsReleasedForItsHolder() {
		LeaseRequest lease = this.one.acquire(this.key);
		LeaseHolder holder = this.two.inspect(this.key).get(0);
		assertThat(this.two.forceRelease(this.key, holder)).isTrue();
		assertThat(this.two.inspect(this.key)).isEmpty();
		assertThat(this.one.renew(lease)).isEmpty();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void successorIsNotReleasedForAFormerHolder() {
		LeaseRequest lease = this.one.acquire(this.key);
		LeaseHolder former = this.two.inspect(this.key).get(0);
		this.one.release(lease);
		assertThat(this.two.forceRelease(this.key, former)).isFalse();
		LeaseRequest successor = this.one.acquire(this.key);
		assertThat(this.two.forceRelease(this.key, former)).isFalse();
		assertThat(this.one.renew(successor)).containsExactly(successor);
	}

	@Test
	void readerAmongSeveralIsReleased() {
		requires(Capability.SHARED);
		LeaseRequest first = this.one.request(this.key, LeaseMode.SHARED);
		LeaseRequest second = this.two.request(this.key, LeaseMode.SHARED);
		this.one.acquire(first);
		this.two.acquire(second);
		assertThat(this.two.forceRelease(this.key, holder(first))).isTrue();
		assertThat(this.two.inspect(this.key)).extracting(LeaseHolder::owner)
			.containsExactly(second.owner().toString());
		assertThat(this.one.renew(first)).isEmpty();
		assertThat(this.two.renew(second)).containsExactly(second);
		assertThat(this.two.forceRelease(this.key, holder(second))).isTrue();
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
	}

	@Test
	void permitsAreReleasedForTheirHolder() {
		requires(Capability.PERMITS);
		LeaseRequest first = this.one.request(this.key, LeaseMode.permits(2, 3));
		this.one.acquire(first);
		assertThat(this.two.forceRelease(this.key, holder(first))).isTrue();
		assertThat(this.two.acquires(this.two.request(this.key, LeaseMode.permits(3, 3)))).isTrue();
	}

	@Test
	void nextInTheQueueIsGrantedAfterAForcedRelease() {
		LeaseRequest lease = this.one.acquire(this.key);
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		assertThat(this.one.forceRelease(this.key, holder(lease))).isTrue();
		this.two.awaitGrant(contender);
		assertThat(this.one.renew(lease)).isEmpty();
	}

	@Test
	void keyIsReleasedDuringTheDelayOfARelease() {
		requiresNames();
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.releaseAfter(lease, BackendProcess.LEASE_TIME);
		LeaseHolder holder = this.two.inspect(this.key).get(0);
		assertThat(holder.isReleased()).isTrue();
		assertThat(this.two.forceRelease(this.key, holder)).isTrue();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	private LeaseHolder holder(LeaseRequest lease) {
		return this.two.inspect(this.key)
			.stream()
			.filter((holder) -> holder.owner().equals(lease.owner().toString()))
			.findFirst()
			.orElseThrow();
	}

	private void requiresNames() {
		assumeTrue(this.contract.recordsProcesses(), "Backend does not record the names of processes");
	}

}
