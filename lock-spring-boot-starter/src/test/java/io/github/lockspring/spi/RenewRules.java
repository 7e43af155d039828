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
 * Rules of renewal.
 */
abstract class RenewRules extends BackendRules {

	RenewRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void renewReturnsExactlyThoseStillHeld() {
		LeaseRequest held = this.one.acquire(this.key + ":held");
		LeaseRequest alsoHeld = this.one.acquire(this.key + ":alsoHeld");
		LeaseRequest expired = this.one.acquire(this.key + ":expired");
		expire(expired);
		LeaseRequest released = this.one.acquire(this.key + ":released");
		this.one.release(released);
		LeaseRequest foreign = this.one.request(this.two.acquire(this.key + ":foreign").key());
		assertThat(this.one.renew(expired, held, released, alsoHeld, foreign)).containsExactlyInAnyOrder(held,
				alsoHeld);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void renewOfNothingReturnsNothing() {
		assertThat(this.one.renew()).isEmpty();
	}

	@Test
	void expiredLeaseIsNotRenewedAfterAnotherTookTheKey() {
		LeaseRequest former = this.one.acquire(this.key);
		expire(former);
		LeaseRequest successor = this.two.acquire(this.key);
		assertThat(this.one.renew(former)).isEmpty();
		assertThat(this.two.inspect(this.key)).extracting(LeaseHolder::owner)
			.containsExactly(successor.owner().toString());
		assertThat(this.two.renew(successor)).containsExactly(successor);
	}

	@Test
	void expiredLeaseIsNotRenewedEvenIfTheKeyIsFree() {
		LeaseRequest former = this.one.acquire(this.key);
		expire(former);
		assertThat(this.one.renew(former)).isEmpty();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	void releasedLeaseIsNotRenewed() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.release(lease);
		assertThat(this.one.renew(lease)).isEmpty();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void renewKeepsToken() {
		LeaseRequest request = this.one.request(this.key);
		Grant grant = this.one.acquire(request);
		this.one.renew(request);
		assertThat(this.one.acquire(request).token()).isEqualTo(grant.token());
		assertThat(this.two.inspect(this.key)).extracting(LeaseHolder::token).containsExactly(grant.token());
	}

	@Test
	void leaseIsRenewedForTheLeaseTimeOfTheRenewal() {
		assumeTrue(this.contract.endsLeasesByTime(), "Leases last as long as a session");
		Duration shorter = BackendProcess.LEASE_TIME.dividedBy(10);
		LeaseRequest request = this.one.request(this.key, new LeaseTerms(LeaseMode.EXCLUSIVE, false, shorter, 1));
		this.one.acquire(request);
		LeaseRequest longer = request.withLeaseTime(BackendProcess.LEASE_TIME);
		assertThat(this.one.renew(longer)).containsExactly(request);
		assertThat(this.two.inspect(this.key).get(0).remaining()).isGreaterThan(shorter);
		assertThat(this.one.release(request)).isTrue();
	}

	@Test
	void renewedLeaseNeedsJustOneRelease() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.renew(lease);
		this.one.renew(lease);
		assertThat(this.one.release(lease)).isTrue();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

}
