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
import java.util.Optional;
import java.util.UUID;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Rules of leases that are recallable.
 */
@Tag(LockBackendContractTests.EVERYWHERE)
abstract class RecallRules extends BackendRules {

	RecallRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void requireRecall() {
		requires(Capability.RECALL);
	}

	private LeaseRequest acquireRecallable() {
		return await().until(this::recallable, Optional::isPresent).orElseThrow();
	}

	/**
	 * The first lease of a process need not be recallable.
	 */
	private Optional<LeaseRequest> recallable() {
		LeaseRequest request = this.one.recallableRequest(this.key);
		if (this.one.acquire(request).recallable()) {
			return Optional.of(request);
		}
		this.one.release(request);
		return Optional.empty();
	}

	private boolean isRecalled(Attempt attempt) {
		return attempt instanceof Denial denial && denial.recalled();
	}

	@Test
	void deniedAttemptRecallsTheLease() {
		LeaseRequest held = acquireRecallable();
		assertThat(isRecalled(this.two.tryAcquire(this.two.request(this.key)))).isTrue();
		this.one.awaitRecall(held);
		assertThat(this.one.notifications().recallsOf(held)).containsOnly(this.key);
	}

	@Test
	void deniedContenderRecallsTheLeaseAndIsGrantedItOnceReleased() {
		LeaseRequest held = acquireRecallable();
		LeaseRequest contender = this.two.request(this.key);
		assertThat(isRecalled(this.two.contend(contender))).isTrue();
		this.one.awaitRecall(held);
		assertThat(this.one.release(held)).isTrue();
		this.two.awaitNotification(contender);
	}

	@ParameterizedTest
	@ValueSource(strings = { "reader", "fair", "permits" })
	void deniedRequestOfAnyModeRecallsTheLease(String kind) {
		LeaseRequest held = acquireRecallable();
		assertThat(isRecalled(this.two.contend(contender(kind)))).isTrue();
		this.one.awaitRecall(held);
	}

	@Test
	void deniedRequestOfSeveralKeysRecallsTheLease() {
		requires(Capability.MULTI_KEY);
		LeaseRequest held = acquireRecallable();
		LeaseRequest several = this.two.request(List.of(this.key, this.key + ":a", this.key + ":z"), 1);
		assertThat(isRecalled(this.two.tryAcquire(several))).isTrue();
		this.one.awaitRecall(held);
	}

	@Test
	void pollRecallsTheLeaseAgain() {
		assumeFalse(this.contract.keepsRecalls(), "The recall is not lost");
		LeaseRequest held = acquireRecallable();
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		this.one.awaitRecall(held);
		int before = this.one.notifications().recallsOf(held).size();
		this.two.poll(contender);
		await().until(() -> this.one.notifications().recallsOf(held).size() > before);
	}

	@Test
	void onlyTheFirstToWaitMayExpectTheLease() {
		acquireRecallable();
		assertThat(isRecalled(this.two.contend(this.two.request(this.key)))).isTrue();
		assertThat(isRecalled(this.two.tryAcquire(this.two.request(this.key)))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "exclusive", "reader", "fair", "permits" })
	void recallThatIsNotAnsweredIsNoReasonToDenyARetry(String kind) {
		acquireRecallable();
		LeaseRequest request = contender(kind);
		assertThat(isRecalled(this.two.contend(request))).isTrue();
		assertThat(isRecalled(this.two.contend(request))).isTrue();
	}

	private LeaseRequest contender(String kind) {
		return switch (kind) {
			case "reader" -> this.two.request(this.key, LeaseMode.SHARED);
			case "fair" -> this.two.fairRequest(this.key, LeaseMode.EXCLUSIVE);
			case "permits" -> this.two.request(this.key, LeaseMode.permits(1, 2));
			default -> this.two.request(this.key);
		};
	}

	@Test
	void declinedRecallNotifiesTheFirstToWait() {
		LeaseRequest held = acquireRecallable();
		LeaseRequest contender = this.two.queue(this.two.request(this.key));
		this.one.awaitRecall(held);
		this.one.declineRecall(held);
		this.one.declineRecall(held);
		await().until(() -> this.two.notifications().of(contender).contains("tryAgain"));
		assertThat(this.two.contend(contender)).isInstanceOfSatisfying(Denial.class,
				(denial) -> assertThat(denial.recalled()).isFalse());
		assertThat(this.one.renew(held)).containsExactly(held);
		assertThat(this.one.acquire(held).recallable()).as("repeated request").isFalse();
		assertThat(this.one.release(held)).isTrue();
		this.two.awaitNotification(contender);
	}

