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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of one lease of several keys.
 */
@Tag(LockBackendContractTests.EVERYWHERE)
abstract class SeveralKeysRules extends BackendRules {

	private String a;

	private String b;

	private String c;

	SeveralKeysRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void requireSeveralKeys() {
		requires(Capability.MULTI_KEY);
		this.a = this.key + ":a";
		this.b = this.key + ":b";
		this.c = this.key + ":c";
	}

	@Test
	void allKeysAreHeld() {
		this.one.acquire(request(this.one, this.a, this.b));
		assertThat(this.two.acquires(this.two.request(this.a))).isFalse();
		assertThat(this.two.acquires(this.two.request(this.b))).isFalse();
		assertThat(this.two.acquires(this.two.request(this.c))).isTrue();
	}

	@Test
	void everyKeyShowsTheHolder() {
		LeaseRequest request = request(this.one, this.a, this.b);
		long token = this.one.acquire(request).token();
		for (String key : request.keys()) {
			assertThat(this.two.inspect(key)).singleElement().satisfies((holder) -> {
				assertThat(holder.owner()).isEqualTo(request.owner().toString());
				assertThat(holder.token()).isEqualTo(token);
			});
		}
	}

	@Test
	void attemptIsDeniedIfAnyKeyIsHeldAndLeavesTheOthersFree() {
		for (String held : List.of(this.a, this.b, this.c)) {
			LeaseRequest lease = this.one.acquire(held);
			assertThat(this.two.acquires(request(this.two, this.a, this.b, this.c))).isFalse();
			this.one.release(lease);
			for (String key : List.of(this.a, this.b, this.c)) {
				assertThat(this.one.inspect(key)).isEmpty();
			}
		}
		assertThat(this.two.acquires(request(this.two, this.a, this.b, this.c))).isTrue();
	}

	@Test
	void releaseFreesAllKeys() {
		LeaseRequest lease = request(this.one, this.a, this.b);
		this.one.acquire(lease);
		assertThat(this.one.release(lease)).isTrue();
		assertThat(this.one.release(lease)).isFalse();
		assertThat(this.two.acquires(request(this.two, this.a, this.b))).isTrue();
	}

	@Test
	void releasedPartIsFreeAndTheOtherKeysAreHeld() {
		LeaseRequest lease = request(this.one, this.a, this.b, this.c);
		this.one.acquire(lease);
		LeaseRequest part = lease.part(List.of(this.a, this.c));
		LeaseRequest rest = lease.part(List.of(this.b));
		assertThat(this.one.release(part)).isTrue();
		LeaseRequest successor = this.two.acquire(this.a);
		assertThat(this.one.release(part)).isFalse();
		assertThat(this.two.acquires(this.two.request(this.b))).isFalse();
		assertThat(this.one.inspect(this.b)).singleElement()
			.extracting(LeaseHolder::owner)
			.isEqualTo(lease.owner().toString());
		assertThat(this.one.renew(rest)).containsExactly(rest);
		assertThat(this.two.renew(successor)).containsExactly(successor);
		assertThat(this.one.release(rest)).isTrue();
		assertThat(this.one.release(lease)).isFalse();
		assertThat(this.two.acquires(request(this.two, this.b, this.c))).isTrue();
		assertThat(this.two.release(successor)).isTrue();
	}

	@Test
	void restOfALeaseExpires() {
		LeaseRequest lease = request(this.one, this.a, this.b);
		this.one.acquire(lease);
		assertThat(this.one.release(lease.part(List.of(this.a)))).isTrue();
		LeaseRequest rest = lease.part(List.of(this.b));
		expire(rest);
		assertThat(this.one.renew(rest)).isEmpty();
		assertThat(this.two.acquires(request(this.two, this.a, this.b))).isTrue();
		assertThat(this.one.release(rest)).isFalse();
	}

	@Test
	void partIsGivenToTheOneThatWaitsForIt() {
		requires(Capability.QUEUE);
		LeaseRequest lease = request(this.one, this.a, this.b);
		this.one.acquire(lease);
		LeaseRequest waiting = this.two.queue(this.two.request(this.b));
		assertThat(this.one.release(lease.part(List.of(this.b)))).isTrue();
		this.two.awaitGrant(waiting);
		assertThat(this.one.release(lease.part(List.of(this.a)))).isTrue();
		assertThat(this.two.release(waiting)).isTrue();
	}

	@Test
	void expiryFreesAllKeysAndFormerHolderLeavesSuccessorsUntouched() {
		LeaseRequest former = request(this.one, this.a, this.b);
		this.one.acquire(former);
		expire(former);
		LeaseRequest onA = this.two.acquire(this.a);
		LeaseRequest onB = this.two.acquire(this.b);
		assertThat(this.one.renew(former)).isEmpty();
		assertThat(this.one.release(former)).isFalse();
		assertThat(this.two.renew(onA, onB)).containsExactlyInAnyOrder(onA, onB);
		assertThat(this.two.release(onA)).isTrue();
		assertThat(this.two.release(onB)).isTrue();
	}

