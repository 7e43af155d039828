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

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of asking for many that wait at once. A backend may leave out whomever it likes.
 */
abstract class PollRules extends BackendRules {

	PollRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void pollOfNothingAnswersNothing() {
		assertThat(this.one.poll()).isEmpty();
	}

	@Test
	void pollGrantsNothingAndTakesNothing() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest waiting = this.two.queue(this.two.request(this.key));
		for (int i = 0; i < 5; i++) {
			assertThat(this.two.poll(waiting).keySet()).isSubsetOf(waiting);
		}
		assertThat(this.one.renew(holder)).containsExactly(holder);
		assertThat(this.two.notifications().of(waiting)).doesNotContain("granted");
		assertThat(this.one.release(holder)).isTrue();
		this.two.awaitGrant(waiting);
		assertThat(this.two.release(waiting)).isTrue();
	}

	@Test
	void requestThatWouldBeGrantedIsLeftOut() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest waiting = this.two.queue(this.two.request(this.key));
		this.two.poll(waiting);
		this.one.release(holder);
		await().until(() -> this.two.poll(waiting).isEmpty());
		this.two.awaitGrant(waiting);
		assertThat(this.two.poll(waiting)).isEmpty();
		this.two.release(waiting);
	}

	@Test
	void requestThatCouldHaveAnEndedLeaseIsLeftOut() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest waiting = this.two.queue(this.two.request(this.key));
		expire(holder);
		await().until(() -> this.two.poll(waiting).isEmpty());
		this.two.awaitGrant(waiting);
		this.two.release(waiting);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void eachIsAnsweredByItself() {
		LeaseRequest first = this.one.acquire(this.key + "1");
		LeaseRequest second = this.one.acquire(this.key + "2");
		LeaseRequest one = this.two.queue(this.two.request(this.key + "1"));
		LeaseRequest other = this.two.queue(this.two.request(this.key + "2"));
		this.one.release(first);
		await().until(() -> !this.two.poll(one, other).containsKey(one));
		assertThat(this.two.contend(other)).isInstanceOf(Denial.class);
		this.one.release(second);
		await().until(() -> this.two.poll(one, other).isEmpty());
		List.of(one, other).forEach(this.two::awaitGrant);
		List.of(one, other).forEach(this.two::release);
	}

	@Test
	void writerWaitsForTheLastReaderAndReadersForTheWriter() {
		requires(Capability.SHARED);
		LeaseRequest first = this.one.request(this.key, LeaseMode.SHARED);
		LeaseRequest second = this.one.request(this.key, LeaseMode.SHARED);
		this.one.acquire(first);
		this.one.acquire(second);
		LeaseRequest writer = this.two.queue(this.two.request(this.key));
		this.one.release(first);
		this.two.poll(writer);
		assertThat(this.two.contend(writer)).isInstanceOf(Denial.class);
		this.one.release(second);
		await().until(() -> this.two.poll(writer).isEmpty());
		this.two.awaitGrant(writer);
		LeaseRequest reader = this.one.queue(this.one.request(this.key, LeaseMode.SHARED));
		this.one.poll(reader);
		this.two.release(writer);
		await().until(() -> this.one.poll(reader).isEmpty());
		this.one.awaitGrant(reader);
		this.one.release(reader);
	}

	@Test
	void permitsAreWaitedForUntilThereAreEnough() {
		requires(Capability.PERMITS);
		LeaseRequest some = this.one.request(this.key, LeaseMode.permits(2, 3));
		this.one.acquire(some);
		LeaseRequest more = this.two.queue(this.two.request(this.key, LeaseMode.permits(2, 3)));
		this.two.poll(more);
		this.one.release(some);
		await().until(() -> this.two.poll(more).isEmpty());
		this.two.awaitGrant(more);
		this.two.release(more);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void attemptIdsOfDenialsAreDifferent() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest waiting = this.two.queue(this.two.request(this.key));
		Map<LeaseRequest, Denial> first = this.two.poll(waiting);
		Map<LeaseRequest, Denial> second = this.two.poll(waiting);
		if (first.containsKey(waiting) && first.get(waiting).attemptId() != 0) {
			assertThat(second.get(waiting).attemptId()).isNotEqualTo(first.get(waiting).attemptId());
		}
		this.two.release(waiting);
		this.one.release(holder);
	}

}
