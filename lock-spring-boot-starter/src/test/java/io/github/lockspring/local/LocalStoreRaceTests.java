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

package io.github.lockspring.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LocalStore}: what it promises beyond the contract of backends.
 */
class LocalStoreRaceTests {

	private static final Duration LEASE_TIME = Duration.ofSeconds(10);

	private final SettableTime time = new SettableTime();

	private final LocalStore store = new LocalStore(this.time);

	private final LocalLockBackend backend = new LocalLockBackend(this.store);

	private final LocalNotifications notifications = new LocalNotifications();

	private final AtomicLong sequence = new AtomicLong();

	@BeforeEach
	void startBackend() {
		this.backend.start(this.notifications);
	}

	@Test
	void leaseEndsWhenItsTimeIsOver() {
		tryAcquire(request("key"));
		this.time.advance(LEASE_TIME.minusNanos(1));
		assertThat(tryAcquire(request("key"))).isEqualTo(new Denial(Duration.ofNanos(1)));
		this.time.advance(Duration.ofNanos(1));
		assertThat(tryAcquire(request("key"))).isInstanceOf(Grant.class);
	}

	@Test
	void renewedLeaseEndsAFullLeaseTimeLater() {
		LeaseRequest lease = request("key");
		tryAcquire(lease);
		this.time.advance(Duration.ofSeconds(9));
		assertThat(renew(lease)).isTrue();
		assertThat(this.store.holders("key")).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isEqualTo(LEASE_TIME));
		this.time.advance(Duration.ofSeconds(9));
		assertThat(tryAcquire(request("key"))).isEqualTo(new Denial(Duration.ofSeconds(1)));
		this.time.advance(Duration.ofSeconds(1));
		assertThat(renew(lease)).isFalse();
	}

	@Test
	void replayIsNotifiedWhatIsLeftOfTheLease() {
		LeaseRequest lease = request("key");
		assertThat(((Grant) tryAcquire(lease)).validity()).isEqualTo(LEASE_TIME);
		this.time.advance(Duration.ofSeconds(4));
		assertThat(((Grant) tryAcquire(lease)).validity()).isEqualTo(Duration.ofSeconds(6));
	}

	@Test
	void denialSaysWhenTheFirstHolderLeaves() {
		LeaseRequest reader = request("key", LeaseMode.SHARED, false);
		tryAcquire(reader);
		this.time.advance(Duration.ofSeconds(4));
		tryAcquire(request("key", LeaseMode.SHARED, false));
		assertThat(tryAcquire(request("key"))).isEqualTo(new Denial(Duration.ofSeconds(6)));
		renew(reader);
		assertThat(tryAcquire(request("key"))).isEqualTo(new Denial(LEASE_TIME));
	}

	@Test
	void anyCallGrantsWhatExpiredToTheNext() {
		tryAcquire(request("key"));
		LeaseRequest contender = request("key");
		contend(contender);
		this.time.advance(LEASE_TIME);
		this.backend.inspect("another key", LEASE_TIME);
		assertThat(this.notifications.heard).containsExactly("granted " + contender, "lost");
	}

	@Test
	void grantThatIsNotifiedSaysHowLongAgoTheLastDenialWas() {
		LeaseRequest holder = request("key");
		tryAcquire(holder);
		LeaseRequest contender = request("key");
		contend(contender);
		this.time.advance(Duration.ofSeconds(1));
		contend(contender);
		this.time.advance(Duration.ofSeconds(2));
		this.backend.release(holder, LEASE_TIME);
		assertThat(this.notifications.validities).containsExactly(LEASE_TIME);
		assertThat(this.notifications.waits).containsExactly(Duration.ofSeconds(2));
	}

	@Test
	void cancellationGrantsToThoseBehind() {
		LeaseRequest writer = request("key", LeaseMode.EXCLUSIVE, true);
		LeaseRequest reader = request("key", LeaseMode.SHARED, true);
		tryAcquire(request("key", LeaseMode.SHARED, true));
		contend(writer);
		contend(reader);
		this.backend.release(writer, LEASE_TIME);
		assertThat(this.notifications.heard).containsExactly("granted " + reader);
	}

	@Test
	void grantIsNotNotifiedToTheOneWhoIsAnsweredWithIt() {
		tryAcquire(request("key"));
		LeaseRequest contender = request("key");
		contend(contender);
		this.time.advance(LEASE_TIME);
		assertThat(contend(contender)).isInstanceOf(Grant.class);
		assertThat(this.notifications.heard).containsExactly("lost");
	}

	@Test
	void holderIsNotifiedOfItsLoss() {
		LeaseRequest lease = request("key");
		tryAcquire(lease);
		this.store.expire(lease);
		this.store.expire(lease);
		assertThat(this.notifications.heard).containsExactly("lost");
	}

	@Test
	void tokensStartAtTheMicrosecondAndGrowWhenTheClockGoesBack() {
		long microseconds = this.time.millis() * 1000;
		assertThat(tokenOfNext()).isEqualTo(microseconds);
		assertThat(tokenOfNext()).isEqualTo(microseconds + 1);
		this.time.jumpWall(Duration.ofHours(-1));
		assertThat(tokenOfNext()).isEqualTo(microseconds + 2);
		this.time.jumpWall(Duration.ofHours(2));
		assertThat(tokenOfNext()).isEqualTo(microseconds + Duration.ofHours(1).toMillis() * 1000);
	}

	@Test
	void nothingIsLeftOfUnusedKeys() {
		for (int i = 0; i < 1000; i++) {
			LeaseRequest released = request("released" + i);
			LeaseRequest contender = request("released" + i, LeaseMode.SHARED, true);
			tryAcquire(released);
			contend(contender);
			this.backend.release(contender, LEASE_TIME);
			this.backend.release(released, LEASE_TIME);
			tryAcquire(request("expired" + i));
		}
		assertThat(this.store.size()).isEqualTo(3000);
		this.time.advance(LEASE_TIME);
		assertThat(this.store.size()).isZero();
	}

	@Test
	void closeRemovesPlacesAndKeepsLeases() {
		LeaseRequest holder = request("key");
		tryAcquire(holder);
		contend(request("key"));
		contend(request("key"));
		this.backend.close();
		assertThat(this.store.holders("key")).hasSize(1);
		assertThat(this.backend.release(holder, LEASE_TIME)).isTrue();
		assertThat(this.store.size()).isZero();
		assertThat(this.notifications.heard).isEmpty();
	}

	@Test
	void manyRejectedGrantsAreReleasedOneAfterTheOther() {
		LeaseRequest holder = request("key");
		tryAcquire(holder);
		for (int i = 0; i < 5000; i++) {
			contend(request("key"));
		}
		this.notifications.takesOver = (request) -> false;
		this.backend.release(holder, LEASE_TIME);
		assertThat(this.notifications.heard).hasSize(5000);
		assertThat(this.store.size()).isZero();
	}

	@Test
	void listenerMayCallTheStore() {
		LeaseRequest holder = request("key");
		tryAcquire(holder);
		contend(request("key"));
		this.notifications.takesOver = (request) -> this.backend.release(request, LEASE_TIME);
		this.backend.release(holder, LEASE_TIME);
		assertThat(this.store.size()).isZero();
	}

	private long tokenOfNext() {
		LeaseRequest request = request("key");
		Grant grant = (Grant) tryAcquire(request);
		this.backend.release(request, LEASE_TIME);
		return grant.token();
	}

	private Attempt tryAcquire(LeaseRequest request) {
		return this.backend.tryAcquire(request, LEASE_TIME);
	}

	private Attempt contend(LeaseRequest request) {
		return this.backend.contend(request, LEASE_TIME);
	}

	private boolean renew(LeaseRequest lease) {
		return this.backend.renew(List.of(lease), LEASE_TIME).held().contains(lease);
	}

	private LeaseRequest request(String key) {
		return request(key, LeaseMode.EXCLUSIVE, false);
	}

	private LeaseRequest request(String key, LeaseMode mode, boolean fair) {
		return new LeaseRequest(key, terms(mode, fair), "local", this.sequence.incrementAndGet());
	}

	private static LeaseTerms terms(LeaseMode mode, boolean fair) {
		return new LeaseTerms(mode, fair, LEASE_TIME, 1);
	}

}
