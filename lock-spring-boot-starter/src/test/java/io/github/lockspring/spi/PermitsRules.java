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

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Rules of {@link LeaseMode#permits(int, int)}.
 */
abstract class PermitsRules extends BackendRules {

	PermitsRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void requirePermits() {
		requires(Capability.PERMITS);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void asManyAsTheLimitAreGranted() {
		assertThat(this.one.acquires(permits(this.one, 1, 3))).isTrue();
		assertThat(this.two.acquires(permits(this.two, 1, 3))).isTrue();
		assertThat(this.one.acquires(permits(this.one, 1, 3))).isTrue();
		assertThat(this.one.acquires(permits(this.one, 1, 3))).isFalse();
		assertThat(this.two.acquires(permits(this.two, 1, 3))).isFalse();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void severalPermitsAreGrantedTogetherOrNotAtAll() {
		LeaseRequest two = permits(this.one, 2, 3);
		this.one.acquire(two);
		assertThat(this.two.acquires(permits(this.two, 2, 3))).isFalse();
		assertThat(this.two.acquires(permits(this.two, 1, 3))).isTrue();
		this.one.release(two);
		assertThat(this.two.acquires(permits(this.two, 3, 3))).isFalse();
		assertThat(this.two.acquires(permits(this.two, 2, 3))).isTrue();
	}

	@Test
	void allPermitsAreGrantedWhenAllAreFree() {
		LeaseRequest part = permits(this.one, 1, 5);
		this.one.acquire(part);
		LeaseRequest all = permits(this.two, 5, 5);
		assertThat(this.two.acquires(all)).isFalse();
		this.one.release(part);
		assertThat(this.two.acquires(all)).isTrue();
		assertThat(this.one.acquires(permits(this.one, 1, 5))).isFalse();
	}

	@Test
	void secondReleaseAddsNothing() {
		LeaseRequest released = permits(this.one, 1, 2);
		this.one.acquire(released);
		this.two.acquire(permits(this.two, 1, 2));
		assertThat(this.one.release(released)).isTrue();
		assertThat(this.one.release(released)).isFalse();
		assertThat(this.one.acquires(permits(this.one, 1, 2))).isTrue();
		assertThat(this.one.acquires(permits(this.one, 1, 2))).isFalse();
		assertThat(this.two.acquires(permits(this.two, 1, 2))).isFalse();
	}

	@Test
	void releaseAfterExpiryAddsNothing() {
		LeaseRequest expired = permits(this.one, 2, 2);
		this.one.acquire(expired);
		expire(expired);
		this.two.acquire(permits(this.two, 1, 2));
		assertThat(this.one.release(expired)).isFalse();
		assertThat(this.one.acquires(permits(this.one, 1, 2))).isTrue();
		assertThat(this.one.acquires(permits(this.one, 1, 2))).isFalse();
	}

	@Test
	void releaseOfUnknownRequestAddsNothing() {
		this.two.acquire(permits(this.two, 2, 2));
		assertThat(this.one.release(permits(this.one, 2, 2))).isFalse();
		assertThat(this.one.acquires(permits(this.one, 1, 2))).isFalse();
	}

	@Test
	void replayTakesNoFurtherPermit() {
		LeaseRequest request = permits(this.one, 1, 2);
		Grant grant = this.one.acquire(request);
		assertThat(this.one.acquire(request).token()).isEqualTo(grant.token());
		assertThat(this.two.acquires(permits(this.two, 1, 2))).isTrue();
		assertThat(this.one.release(request)).isTrue();
		assertThat(this.two.acquires(permits(this.two, 1, 2))).isTrue();
	}

	@Test
	void deniedAttemptTakesNoPermit() {
		LeaseRequest holder = permits(this.one, 2, 3);
		this.one.acquire(holder);
		this.two.tryAcquire(permits(this.two, 2, 3));
		this.one.release(holder);
		assertThat(this.one.acquires(permits(this.one, 3, 3))).isTrue();
	}

	@Test
	void renewKeepsPermits() {
		LeaseRequest kept = permits(this.one, 1, 2);
		LeaseRequest expired = permits(this.one, 1, 2);
		this.one.acquire(kept);
		this.one.acquire(expired);
		expire(expired);
		assertThat(this.one.renew(kept, expired)).containsExactly(kept);
		assertThat(this.two.acquires(permits(this.two, 2, 2))).isFalse();
		assertThat(this.two.acquires(permits(this.two, 1, 2))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void holdersAreShownWithTheirPermits() {
		this.one.acquire(permits(this.one, 2, 5));
		this.two.acquire(permits(this.two, 1, 5));
		assertThat(this.one.inspect(this.key)).extracting(LeaseHolder::mode)
			.containsExactlyInAnyOrder(LeaseMode.permits(2, 5), LeaseMode.permits(1, 5));
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void otherLimitIsRejectedWithBothNumbers() {
		LeaseRequest holder = permits(this.one, 1, 41);
		this.one.acquire(holder);
		assertThatIllegalArgumentException().isThrownBy(() -> this.two.tryAcquire(permits(this.two, 1, 73)))
			.withMessageContaining("41")
			.withMessageContaining("73");
		assertThat(this.two.acquires(permits(this.two, 41, 41))).isFalse();
		assertThat(this.two.acquires(permits(this.two, 40, 41))).isTrue();
	}

	@Test
	void moreThanTheLimitAreNeverHeld() {
		AtomicInteger held = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		inParallel(6, (process) -> {
			for (int i = 0; i < 40; i++) {
				int wanted = 1 + i % 2;
				LeaseRequest request = permits(process, wanted, 3);
				process.spinUntilAcquired(request);
				most.accumulateAndGet(held.addAndGet(wanted), Math::max);
				held.addAndGet(-wanted);
				process.release(request);
			}
			return process;
		});
		assertThat(most.get()).isBetween(1, 3);
		assertThat(this.one.acquires(permits(this.one, 3, 3))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void contenderWaitsUntilEnoughPermitsAreFree() {
		requires(Capability.QUEUE);
		LeaseRequest first = permits(this.one, 1, 2);
		LeaseRequest second = permits(this.one, 1, 2);
		this.one.acquire(first);
		this.one.acquire(second);
		LeaseRequest both = this.two.queue(permits(this.two, 2, 2));
		this.one.release(first);
		this.two.queue(both);
		this.one.release(second);
		this.two.awaitGrant(both);
		assertThat(this.one.acquires(permits(this.one, 1, 2))).isFalse();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void contenderForManyPermitsIsNotOvertakenByOthersThatWait() {
		requires(Capability.QUEUE);
		LeaseRequest holder = permits(this.one, 1, 3);
		this.one.acquire(holder);
		LeaseRequest all = this.two.queue(permits(this.two, 3, 3));
		LeaseRequest late = this.one.queue(permits(this.one, 1, 3));
		this.one.release(holder);
		this.two.awaitNotification(all);
		assertThat(this.one.contend(late)).isInstanceOf(Denial.class);
		this.two.release(all);
		this.one.awaitNotification(late);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void fewerPermitsReplaceALeaseUnderTheSameToken() {
		LeaseRequest three = permits(this.one, 3, 3);
		long token = this.one.acquire(three).token();
		LeaseRequest one = permits(this.one, 1, 3);
		Grant grant = (Grant) this.one.downgrade(three, one);
		assertThat(grant.token()).isEqualTo(token);
		assertThat(grant.validity()).isPositive();
		assertThat(this.two.inspect(this.key)).singleElement().satisfies((holder) -> {
			assertThat(holder.owner()).isEqualTo(one.owner().toString());
			assertThat(holder.mode()).isEqualTo(LeaseMode.permits(1, 3));
		});
		assertThat(this.two.acquires(permits(this.two, 3, 3))).isFalse();
		assertThat(this.two.acquires(permits(this.two, 2, 3))).isTrue();
		assertThat(this.one.renew(one)).containsExactly(one);
		assertThat(this.one.release(one)).isTrue();
		assertThat(this.one.acquires(permits(this.one, 1, 3))).isTrue();
	}

	@Test
	void leaseThatWasReplacedByFewerPermitsIsOver() {
		LeaseRequest three = permits(this.one, 3, 3);
		this.one.acquire(three);
		LeaseRequest two = permits(this.one, 2, 3);
		this.one.downgrade(three, two);
		assertThat(this.one.renew(three)).isEmpty();
		assertThat(this.one.release(three)).isFalse();
		assertThat(this.one.renew(two)).containsExactly(two);
		assertThat(this.two.acquires(permits(this.two, 2, 3))).isFalse();
	}

	@Test
	void replayedReplacementReleasesNothingMore() {
		LeaseRequest three = permits(this.one, 3, 3);
		long token = this.one.acquire(three).token();
		LeaseRequest two = permits(this.one, 2, 3);
		this.one.downgrade(three, two);
		assertThat(((Grant) this.one.downgrade(three, two)).token()).isEqualTo(token);
		assertThat(this.two.inspect(this.key)).extracting(LeaseHolder::mode).containsExactly(LeaseMode.permits(2, 3));
		assertThat(this.two.acquires(permits(this.two, 1, 3))).isTrue();
		assertThat(this.two.acquires(permits(this.two, 1, 3))).isFalse();
	}

	@Test
	void expiredLeaseCannotBeReplacedByFewerPermits() {
		LeaseRequest expired = permits(this.one, 3, 3);
		this.one.acquire(expired);
		expire(expired);
		LeaseRequest successor = permits(this.two, 2, 3);
		this.two.acquire(successor);
		assertThat(this.one.downgrade(expired, permits(this.one, 1, 3))).isInstanceOf(Denial.class);
		assertThat(this.two.inspect(this.key)).singleElement()
			.satisfies((holder) -> assertThat(holder.owner()).isEqualTo(successor.owner().toString()));
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void contenderThatFitsBesideFewerPermitsIsAdmitted() {
		requires(Capability.QUEUE);
		LeaseRequest four = permits(this.one, 4, 4);
		this.one.acquire(four);
		LeaseRequest three = this.two.queue(permits(this.two, 3, 4));
		LeaseRequest two = permits(this.one, 2, 4);
		this.one.downgrade(four, two);
		assertThat(this.two.contend(three)).isInstanceOf(Denial.class);
		LeaseRequest one = permits(this.one, 1, 4);
		this.one.downgrade(two, one);
		this.two.awaitNotification(three);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void newerHigherLimitAppliesAtOnce() {
		LeaseRequest former = permits(this.one, 2, 2);
		this.one.acquire(former);
		LeaseRequest newer = permits(this.two, 1, 3, 1);
		this.two.acquire(newer);
		assertRejected(this.one, permits(this.one, 1, 2), 3, 1);
		assertThat(this.one.acquires(permits(this.one, 1, 3, 1))).isFalse();
		assertThat(this.one.renew(former)).containsExactly(former);
		assertThat(this.one.release(former)).isTrue();
		assertThat(this.one.acquires(permits(this.one, 2, 3, 1))).isTrue();
		assertThat(this.two.inspect(this.key)).extracting((holder) -> ((LeaseMode.Permits) holder.mode()).version())
			.containsOnly(1L);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void newerLowerLimitWaitsUntilEnoughPermitsCameBack() {
		LeaseRequest four = permits(this.one, 4, 4);
		this.one.acquire(four);
		LeaseRequest newer = permits(this.two, 1, 2, 1);
		assertThat(this.two.acquires(newer)).isFalse();
		LeaseRequest two = permits(this.one, 2, 4);
		this.one.downgrade(four, two);
		assertThat(this.two.acquires(newer)).isFalse();
		this.one.downgrade(two, permits(this.one, 1, 4));
		assertThat(this.two.acquires(newer)).isTrue();
		assertRejected(this.one, permits(this.one, 1, 4), 2, 1);
	}

	@Test
	void otherLimitOfTheSameVersionIsRejected() {
		this.one.acquire(permits(this.one, 1, 5, 7));
		assertRejected(this.two, permits(this.two, 1, 6, 7), 5, 7);
		assertRejected(this.two, permits(this.two, 1, 5, 6), 5, 7);
		assertThat(this.two.acquires(permits(this.two, 4, 5, 7))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void newerLimitThatIsWaitedForApplies() {
		requires(Capability.QUEUE);
		LeaseRequest former = permits(this.one, 2, 3);
		this.one.acquire(former);
		LeaseRequest newer = this.two.queue(permits(this.two, 1, 2, 1));
		assertRejected(this.one, permits(this.one, 1, 3), 2, 1);
		this.one.release(former);
		this.two.awaitNotification(newer);
	}

	private void assertRejected(BackendProcess process, LeaseRequest request, int limit, long version) {
		assertThatExceptionOfType(PermitLimitException.class).isThrownBy(() -> process.tryAcquire(request))
			.satisfies((rejection) -> {
				assertThat(rejection.limit()).isEqualTo(limit);
				assertThat(rejection.version()).isEqualTo(version);
			});
	}

	private LeaseRequest permits(BackendProcess process, int permits, int limit) {
		return permits(process, permits, limit, 0);
	}

	private LeaseRequest permits(BackendProcess process, int permits, int limit, long version) {
		return process.request(this.key, LeaseMode.permits(permits, limit, version));
	}

}
