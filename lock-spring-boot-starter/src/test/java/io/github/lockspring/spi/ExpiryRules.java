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
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Rules of leases whose time is over.
 */
abstract class ExpiryRules extends BackendRules {

	ExpiryRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void expiryLetsTheNextIn() {
		expire(this.one.acquire(this.key));
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	void expiryLetsTheSameProcessIn() {
		expire(this.one.acquire(this.key));
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
	}

	@Test
	void expiredHolderIsNotShown() {
		expire(this.one.acquire(this.key));
		assertThat(this.two.inspect(this.key)).isEmpty();
	}

	@Test
	void releaseAfterExpiryIsFalse() {
		LeaseRequest lease = this.one.acquire(this.key);
		expire(lease);
		assertThat(this.one.release(lease)).isFalse();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void replayOfExpiredAttemptIsDeniedWhileSuccessorHolds() {
		LeaseRequest former = this.one.acquire(this.key);
		expire(former);
		LeaseRequest successor = this.two.acquire(this.key);
		assertThat(this.one.acquires(former)).isFalse();
		assertThat(this.two.release(successor)).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void expiryLeavesOtherLeasesUntouched() {
		LeaseRequest lease = this.one.acquire(this.key);
		LeaseRequest other = this.one.acquire(this.key + ":other");
		expire(lease);
		assertThat(this.two.acquires(this.two.request(this.key + ":other"))).isFalse();
		assertThat(this.one.renew(lease, other)).containsExactly(other);
	}

	/**
	 * The lease that is renewed was granted before the other: its own first time is over
	 * when that of the other is.
	 */
	@Test
	void leaseEndsByItselfUnlessItIsRenewed() {
		assumeTrue(this.contract.endsLeasesByTime(), () -> "Backend " + this.one.name() + " ends no lease by time");
		LeaseTerms terms = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(3), 1);
		LeaseRequest renewed = this.one.request(this.key + ":renewed", terms);
		this.one.acquire(renewed);
		long start = System.nanoTime();
		this.one.acquire(this.one.request(this.key, terms));
		LeaseRequest longer = renewed.withLeaseTime(BackendProcess.LEASE_TIME);
		LeaseRequest next = this.two.request(this.key);
		await().pollInterval(Duration.ofMillis(50)).until(() -> {
			assertThat(this.one.renew(longer)).containsExactly(renewed);
			return this.two.acquires(next);
		});
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(terms.leaseTime().minusMillis(100));
		assertThat(this.two.acquires(this.two.request(renewed.key()))).isFalse();
		assertThat(this.one.release(renewed)).isTrue();
	}

	@Test
	void leaseOfAStoreThatEndsNoneByTimeOutlivesIt() {
		assumeTrue(!this.contract.endsLeasesByTime(), () -> "Backend " + this.one.name() + " ends leases by time");
		Duration leaseTime = Duration.ofMillis(500);
		LeaseRequest lease = this.one.request(this.key, new LeaseTerms(LeaseMode.EXCLUSIVE, false, leaseTime, 1));
		this.one.acquire(lease);
		await().during(leaseTime.multipliedBy(2))
			.until(() -> this.one.renew(lease).contains(lease) && !this.two.acquires(this.two.request(this.key)));
	}

}
