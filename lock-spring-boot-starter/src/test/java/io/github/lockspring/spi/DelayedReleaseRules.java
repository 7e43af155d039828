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
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases that are released so that they end after a delay.
 */
abstract class DelayedReleaseRules extends BackendRules {

	/**
	 * Ends while a test waits.
	 */
	private static final Duration SHORT = Duration.ofMillis(300);

	/**
	 * Does not end during a test.
	 */
	private static final Duration LONG = Duration.ofMinutes(10);

	DelayedReleaseRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	void keyIsNotGrantedBeforeTheDelayIsOver() {
		LeaseRequest lease = this.one.acquire(this.key);
		assertThat(this.one.releaseAfter(lease, LONG)).isTrue();
		assertThat(this.one.acquires(this.one.request(this.key))).isFalse();
		assertThat(this.two.acquires(this.two.request(this.key))).isFalse();
		assertThat(this.one.acquires(lease)).isFalse();
	}

	@Test
	void restCountsAlsoIfItIsLongerThanTheLease() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.releaseAfter(lease, LONG);
		assertThat(remaining()).isBetween(LONG.dividedBy(2), LONG);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void keyIsFreeAfterTheDelay() {
		LeaseRequest lease = this.one.request(this.key);
		Grant first = this.one.acquire(lease);
		assertThat(this.one.releaseAfter(lease, SHORT)).isTrue();
		Grant[] second = new Grant[1];
		await().until(() -> {
			Attempt attempt = this.two.tryAcquire(this.two.request(this.key));
			second[0] = (attempt instanceof Grant grant) ? grant : null;
			return second[0] != null;
		});
		assertGrown(second[0].token(), first.token());
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void leaseCannotBeRenewedAfterwards() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.releaseAfter(lease, LONG);
		assertThat(this.one.backend().renew(List.of(lease), BackendProcess.TIMEOUT).lost()).containsExactly(lease);
		assertThat(remaining()).isGreaterThan(LONG.dividedBy(2));
	}

	@Test
	void repeatedCallLeavesTheDelayAsItIs() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.releaseAfter(lease, LONG);
		this.one.releaseAfter(lease, LONG.multipliedBy(10));
		assertThat(remaining()).isLessThanOrEqualTo(LONG);
		this.one.releaseAfter(lease, Duration.ofMillis(1));
		assertThat(remaining()).isGreaterThan(LONG.dividedBy(2));
	}

	@Test
	void releaseAfterwardsLeavesTheDelayAsItIs() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.releaseAfter(lease, LONG);
		this.one.release(lease);
		assertThat(this.two.acquires(this.two.request(this.key))).isFalse();
	}

	@Test
	void callByFormerHolderLeavesSuccessorUntouched() {
		LeaseRequest former = this.one.acquire(this.key);
		expire(former);
		LeaseRequest successor = this.two.acquire(this.key);
		assertThat(this.one.releaseAfter(former, LONG)).isFalse();
		assertThat(this.two.renew(successor)).containsExactly(successor);
		assertThat(this.two.release(successor)).isTrue();
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
	}

	@Test
	void callByStrangerLeavesHolderUntouched() {
		LeaseRequest holder = this.one.acquire(this.key);
		assertThat(this.two.releaseAfter(this.two.request(this.key), Duration.ofMillis(1))).isFalse();
		assertThat(this.one.renew(holder)).containsExactly(holder);
	}

	@Test
	void callForEndedLeaseBlocksNoOther() {
		LeaseRequest lease = this.one.acquire(this.key);
		expire(lease);
		assertThat(this.one.releaseAfter(lease, LONG)).isFalse();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void readersKeepWritersOutAndLetReadersIn() {
		requires(Capability.SHARED);
		LeaseRequest reader = this.one.request(this.key, LeaseMode.SHARED);
		this.one.acquire(reader);
		assertThat(this.one.releaseAfter(reader, LONG)).isTrue();
		assertThat(this.one.renew(reader)).isEmpty();
		this.one.releaseAfter(reader, Duration.ofMillis(1));
		assertThat(this.two.acquires(this.two.request(this.key))).isFalse();
		assertThat(this.two.acquires(this.two.request(this.key, LeaseMode.SHARED))).isTrue();
	}

	@Test
	void writerComesInAfterTheDelayOfAReader() {
		requires(Capability.SHARED);
		LeaseRequest reader = this.one.request(this.key, LeaseMode.SHARED);
		this.one.acquire(reader);
		this.one.releaseAfter(reader, SHORT);
		await().until(() -> this.two.acquires(this.two.request(this.key)));
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void permitsAreInUseUntilTheDelayIsOver() {
		requires(Capability.PERMITS);
		LeaseRequest two = this.one.request(this.key, LeaseMode.permits(2, 3));
		this.one.acquire(two);
		assertThat(this.one.releaseAfter(two, LONG)).isTrue();
		assertThat(this.one.renew(two)).isEmpty();
		assertThat(this.two.acquires(this.two.request(this.key, LeaseMode.permits(2, 3)))).isFalse();
		assertThat(this.two.acquires(this.two.request(this.key, LeaseMode.permits(1, 3)))).isTrue();
	}

	@Test
	void permitsAreFreeAfterTheDelay() {
		requires(Capability.PERMITS);
		LeaseRequest all = this.one.request(this.key, LeaseMode.permits(3, 3));
		this.one.acquire(all);
		this.one.releaseAfter(all, SHORT);
		await().until(() -> this.two.acquires(this.two.request(this.key, LeaseMode.permits(3, 3))));
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void contenderIsNotifiedToRetryAndWaitsForTheDelay() {
		requires(Capability.QUEUE);
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		this.one.releaseAfter(holder, SHORT);
		await().until(() -> !this.two.notifications().of(contender).isEmpty());
		this.two.awaitGrant(contender);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void contenderIsAskedToComeBackWhenTheDelayIsOver() {
		requires(Capability.QUEUE);
		LeaseRequest holder = this.one.acquire(this.key);
		this.one.releaseAfter(holder, SHORT);
		Attempt attempt = this.two.contend(this.two.request(this.key));
		if (attempt instanceof Denial denial) { // not so on a machine that is very slow
			assertThat(denial.retryAfter()).isLessThanOrEqualTo(SHORT);
		}
	}

	@Test
	void queueEntryIsReleased() {
		requires(Capability.QUEUE);
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		assertThat(this.two.releaseAfter(contender, LONG)).isFalse();
		this.one.release(holder);
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
	}

	private Duration remaining() {
		List<LeaseHolder> holders = this.two.inspect(this.key);
		assertThat(holders).hasSize(1);
		return holders.get(0).remaining();
	}

}
