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
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of the queue in the store.
 */
@Tag(LockBackendContractTests.EVERYWHERE)
abstract class QueueRules extends BackendRules {

	QueueRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void requireQueue() {
		requires(Capability.QUEUE);
	}

	@Test
	void releaseNotifiesTheHeadOnly() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest head = this.two.queue(this.two.request(this.key));
		LeaseRequest second = this.one.queue(this.one.request(this.key));
		LeaseRequest third = this.two.queue(this.two.request(this.key));
		this.one.release(holder);
		this.two.awaitNotification(head);
		this.two.release(head);
		this.one.awaitNotification(second);
		this.one.release(second);
		this.two.awaitNotification(third);
		assertThat(this.two.notifications().of(head)).hasSize(1);
		assertThat(this.one.notifications().of(second)).hasSize(1);
		assertThat(this.two.notifications().of(third)).hasSize(1);
	}

	@Test
	void grantedContenderIsTheHolder() {
		LeaseRequest holder = this.one.request(this.key);
		long token = this.one.acquire(holder).token();
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		this.one.release(holder);
		Grant grant = this.two.awaitNotification(contender);
		assertGrown(grant.token(), token);
		assertThat(this.one.acquires(this.one.request(this.key))).isFalse();
		assertThat(this.one.inspect(this.key)).extracting(LeaseHolder::owner)
			.containsExactly(contender.owner().toString());
		assertThat(this.two.renew(contender)).containsExactly(contender);
		assertThat(this.two.release(contender)).isTrue();
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
	}

	@Test
	void notifiedGrantIsTheOneThatIsHeld() {
		LeaseRequest holder = this.one.acquire(this.key);
		long start = System.nanoTime();
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		this.one.release(holder);
		Grant held = this.two.awaitNotification(contender);
		Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
		Grant notified = this.two.notifications().grantOf(contender);
		if (notified != null) {
			assertThat(notified.validity()).isPositive();
			// not so on a machine that is very slow
			if (elapsed.compareTo(notified.validity()) < 0) {
				assertThat(notified.token()).isEqualTo(held.token());
			}
		}
	}

	@Test
	void notifiedGrantNamesTheLastDenial() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest contender = this.two.request(this.key);
		long first = ((Denial) this.two.contend(contender)).attemptId();
		long last = ((Denial) this.two.contend(contender)).attemptId();
		this.one.release(holder);
		this.two.awaitNotification(contender);
		if (this.two.notifications().grantOf(contender) != null) {
			assertThat(last).isNotZero().isNotEqualTo(first);
			assertThat(this.two.notifications().attemptIdOf(contender)).isEqualTo(last);
		}
	}

	@Test
	void formerHolderLeavesGrantedContenderUntouched() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		this.one.release(holder);
		this.two.awaitNotification(contender);
		assertThat(this.one.release(holder)).isFalse();
		assertThat(this.two.renew(contender)).containsExactly(contender);
	}

	@Test
	void repeatedContendKeepsThePlace() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest head = this.two.queue(this.two.request(this.key));
		LeaseRequest second = this.one.queue(this.one.request(this.key));
		this.two.queue(head);
		this.two.queue(head);
		this.one.release(holder);
		this.two.awaitNotification(head);
		assertThat(this.one.contend(second)).isInstanceOf(Denial.class);
		assertThat(this.two.release(head)).isTrue();
		this.one.awaitNotification(second);
		assertThat(this.one.release(second)).isTrue();
		assertThat(this.two.inspect(this.key)).isEmpty();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	void cancelledContenderGetsNothingAndLeavesNothing() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest cancelled = this.two.queue(this.two.request(this.key));
		assertThat(this.two.release(cancelled)).isFalse();
		assertThat(this.one.release(holder)).isTrue();
		assertThat(this.one.inspect(this.key)).isEmpty();
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
		assertThat(this.two.notifications().of(cancelled)).isEmpty();
	}

	@Test
	void cancellationLetsThoseBehindMoveUp() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest cancelled = this.two.queue(this.two.request(this.key));
		LeaseRequest next = this.two.queue(this.two.request(this.key));
		this.two.release(cancelled);
		this.one.release(holder);
		this.two.awaitGrant(next);
		assertThat(this.two.release(next)).isTrue();
	}

	@Test
	void cancellationThatCrossesTheGrantLeavesNothing() {
		for (int round = 0; round < 50; round++) {
			LeaseRequest holder = this.one.acquire(this.key);
			LeaseRequest cancelled = this.two.queue(this.two.request(this.key));
			inParallel(2, (process) -> process.release((process == this.one) ? holder : cancelled));
			LeaseRequest next = this.one.request(this.key);
			await().until(() -> this.one.acquires(next));
			assertThat(this.one.release(next)).isTrue();
		}
	}

	@Test
	void rejectedGrantGoesToTheNext() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest rejected = this.two.queue(this.two.request(this.key));
		LeaseRequest next = this.one.queue(this.one.request(this.key));
		this.two.notifications().reject(rejected);
		this.one.release(holder);
		cancelUnlessGranted(rejected);
		this.one.awaitGrant(next);
		assertThat(this.one.release(next)).isTrue();
	}

	@Test
	void rejectedGrantFreesTheKey() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest rejected = this.two.queue(this.two.request(this.key));
		this.two.notifications().reject(rejected);
		this.one.release(holder);
		cancelUnlessGranted(rejected);
		LeaseRequest next = this.one.request(this.key);
		await().until(() -> this.one.acquires(next));
		assertThat(this.two.release(rejected)).isFalse();
	}

	/**
	 * A grant that is rejected is released by the backend; a hint that is ignored is
	 * followed by a release.
	 */
	private void cancelUnlessGranted(LeaseRequest rejected) {
		await().until(() -> !this.two.notifications().of(rejected).isEmpty());
		if (this.two.notifications().grantOf(rejected) == null) {
			this.two.release(rejected);
		}
	}

	@Test
	void contenderFollowsExpiredHolder() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		expire(holder);
		this.two.awaitGrant(contender);
		assertThat(this.one.release(holder)).isFalse();
		assertThat(this.two.release(contender)).isTrue();
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
	}

	@Test
	void contenderOfClosedBackendBlocksNoOther() {
		LeaseRequest holder = this.one.acquire(this.key);
		BackendProcess three = startProcess();
		three.queue(three.request(this.key));
		LeaseRequest next = this.two.queue(this.two.request(this.key));
		three.close();
		this.one.release(holder);
		this.two.awaitGrant(next);
		assertThat(this.two.release(next)).isTrue();
	}

	@Test
	void everyContenderGetsItsTurnWithALargerToken() {
		LeaseRequest holder = this.one.request(this.key);
		long last = this.one.acquire(holder).token();
		List<LeaseRequest> contenders = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			contenders.add(this.two.queue(this.two.request(this.key)));
		}
		this.one.release(holder);
		for (LeaseRequest contender : contenders) {
			long token = this.two.awaitNotification(contender).token();
			assertGrown(token, last);
			last = token;
			assertThat(this.two.release(contender)).isTrue();
		}
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
	}

}
