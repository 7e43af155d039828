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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.SHARED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SharedLease}: readers of one process share a lease, within the budget
 * of hand-offs.
 */
class SharedLeaseTests {

	private static final Duration WAIT = Duration.ofMinutes(10);

	private static final Duration SPAN = EngineSettings.defaults().handOff().span();

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private Hold reader() {
		return Harness.hold(this.engine, SHARED);
	}

	private List<Hold> readers(int count) {
		return Stream.generate(this::reader).limit(count).toList();
	}

	@Test
	void readersShareLeaseAndToken() {
		List<Hold> readers = readers(16);
		assertThat(this.backend.attempts()).isOne();
		assertThat(this.harness.holders()).hasSize(1);
		assertThat(readers).allSatisfy((reader) -> {
			assertThat(reader.isHeld()).isTrue();
			assertThat(reader.lease()).isSameAs(readers.get(0).lease());
			assertThat(reader.token()).isEqualTo(readers.get(0).token());
		});
	}

	@Test
	void lastReaderReleasesTheLease() {
		List<Hold> readers = readers(3);
		for (Hold reader : List.of(readers.get(1), readers.get(0))) {
			assertThat(reader.release()).isTrue();
			assertThat(reader.isHeld()).isFalse();
			assertThat(this.backend.count(Kind.RELEASE)).isZero();
		}
		assertThat(readers.get(2).isHeld()).isTrue();
		assertThat(readers.get(2).release()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseThatWasReleasedIsNotShared() {
		Hold former = reader();
		former.release();
		assertThat(reader().lease()).isNotSameAs(former.lease());
	}

	@Test
	void leaseIsNotSharedWhileItIsReleased() {
		Hold former = reader();
		CompletableFuture<Hold> next = new CompletableFuture<>();
		this.backend.next(Kind.RELEASE, Fault.before(() -> next.complete(reader())));
		former.release();
		assertThat(next.join().lease()).isNotSameAs(former.lease());
		assertThat(next.join().isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
	}

	@Test
	void everyReaderReentersItsOwnHold() {
		Object owner = new Object();
		Hold mine = this.engine.acquireUninterruptibly(KEY, SHARED, owner, 0);
		Hold other = reader();
		assertThat(this.engine.acquireUninterruptibly(KEY, SHARED, owner, 0)).isSameAs(mine);
		mine.release();
		mine.release();
		assertThat(mine.isHeld()).isFalse();
		assertThat(other.isHeld()).isTrue();
		assertThat(other.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseIsSharedForTheSpanOfHandOffsOnly() {
		Hold first = reader();
		this.harness.time.advance(SPAN.minusNanos(1));
		assertThat(reader().lease()).isSameAs(first.lease());
		this.harness.time.advance(Duration.ofNanos(1));
		Hold next = reader();
		assertThat(next.lease()).isNotSameAs(first.lease());
		assertThat(reader().lease()).isSameAs(next.lease());
		assertThat(this.harness.holders()).hasSize(2);
	}

	@Test
	void leaseIsSharedAsOftenAsItMayBeHandedOff() {
		LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults().withHandOff(2, SPAN));
		List<Hold> readers = Stream.generate(() -> Harness.hold(engine, SHARED)).limit(4).toList();
		assertThat(readers.get(2).lease()).isSameAs(readers.get(0).lease());
		assertThat(readers.get(3).lease()).isNotSameAs(readers.get(0).lease());
		readers.forEach((reader) -> assertThat(reader.release()).isTrue());
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseIsNotSharedWithoutHandOffs() {
		LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults().withHandOff(0, SPAN));
		assertThat(Harness.hold(engine, SHARED).lease()).isNotSameAs(Harness.hold(engine, SHARED).lease());
	}

	@Test
	void leaseIsSharedOnTheSameTermsOnly() {
		Hold first = reader();
		AcquireOptions longer = AcquireOptions.shared(LEASE.multipliedBy(2), true);
		AcquireOptions unrenewed = AcquireOptions.shared(LEASE, false);
		AcquireOptions minimum = SHARED.withMinimumHold(Duration.ofSeconds(1));
		for (AcquireOptions options : List.of(longer, unrenewed, unrenewed, minimum, minimum)) {
			assertThat(Harness.hold(this.engine, options).lease()).isNotSameAs(first.lease());
		}
		assertThat(this.harness.holders()).hasSize(6);
	}

	@Test
	void readersWaitBehindAWriterOfThisProcess() {
		Hold first = reader();
		Waiter writer = this.harness.queued(this.engine, OPTIONS, WAIT);
		Waiter reader = this.harness.queued(this.engine, SHARED, WAIT);
		assertThat(this.engine.acquireUninterruptibly(KEY, SHARED, new Object(), 0)).isNull();
		first.release();
		Hold writing = writer.hold();
		assertThat(reader.isDone()).isFalse();
		writing.release();
		assertThat(reader.hold().release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void readersKeepAWriterOfAnotherProcessOutForTheSpanOnly() {
		Hold first = reader();
		Waiter writer = this.harness.queued(this.harness.engine(), OPTIONS, WAIT);
		Hold second = reader();
		this.harness.time.advance(SPAN);
		Waiter late = this.harness.queued(this.engine, SHARED, WAIT);
		first.release();
		assertThat(writer.isDone()).isFalse();
		second.release();
		Hold writing = writer.hold();
		assertThat(late.isDone()).isFalse();
		writing.release();
		assertThat(late.hold().release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void waitingReadersShareTheLeaseOfTheFirst() {
		Hold writer = Harness.hold(this.engine);
		List<Waiter> readers = Stream.generate(() -> this.harness.queued(this.engine, SHARED, WAIT)).limit(5).toList();
		this.backend.clearCalls();
		writer.release();
		Lease lease = readers.get(0).hold().lease();
		assertThat(readers).allSatisfy((reader) -> assertThat(reader.hold().lease()).isSameAs(lease));
		assertThat(this.backend.attempts()).isOne();
		readers.forEach((reader) -> assertThat(reader.hold().release()).isTrue());
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(2);
		this.harness.assertNothingLeft();
	}

	@Test
	void waitingReadersComeInThoughTheStoreFailsToNameItsLongestLease() {
		Hold writer = Harness.hold(this.engine);
		List<Waiter> readers = Stream.generate(() -> this.harness.queued(this.engine, SHARED, WAIT)).limit(3).toList();
		this.backend.failLongestLease(1);
		writer.release();
		assertThat(readers).allMatch((reader) -> reader.hold().isHeld());
	}

	@Test
	void waitingReadersBehindAWriterAreNotAdmittedBeforeIt() {
		Hold holder = Harness.hold(this.engine);
		Waiter first = this.harness.queued(this.engine, SHARED, WAIT);
		Waiter writer = this.harness.queued(this.engine, OPTIONS, WAIT);
		Waiter last = this.harness.queued(this.engine, SHARED, WAIT);
		holder.release();
		Hold reading = first.hold();
		writer.awaitSleep();
		assertThat(last.isDone()).isFalse();
		reading.release();
		Hold writing = writer.hold();
		assertThat(last.isDone()).isFalse();
		writing.release();
		assertThat(last.hold().isHeld()).isTrue();
	}

	@Test
	void readersThatDoNotSuitTheLeaseFollowByThemselves() {
		AcquireOptions longer = AcquireOptions.shared(LEASE.multipliedBy(2), true);
		Hold holder = Harness.hold(this.engine);
		Waiter first = this.harness.queued(this.engine, SHARED, WAIT);
		Waiter second = this.harness.queued(this.engine, longer, WAIT);
		Waiter third = this.harness.queued(this.engine, longer, WAIT);
		holder.release();
		assertThat(second.hold().lease()).isNotSameAs(first.hold().lease());
		assertThat(third.hold().lease()).isSameAs(second.hold().lease());
	}

	@Test
	void waitingReaderThatTimedOutIsNotAdmitted() {
		Hold holder = Harness.hold(this.engine);
		Waiter first = this.harness.queued(this.engine, SHARED, WAIT);
		Waiter second = this.harness.queued(this.engine, SHARED, Duration.ofSeconds(1));
		this.harness.time.advance(Duration.ofSeconds(1));
		assertThat(second.result()).isNull();
		holder.release();
		assertThat(first.hold().release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void allReadersLoseTheLeaseOnce() {
		List<Hold> readers = readers(3);
		this.harness.store.expire(readers.get(0).lease().request());
		await().until(() -> readers.stream().noneMatch(Hold::isHeld));
		await().until(() -> this.harness.losses.size() == 3);
		assertThat(readers).allSatisfy((reader) -> assertThat(reader.release()).isFalse());
		assertThat(reader().isHeld()).isTrue();
		assertThat(this.harness.losses).hasSize(3);
	}

	@Test
	void expiredLeaseIsNotShared() {
		LockEngine engine = this.harness.engine(this.backend,
				EngineSettings.defaults().withHandOff(256, Duration.ofDays(1)));
		Hold first = Harness.hold(engine, SHARED);
		this.backend.always(Kind.RENEW, Fault.unavailable());
		this.harness.time.advance(LEASE.dividedBy(2).plusSeconds(1));
		Hold second = Harness.hold(engine, SHARED);
		assertThat(second.lease()).as("after half of it").isNotSameAs(first.lease());
	}

	@Test
	void leaseIsRenewedForAsLongAsAnyReaderHoldsIt() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		Hold first = Harness.hold(engine, SHARED);
		Hold second = Harness.hold(engine, SHARED);
		this.harness.advance(LEASE, Duration.ofSeconds(1));
		assertThat(this.backend.count(Kind.RENEW)).isEqualTo(3);
		first.release();
		Hold third = Harness.hold(engine, SHARED);
		assertThat(third.lease()).isNotSameAs(second.lease());
		third.release();
		this.harness.advance(LEASE.multipliedBy(2), Duration.ofSeconds(1));
		assertThat(second.isHeld()).isTrue();
		assertThat(second.release()).isTrue();
		long renewals = this.backend.count(Kind.RENEW);
		this.harness.advance(LEASE, Duration.ofSeconds(1));
		assertThat(this.backend.count(Kind.RENEW)).isEqualTo(renewals);
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void leaseIsWatchedAfterTheReaderThatAcquiredItHasLeft() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		Hold first = Harness.hold(engine, SHARED);
		Hold second = Harness.hold(engine, SHARED);
		first.release();
		this.harness.advance(LEASE.multipliedBy(2), Duration.ofSeconds(1));
		assertThat(second.isHeld()).isTrue();
	}

	@Test
	void readerThatIsAboutToLeaveDoesNotKeepTheLeaseOfOthersFromBeingRenewed() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		Hold staying = Harness.hold(engine, SHARED);
		Hold leaving = Harness.hold(engine, SHARED);
		assertThat(leaving.countDown(leaving)).isZero();
		this.harness.advance(LEASE.multipliedBy(2), Duration.ofSeconds(1));
		assertThat(staying.isHeld()).isTrue();
	}

	@Test
	void lossIsReportedToReadersAlthoughAnotherIsAboutToLeave() {
		Hold staying = reader();
		Hold leaving = reader();
		assertThat(leaving.countDown(leaving)).isZero();
		this.harness.store.expire(staying.lease().request());
		await().until(() -> this.harness.losses.size() == 1);
		assertThat(staying.isHeld()).isFalse();
	}

	@Test
	void asynchronousReadersShareTheLeaseAtOnce() {
		Hold first = reader();
		CompletableFuture<Hold> second = this.engine.acquireAsync(KEY, SHARED, new Object(), 0);
		assertThat(second).isCompleted();
		assertThat(second.join().lease()).isSameAs(first.lease());
		assertThat(first.releaseAsync().toCompletableFuture()).isCompletedWithValue(true);
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
		assertThat(second.join().releaseAsync().toCompletableFuture().join()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void downgradedLeaseIsNotShared() {
		Object owner = new Object();
		Hold writer = this.engine.acquireUninterruptibly(KEY, OPTIONS, owner, 0);
		Hold downgraded = this.engine.acquireUninterruptibly(KEY, SHARED, owner, 0);
		writer.release();
		Hold other = reader();
		assertThat(other.lease()).isNotSameAs(downgraded.lease());
		assertThat(other.token()).isGreaterThan(downgraded.token());
	}

	@Test
	void lastReaderReleasesInTheBackgroundIfTheStoreFails() {
		List<Hold> readers = readers(2);
		this.backend.next(Kind.RELEASE, Fault.unavailable());
		assertThat(readers.get(0).release()).isTrue();
		assertThat(readers.get(1).release()).isTrue();
		await().until(() -> {
			this.harness.time.advance(Duration.ofMillis(100));
			return this.harness.holders().isEmpty();
		});
	}

	@Test
	void shutdownReleasesTheLeaseOfAllReaders() {
		List<Hold> readers = readers(3);
		this.engine.close();
		assertThat(readers).allSatisfy((reader) -> assertThat(reader.isHeld()).isFalse());
		assertThat(this.harness.holders()).isEmpty();
	}

}
