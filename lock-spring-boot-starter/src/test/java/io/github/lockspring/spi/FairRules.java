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

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of {@linkplain LeaseTerms#fair() fair} requests. A contender whose turn it is not
 * is asked first, so that a backend that has no notifications to send is judged as well.
 */
abstract class FairRules extends BackendRules {

	FairRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void requireFairness() {
		requires(Capability.FAIR);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void grantsAreInTheOrderOfContending() {
		LeaseRequest holder = this.one.acquire(this.key);
		List<LeaseRequest> contenders = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			contenders.add(processOf(i).queue(fair(processOf(i))));
		}
		this.one.release(holder);
		for (int turn = 0; turn < 6; turn++) {
			for (int i = 5; i > turn; i--) {
				assertThat(processOf(i).contend(contenders.get(i))).isInstanceOf(Denial.class);
			}
			processOf(turn).awaitGrant(contenders.get(turn));
			assertThat(processOf(turn).release(contenders.get(turn))).isTrue();
		}
		assertThat(this.two.acquires(fair(this.two))).isTrue();
	}

	@Test
	void fairRequestDoesNotPassTheQueue() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest contender = this.two.queue(fair(this.two));
		this.one.release(holder);
		assertThat(this.one.acquires(fair(this.one))).isFalse();
		assertThat(this.one.contend(fair(this.one))).isInstanceOf(Denial.class);
		this.two.awaitGrant(contender);
	}

	@Test
	void repeatedContendKeepsThePlace() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest head = this.two.queue(fair(this.two));
		LeaseRequest second = this.one.queue(fair(this.one));
		this.two.queue(head);
		this.one.release(holder);
		assertThat(this.one.contend(second)).isInstanceOf(Denial.class);
		this.two.awaitGrant(head);
		assertThat(this.one.contend(second)).isInstanceOf(Denial.class);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void cancellationKeepsTheOrderOfTheOthers() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest first = this.two.queue(fair(this.two));
		LeaseRequest cancelled = this.one.queue(fair(this.one));
		LeaseRequest last = this.two.queue(fair(this.two));
		assertThat(this.one.release(cancelled)).isFalse();
		this.one.release(holder);
		assertThat(this.two.contend(last)).isInstanceOf(Denial.class);
		this.two.awaitGrant(first);
		this.two.release(first);
		this.two.awaitGrant(last);
		assertThat(this.two.release(last)).isTrue();
		assertThat(this.one.acquires(fair(this.one))).isTrue();
	}

	@Test
	void deniedFairAttemptLeavesNoPlace() {
		LeaseRequest holder = this.one.acquire(this.key);
		assertThat(this.two.acquires(fair(this.two))).isFalse();
		this.one.release(holder);
		assertThat(this.one.acquires(fair(this.one))).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void expiredHolderIsFollowedInOrder() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest first = this.two.queue(fair(this.two));
		LeaseRequest second = this.one.queue(fair(this.one));
		expire(holder);
		assertThat(this.one.contend(second)).isInstanceOf(Denial.class);
		this.two.awaitGrant(first);
	}

	@Test
	void waitingWriterKeepsLaterReadersBehindIt() {
		requires(Capability.SHARED);
		LeaseRequest reader = fair(this.one, LeaseMode.SHARED);
		this.one.acquire(reader);
		LeaseRequest writer = this.two.queue(fair(this.two));
		assertThat(this.one.acquires(fair(this.one, LeaseMode.SHARED))).isFalse();
		LeaseRequest laterReader = this.one.queue(fair(this.one, LeaseMode.SHARED));
		this.one.release(reader);
		assertThat(this.one.contend(laterReader)).isInstanceOf(Denial.class);
		this.two.awaitGrant(writer);
		assertThat(this.one.contend(laterReader)).isInstanceOf(Denial.class);
		this.two.release(writer);
		this.one.awaitGrant(laterReader);
	}

	@Test
	void readersFollowTheWriterThatWasCancelled() {
		requires(Capability.SHARED);
		this.one.acquire(fair(this.one, LeaseMode.SHARED));
		LeaseRequest writer = this.two.queue(fair(this.two));
		LeaseRequest laterReader = this.one.queue(fair(this.one, LeaseMode.SHARED));
		this.two.release(writer);
		this.one.awaitGrant(laterReader);
		assertThat(this.one.inspect(this.key)).hasSize(2);
	}

	@Test
	void requestForManyPermitsIsNotStarvedByRequestsForFew() {
		requires(Capability.PERMITS);
		LeaseRequest holder = fair(this.one, LeaseMode.permits(2, 3));
		this.one.acquire(holder);
		LeaseRequest many = this.two.queue(fair(this.two, LeaseMode.permits(2, 3)));
		assertThat(this.one.acquires(fair(this.one, LeaseMode.permits(1, 3)))).isFalse();
		LeaseRequest few = this.one.queue(fair(this.one, LeaseMode.permits(1, 3)));
		this.one.release(holder);
		this.two.awaitGrant(many);
		this.one.awaitGrant(few);
	}

	private BackendProcess processOf(int contender) {
		return (contender % 2 == 0) ? this.one : this.two;
	}

	private LeaseRequest fair(BackendProcess process) {
		return fair(process, LeaseMode.EXCLUSIVE);
	}

	private LeaseRequest fair(BackendProcess process, LeaseMode mode) {
		return process.fairRequest(this.key, mode);
	}

}