	@Test
	void declineOfAnotherLeaseHasNoEffect() {
		LeaseRequest former = acquireRecallable();
		this.one.release(former);
		this.one.declineRecall(former);
		LeaseRequest held = acquireRecallable();
		this.one.declineRecall(former);
		assertThat(isRecalled(this.two.tryAcquire(this.two.request(this.key)))).isTrue();
		this.one.awaitRecall(held);
	}

	@Test
	void leaseIsNotRecallableUnlessRequested() {
		LeaseRequest held = this.one.request(this.key);
		assertThat(this.one.acquire(held).recallable()).isFalse();
		assertThat(isRecalled(this.two.contend(this.two.request(this.key)))).isFalse();
		assertThat(this.one.notifications().recallsOf(held)).isEmpty();
	}

	@Test
	void repeatedRequestIsAnsweredAsRecallable() {
		LeaseRequest held = acquireRecallable();
		assertThat(this.one.acquire(held).recallable()).isTrue();
	}

	@Test
	void leaseIsNotRecallableIfOthersWait() {
		LeaseRequest former = this.one.acquire(this.key);
		LeaseRequest next = this.two.recallableRequest(this.key);
		this.two.queue(next);
		LeaseRequest last = this.two.queue(this.two.request(this.key));
		this.one.release(former);
		Grant granted = this.two.awaitGrant(next);
		assertThat(granted.recallable()).isFalse();
		assertThat(this.two.release(next)).isTrue();
		this.two.awaitNotification(last);
	}

	@Test
	void leaseRemainsRecallableWhenItIsRenewed() {
		LeaseRequest held = acquireRecallable();
		assertThat(this.one.renew(held)).containsExactly(held);
		assertThat(isRecalled(this.two.tryAcquire(this.two.request(this.key)))).isTrue();
		assertThat(this.one.renew(held)).containsExactly(held);
		assertThat(this.one.release(held)).isTrue();
	}

	@Test
	void leaseThatIsOverIsNotRecalled() {
		LeaseRequest held = acquireRecallable();
		expire(held);
		assertThat(this.two.awaitGrant(this.two.request(this.key)).validity()).isPositive();
		assertThat(this.one.renew(held)).isEmpty();
	}

	@Test
	void releaseWithDelayEndsTheRecalls() {
		LeaseRequest held = acquireRecallable();
		assertThat(this.one.releaseAfter(held, Duration.ofSeconds(20))).isTrue();
		assertThat(isRecalled(this.two.tryAcquire(this.two.request(this.key)))).isFalse();
	}

	@Test
	void weakerLeaseIsNotRecallable() {
		requires(Capability.SHARED);
		LeaseRequest held = acquireRecallable();
		LeaseRequest weaker = this.one.request(this.key, LeaseMode.SHARED);
		assertThat(this.one.downgrade(held, weaker)).isInstanceOf(Grant.class);
		assertThat(isRecalled(this.two.tryAcquire(this.two.request(this.key)))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "a b", "{", "}", "{}", "%", "%7B", "%257B", "%25", "{a}b", "lost", " recall ",
			"1 r x", "ü", "🔒" })
	void keyIsThatOfTheRequest(String text) {
		String key = text + UUID.randomUUID();
		LeaseRequest held = this.one.recallableRequest(key);
		Grant grant = this.one.acquire(held);
		assertThat(isRecalled(this.two.tryAcquire(this.two.request(key)))).isEqualTo(grant.recallable());
		this.one.awaitRecall(held);
		assertThat(this.one.notifications().recallsOf(held)).containsOnly(key);
		this.one.release(held);
	}

	@Test
	void holderIsInspectedAsAnyOther() {
		LeaseRequest held = acquireRecallable();
		assertThat(this.two.inspect(this.key)).singleElement().satisfies((holder) -> {
			assertThat(holder.owner()).isEqualTo(held.owner().toString());
			assertThat(holder.mode()).isEqualTo(LeaseMode.EXCLUSIVE);
			assertThat(this.two.forceRelease(this.key, holder)).isTrue();
		});
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

}
