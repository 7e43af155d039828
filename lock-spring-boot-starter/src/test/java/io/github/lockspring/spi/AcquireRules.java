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
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of the first attempt.
 */
abstract class AcquireRules extends BackendRules {

	AcquireRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void freeKeyIsGranted() {
		Grant grant = this.one.acquire(this.one.request(this.key));
		assertThat(grant.token() > 0).isEqualTo(this.one.has(Capability.FENCING));
		assertThat(grant.token()).isNotNegative();
		assertThat(grant.validity()).isPositive();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void heldKeyIsDeniedToOthers() {
		this.one.acquire(this.key);
		Attempt attempt = this.two.tryAcquire(this.two.request(this.key));
		assertThat(attempt).isInstanceOf(Denial.class);
		assertThat(((Denial) attempt).retryAfter()).isGreaterThanOrEqualTo(Duration.ZERO);
	}

	@Test
	void heldKeyIsDeniedToOtherRequestsOfTheSameProcess() {
		this.one.acquire(this.key);
		assertThat(this.one.acquires(this.one.request(this.key))).isFalse();
	}

	@Test
	void releasedKeyIsGrantedToTheNext() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.release(lease);
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	void keysAreIndependent() {
		this.one.acquire(this.key);
		assertThat(this.two.acquires(this.two.request(this.key + ":other"))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void deniedAttemptLeavesNothing() {
		LeaseRequest lease = this.one.acquire(this.key);
		LeaseRequest denied = this.two.request(this.key);
		assertThat(this.two.acquires(denied)).isFalse();
		this.one.release(lease);
		assertThat(this.one.inspect(this.key)).isEmpty();
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
		assertThat(this.two.notifications().of(denied)).isEmpty();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void replayedAttemptIsGrantedWithTheSameToken() {
		LeaseRequest request = this.one.request(this.key);
		Grant grant = this.one.acquire(request);
		assertThat(this.one.acquire(request).token()).isEqualTo(grant.token());
		assertThat(this.one.acquire(request).token()).isEqualTo(grant.token());
	}

	@Test
	void replayedAttemptNeedsJustOneRelease() {
		LeaseRequest request = this.one.request(this.key);
		this.one.acquire(request);
		this.one.acquire(request);
		assertThat(this.one.release(request)).isTrue();
		assertThat(this.one.inspect(this.key)).isEmpty();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void contendOfFreeKeyIsGranted() {
		LeaseRequest request = this.one.request(this.key);
		assertThat(this.one.contend(request)).isInstanceOf(Grant.class);
		assertThat(this.two.acquires(this.two.request(this.key))).isFalse();
		assertThat(this.one.release(request)).isTrue();
	}

	@Test
	void contendOfHeldRequestIsAReplay() {
		LeaseRequest request = this.one.request(this.key);
		Grant grant = this.one.acquire(request);
		assertThat(this.one.contend(request)).isInstanceOfSatisfying(Grant.class,
				(replayed) -> assertThat(replayed.token()).isEqualTo(grant.token()));
		assertThat(this.one.release(request)).isTrue();
		assertThat(this.one.inspect(this.key)).isEmpty();
	}

	@Test
	void oneOfManyThreadsWins() {
		List<Boolean> winners = inParallel(16, (process) -> process.acquires(process.request(this.key)));
		assertThat(Collections.frequency(winners, true)).isLessThanOrEqualTo(1);
		if (this.contract.letsOneOfManyWin()) {
			assertThat(winners).contains(true);
		}
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void holderIsShown() {
		LeaseRequest request = this.one.request(this.key,
				new LeaseTerms(LeaseMode.EXCLUSIVE, false, BackendProcess.LEASE_TIME, 16));
		Grant grant = this.one.acquire(request);
		assertThat(this.two.inspect(this.key)).singleElement().satisfies((holder) -> {
			assertThat(holder.owner()).isEqualTo(request.owner().toString());
			assertThat(holder.mode()).isEqualTo(LeaseMode.EXCLUSIVE);
			assertThat(holder.token()).isEqualTo(this.one.has(Capability.FENCING) ? grant.token() + 15 : 0);
			assertThat(holder.remaining()).isPositive();
		});
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void noHolderIsShownForFreeKey() {
		assertThat(this.one.inspect(this.key)).isEmpty();
		this.one.release(this.one.acquire(this.key));
		assertThat(this.one.inspect(this.key)).isEmpty();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void probeLeavesNothingBehind() {
		assertThat(this.one.backend().probe(this.one.request(this.key), BackendProcess.TIMEOUT))
			.isGreaterThanOrEqualTo(Duration.ZERO);
		assertThat(this.two.inspect(this.key)).isEmpty();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void probeThatFindsAnotherReturns() {
		LeaseRequest other = this.two.acquire(this.key);
		this.one.backend().probe(this.one.request(this.key), BackendProcess.TIMEOUT);
		assertThat(this.two.release(other)).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void nameIsShortAndInLowerCase() {
		assertThat(this.one.name()).matches("[a-z][a-z0-9-]{0,20}").isEqualTo(this.two.name());
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void capabilitiesAreAlwaysTheSame() {
		assertThat(this.one.backend().capabilities()).isEqualTo(this.one.backend().capabilities())
			.isEqualTo(this.two.backend().capabilities());
	}

}
