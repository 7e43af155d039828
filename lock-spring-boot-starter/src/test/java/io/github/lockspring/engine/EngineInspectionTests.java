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

package io.github.lockspring.engine;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineInspection.Snapshot;
import io.github.lockspring.spi.LeaseMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Snapshot}.
 */
class EngineInspectionTests {

	private static final Duration WAIT = Duration.ofMinutes(10);

	private final Harness harness = new Harness();

	@AfterEach
	void close() {
		this.harness.close();
	}

	private static Hold own(LockEngine engine) {
		return engine.acquireUninterruptibly(Harness.KEY, Harness.OPTIONS, Thread.currentThread(), 0);
	}

	@Test
	void holdIsDescribed() {
		LockEngine engine = this.harness.engine();
		Instant start = Instant.ofEpochMilli(this.harness.time.currentTimeMillis());
		Hold hold = own(engine);
		own(engine);
		this.harness.advance(Duration.ofSeconds(3));
		assertThat(engine.inspection().snapshot().waiting()).isEmpty();
		assertThat(engine.inspection().snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.key()).isEqualTo(Harness.KEY);
			assertThat(held.mode()).isEqualTo(LeaseMode.EXCLUSIVE);
			assertThat(held.owner().name()).isEqualTo(Thread.currentThread().getName());
			assertThat(held.owner().threadState()).isEqualTo(Thread.State.RUNNABLE);
			assertThat(held.state()).isEqualTo(Snapshot.State.HELD);
			assertThat(held.since()).isEqualTo(start);
			assertThat(held.remaining()).isEqualTo(hold.remaining()).isPositive();
			assertThat(held.token()).isEqualTo(hold.token());
			assertThat(held.count()).isEqualTo(2);
			assertThat(held.leaseOwner()).isEqualTo(this.harness.holders().get(0).owner())
				.startsWith(engine.inspection().instance());
		});
		hold.release();
		hold.release();
		assertThat(engine.inspection().snapshot().held()).isEmpty();
	}

	@Test
	void waitingAcquisitionsAreDescribedInTheirOrder() {
		LockEngine engine = this.harness.engine();
		Hold hold = Harness.hold(this.harness.engine());
		Instant start = Instant.ofEpochMilli(this.harness.time.currentTimeMillis());
		Harness.Waiter first = this.harness.queued(engine, WAIT);
		this.harness.advance(Duration.ofSeconds(2));
		Harness.Waiter second = this.harness.queued(engine, WAIT);
		assertThat(engine.inspection().snapshot().held()).isEmpty();
		assertThat(engine.inspection().snapshot().waiting()).extracting(Snapshot.Waiting::since)
			.containsExactly(start, start.plusSeconds(2));
		assertThat(engine.inspection().snapshot().waiting()).extracting(Snapshot.Waiting::position)
			.containsExactly(1, 2);
		assertThat(engine.inspection().snapshot().waiting()).extracting((waiting) -> waiting.owner().name())
			.containsExactly(first.thread().getName(), second.thread().getName());
		hold.release();
		Hold next = first.hold();
		assertThat(next.token()).isPositive().isNotEqualTo(this.harness.time.nanoTime());
		assertThat(engine.inspection().snapshot().held()).extracting(Snapshot.Held::token)
			.containsExactly(next.token());
		next.release();
		second.hold().release();
	}

	@Test
	void asynchronousAcquisitionsAreDescribed() {
		LockEngine engine = this.harness.engine();
		Hold hold = Harness.hold(this.harness.engine());
		Instant start = Instant.ofEpochMilli(this.harness.time.currentTimeMillis());
		Object owner = new Object();
		var future = engine.acquireAsync(Harness.KEY, Harness.OPTIONS, owner, WAIT.toNanos());
		assertThat(engine.inspection().snapshot().waiting()).singleElement().satisfies((waiting) -> {
			assertThat(waiting.owner().name()).startsWith("Object@");
			assertThat(waiting.owner().threadState()).isNull();
			assertThat(waiting.since()).isEqualTo(start);
		});
		hold.release();
		future.join().release();
	}

	@Test
	void lostLockIsShownUntilItIsReleased() {
		LockEngine engine = this.harness.engine();
		Hold hold = engine.acquireUninterruptibly(Harness.KEY, Harness.UNRENEWED, Thread.currentThread(), 0);
		this.harness.advance(Harness.LEASE);
		assertThat(engine.inspection().snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.state()).isEqualTo(Snapshot.State.LOST);
			assertThat(held.remaining()).isZero();
			assertThat(held.count()).isEqualTo(1);
		});
		hold.release();
		assertThat(engine.inspection().snapshot().held()).isEmpty();
	}

	@Test
	void expiredLockIsNotTreatedAsLostBecauseItIsLookedAt() {
		LockEngine engine = this.harness.engine();
		engine.acquireUninterruptibly(Harness.KEY, Harness.UNRENEWED, new Object(), 0);
		Snapshot before = engine.inspection().snapshot();
		assertThat(engine.inspection().snapshot()).isEqualTo(before);
	}

	@Test
	void threadThatHasEndedIsShown() throws InterruptedException {
		LockEngine engine = this.harness.engine();
		Thread thread = new Thread(() -> own(engine), "forgetful");
		thread.start();
		thread.join();
		assertThat(engine.inspection().snapshot().held()).extracting(Snapshot.Held::owner)
			.containsExactly(new Snapshot.Owner("forgetful", thread.getId(), Thread.State.TERMINATED));
	}

	@Test
	void manyHoldsAreDescribed() {
		LockEngine engine = this.harness.engine();
		for (int i = 0; i < 10_000; i++) {
			engine.acquireUninterruptibly("key-" + i, Harness.OPTIONS, Thread.currentThread(), 0);
		}
		assertThat(engine.inspection().snapshot().held()).hasSize(10_000)
			.extracting(Snapshot.Held::key)
			.doesNotHaveDuplicates();
	}

	@Test
	void closedEngineHoldsNothing() {
		LockEngine engine = this.harness.engine();
		Hold hold = Harness.hold(engine);
		engine.close();
		hold.release();
		assertThat(engine.inspection().snapshot().held()).isEmpty();
		assertThat(engine.inspection().holdersAsync(Harness.KEY)).isCompletedExceptionally();
	}

}
