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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of releasing.
 */
abstract class ReleaseRules extends BackendRules {

	ReleaseRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void releaseOfHeldLeaseIsTrueAndFreesKey() {
		LeaseRequest lease = this.one.acquire(this.key);
		assertThat(this.one.release(lease)).isTrue();
		assertThat(this.two.inspect(this.key)).isEmpty();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void secondReleaseIsFalseAndHarmless() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.release(lease);
		assertThat(this.one.release(lease)).isFalse();
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	void replayedReleaseLeavesNewerLeaseOfTheSameProcessUntouched() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.release(lease);
		LeaseRequest newer = this.one.acquire(this.key);
		assertThat(this.one.release(lease)).isFalse();
		assertThat(this.two.acquires(this.two.request(this.key))).isFalse();
		assertThat(this.one.release(newer)).isTrue();
	}

	@Test
	void replayedReleaseLeavesLeaseOfOtherProcessUntouched() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.one.release(lease);
		LeaseRequest newer = this.two.acquire(this.key);
		assertThat(this.one.release(lease)).isFalse();
		assertThat(this.two.renew(newer)).containsExactly(newer);
		assertThat(this.two.release(newer)).isTrue();
	}

	@Test
	void releaseByFormerHolderLeavesSuccessorUntouched() {
		LeaseRequest former = this.one.acquire(this.key);
		expire(former);
		LeaseRequest successor = this.two.acquire(this.key);
		assertThat(this.one.release(former)).isFalse();
		assertThat(this.one.acquires(this.one.request(this.key))).isFalse();
		assertThat(this.two.renew(successor)).containsExactly(successor);
		assertThat(this.two.release(successor)).isTrue();
	}

	@Test
	void releaseByFormerHolderLeavesSuccessorInTheSameProcessUntouched() {
		LeaseRequest former = this.one.acquire(this.key);
		expire(former);
		LeaseRequest successor = this.one.acquire(this.key);
		assertThat(this.one.release(former)).isFalse();
		assertThat(this.two.acquires(this.two.request(this.key))).isFalse();
		assertThat(this.one.release(successor)).isTrue();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void releaseOfRequestThatWasNeverMadeIsFalseAndHarmless() {
		assertThat(this.one.release(this.one.request(this.key))).isFalse();
		LeaseRequest lease = this.two.acquire(this.key);
		assertThat(this.one.release(this.one.request(this.key))).isFalse();
		assertThat(this.one.acquires(this.one.request(this.key))).isFalse();
		assertThat(this.two.release(lease)).isTrue();
	}

	@Test
	void releaseOfDeniedRequestIsFalseAndHarmless() {
		LeaseRequest lease = this.two.acquire(this.key);
		LeaseRequest denied = this.one.request(this.key);
		this.one.tryAcquire(denied);
		assertThat(this.one.release(denied)).isFalse();
		assertThat(this.one.acquires(this.one.request(this.key))).isFalse();
		assertThat(this.two.release(lease)).isTrue();
	}

	@Test
	void releaseFreesOnlyItsOwnKey() {
		LeaseRequest lease = this.one.acquire(this.key);
		LeaseRequest other = this.one.acquire(this.key + ":other");
		this.one.release(lease);
		assertThat(this.two.acquires(this.two.request(this.key + ":other"))).isFalse();
		assertThat(this.one.release(other)).isTrue();
	}

}