	@Test
	void expiredLeaseIsNotRenewedWhenOneOfItsKeysWasTaken() {
		LeaseRequest former = request(this.one, this.a, this.b);
		this.one.acquire(former);
		expire(former);
		LeaseRequest successor = this.two.acquire(this.b);
		assertThat(this.one.renew(former)).isEmpty();
		assertThat(this.two.acquires(this.two.request(this.a))).isTrue();
		assertThat(this.two.release(successor)).isTrue();
	}

	@Test
	void replayIsGrantedWithTheSameTokenAndNeedsJustOneRelease() {
		LeaseRequest lease = request(this.one, this.a, this.b);
		Grant grant = this.one.acquire(lease);
		assertThat(this.one.acquire(lease).token()).isEqualTo(grant.token());
		assertThat(this.one.release(lease)).isTrue();
		assertThat(this.two.acquires(request(this.two, this.a, this.b))).isTrue();
	}

	@Test
	void requestThatLostAKeyIsNotBlockedByItsOtherKeys() {
		for (String lost : List.of(this.a, this.b)) {
			LeaseRequest lease = request(this.one, this.a, this.b);
			this.one.acquire(lease);
			this.two.forceRelease(lost, this.two.inspect(lost).get(0));
			this.one.acquire(lease);
			for (String key : lease.keys()) {
				assertThat(this.two.inspect(key)).singleElement()
					.extracting(LeaseHolder::owner)
					.isEqualTo(lease.ownerText());
			}
			assertThat(this.one.release(lease)).isTrue();
			LeaseRequest next = request(this.two, this.a, this.b);
			this.two.acquire(next);
			this.two.release(next);
		}
	}

	@Test
	void allKeysOfARequestThatLostOneAreHeldForItsValidity() {
		Duration longer = BackendProcess.LEASE_TIME.multipliedBy(10);
		LeaseRequest lease = request(this.one, this.a, this.b);
		this.one.acquire(lease);
		this.two.forceRelease(this.a, this.two.inspect(this.a).get(0));
		LeaseRequest repeated = lease.withLeaseTime(longer);
		Duration validity = this.one.acquire(repeated).validity();
		assertThat(repeated.keys()).allSatisfy((key) -> assertThat(this.two.inspect(key)).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isGreaterThan(validity.dividedBy(2))));
	}

	@Test
	void renewAnswersForTheWholeLease() {
		LeaseRequest lease = request(this.one, this.a, this.b);
		LeaseRequest single = this.one.acquire(this.c);
		this.one.acquire(lease);
		assertThat(this.one.renew(lease, single)).containsExactlyInAnyOrder(lease, single);
	}

	@Test
	void tokenIsLargerThanEveryTokenOfEachKeyBefore() {
		requires(Capability.FENCING);
		LeaseRequest block = this.one.request(this.b,
				new LeaseTerms(LeaseMode.EXCLUSIVE, false, BackendProcess.LEASE_TIME, 1_000));
		long lastOfB = this.one.acquire(block).token() + 1_000 - 1;
		this.one.release(block);
		this.one.release(this.one.acquire(this.a));
		LeaseRequest both = this.two.request(List.of(this.a, this.b), 16);
		long ofBoth = this.two.acquire(both).token();
		assertThat(ofBoth).isGreaterThan(lastOfB);
		this.two.release(both);
		assertThat(this.one.acquire(this.one.request(this.a)).token()).isGreaterThan(ofBoth + 15);
		assertThat(this.one.acquire(this.one.request(this.b)).token()).isGreaterThan(ofBoth + 15);
	}

	@Test
	void manyKeysAreOneLease() {
		List<String> keys = IntStream.range(0, 50).mapToObj((i) -> this.key + ":" + i).toList();
		LeaseRequest lease = this.one.request(keys, 1);
		this.one.acquire(lease);
		assertThat(keys).noneMatch((key) -> this.two.acquires(this.two.request(key)));
		this.one.release(lease);
		assertThat(keys).allMatch((key) -> this.two.acquires(this.two.request(key)));
	}

	@Test
	void oneKeyOfAListIsTheSameAsThatKey() {
		this.one.acquire(this.one.request(List.of(this.a), 1));
		assertThat(this.two.acquires(this.two.request(this.a))).isFalse();
	}

	@Test
	void overlappingSetsNeverBlockEachOtherForGood() {
		List<List<String>> sets = List.of(List.of(this.a, this.b), List.of(this.b, this.c), List.of(this.a, this.c));
		AtomicInteger next = new AtomicInteger();
		AtomicInteger holders = new AtomicInteger();
		AtomicInteger mostHolders = new AtomicInteger();
		inParallel(3, (process) -> {
			List<String> keys = sets.get(next.getAndIncrement());
			for (int i = 0; i < 50; i++) {
				LeaseRequest request = process.request(keys, 1);
				process.spinUntilAcquired(request);
				mostHolders.accumulateAndGet(holders.incrementAndGet(), Math::max);
				holders.decrementAndGet();
				process.release(request);
			}
			return process;
		});
		assertThat(mostHolders).hasValue(1);
	}

	private static LeaseRequest request(BackendProcess process, String... keys) {
		return process.request(List.of(keys), 1);
	}

}
