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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds that keep others out for a minimum time, whatever becomes of the holder.
 */
class MinimumHoldTests {

	private static final Duration MINIMUM = Duration.ofSeconds(10);

	private static final AcquireOptions OPTIONS = Harness.OPTIONS.withMinimumHold(MINIMUM);

	private static final AcquireOptions LONG = Harness.OPTIONS.withMinimumHold(Duration.ofMinutes(5));

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	@AfterEach
	void close() {
		this.harness.close();
	}

	@Test
	void keyIsNotGrantedBeforeTheMinimumIsOver() {
		LockEngine engine = this.harness.engine(this.backend);
		LockEngine other = this.harness.engine();
		Hold hold = Harness.hold(engine, OPTIONS);
		this.harness.time.advance(Duration.ofSeconds(3));
		assertThat(hold.release()).isTrue();
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.backend.lastDelay()).isEqualTo(Duration.ofSeconds(7));
		assertFree(engine, false);
		this.harness.time.advance(Duration.ofMillis(6999));
		assertFree(engine, false);
		assertFree(other, false);
		this.harness.time.advance(Duration.ofMillis(1));
		assertFree(other, true);
		this.harness.assertNothingLeft();
	}

	@Test
	void releaseAfterTheMinimumIsImmediate() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold hold = Harness.hold(engine, OPTIONS);
		this.harness.time.advance(MINIMUM);
		assertThat(hold.release()).isTrue();
		assertThat(this.backend.lastDelay()).isNull();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseIsNotHandedOffInsideTheProcess() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold hold = Harness.hold(engine, OPTIONS);
		Harness.Waiter waiter = this.harness.queued(engine, OPTIONS, Duration.ofMinutes(1));
		hold.release();
		assertThat(this.harness.holders()).hasSize(1);
		assertThat(waiter.isDone()).isFalse();
		Harness.await().until(() -> {
			this.harness.time.advance(Duration.ofMillis(100));
			return waiter.isDone();
		});
		assertThat(this.harness.time.nanoTime()).isGreaterThanOrEqualTo(MINIMUM.toNanos());
		assertThat(waiter.hold().token()).isGreaterThan(hold.token() + 1);
	}

	@Test
	void leaseThatWasWaitedForIsNotHandedOffEither() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold first = Harness.hold(engine);
		Harness.Waiter holder = this.harness.queued(engine, OPTIONS, Duration.ofMinutes(10));
		first.release();
		Hold hold = holder.hold();
		Harness.Waiter next = this.harness.queued(engine, OPTIONS, Duration.ofMinutes(10));
		long granted = hold.lease().grantedNanos();
		hold.release();
		Harness.await().until(() -> {
			this.harness.time.advance(Duration.ofMillis(100));
			return next.isDone();
		});
		assertThat(next.hold().lease()).isNotSameAs(hold.lease());
		assertThat(this.harness.time.nanoTime() - granted).isGreaterThanOrEqualTo(MINIMUM.toNanos());
	}

	@Test
	void leaseLastsAsLongAsTheMinimum() {
		LockEngine engine = this.harness.engine(this.backend);
		Harness.hold(engine, LONG);
		assertThat(this.harness.holders().get(0).remaining()).isEqualTo(Duration.ofMinutes(5));
		assertThat(this.backend.lastCall(Kind.TRY).request().terms().tokens()).isEqualTo(1);
	}

	@Test
	void lastReleaseOfReentriesCounts() {
		LockEngine engine = this.harness.engine(this.backend);
		Object owner = new Object();
		Hold outer = engine.acquireUninterruptibly(Harness.KEY, OPTIONS, owner, 0);
		Hold inner = engine.acquireUninterruptibly(Harness.KEY, Harness.OPTIONS, owner, 0);
		assertThat(inner).isNotNull().isSameAs(outer);
		inner.release();
		assertThat(inner.isHeld()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
		inner.release();
		assertThat(this.backend.lastDelay()).isEqualTo(MINIMUM);
	}

	@Test
	void termsOfTheOutermostAcquisitionCount() {
		LockEngine engine = this.harness.engine(this.backend);
		Object owner = new Object();
		Hold outer = engine.acquireUninterruptibly(Harness.KEY, Harness.OPTIONS, owner, 0);
		Hold inner = engine.acquireUninterruptibly(Harness.KEY, OPTIONS, owner, 0);
		assertThat(inner).isNotNull().isSameAs(outer);
		inner.release();
		inner.release();
		assertThat(this.backend.lastDelay()).isNull();
	}

	@Test
	void readerUnderWriterWithMinimumKeepsTheWriteLock() {
		LockEngine engine = this.harness.engine(this.backend);
		Object owner = new Object();
		Hold writer = engine.acquireUninterruptibly(Harness.KEY, OPTIONS, owner, 0);
		Hold reader = engine.acquireUninterruptibly(Harness.KEY, Harness.SHARED, owner, 0);
		assertThat(reader).isNotNull().isSameAs(writer);
		reader.release();
		reader.release();
		assertThat(this.backend.lastDelay()).isEqualTo(MINIMUM);
	}

	@Test
	void readersKeepWritersOut() {
		LockEngine engine = this.harness.engine(this.backend);
		Harness.hold(engine, Harness.SHARED.withMinimumHold(MINIMUM)).release();
		assertFree(engine, false);
		Harness.hold(engine, Harness.SHARED).release();
		this.harness.time.advance(MINIMUM);
		assertFree(engine, true);
	}

	@Test
	void backgroundReleaseLeavesWhatIsLeftOfTheMinimumByThen() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		Hold hold = Harness.hold(engine, OPTIONS);
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		assertThat(hold.release()).isTrue();
		this.harness.advance(Duration.ZERO);
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(2);
		this.backend.heal();
		this.harness.advance(Duration.ofSeconds(4));
		assertThat(this.backend.lastDelay()).isEqualTo(Duration.ofSeconds(6));
		assertThat(this.harness.holders().get(0).remaining()).isEqualTo(Duration.ofSeconds(6));
		assertFree(engine, false);
	}

	@Test
	void lostReplyToReleaseDoesNotExtendTheDelay() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		Hold hold = Harness.hold(engine, OPTIONS);
		this.backend.next(Kind.RELEASE, Fault.unknownAfterEffect());
		assertThat(hold.release()).isTrue();
		this.harness.advance(Duration.ZERO);
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(2);
		assertThat(this.harness.holders().get(0).remaining()).isEqualTo(MINIMUM);
	}

	@Test
	void shutdownAfterReleaseKeepsTheDelay() {
		LockEngine engine = this.harness.engine(this.backend);
		Harness.hold(engine, OPTIONS).release();
		engine.close();
		assertFree(this.harness.engine(), false);
		this.harness.time.advance(MINIMUM);
		assertFree(this.harness.engine(), true);
	}

	@Test
	void shutdownWhileHeldKeepsTheDelay() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold hold = Harness.hold(engine, OPTIONS);
		this.harness.time.advance(Duration.ofSeconds(1));
		engine.close();
		assertThat(hold.release()).isFalse();
		assertThat(this.backend.lastDelay()).isEqualTo(Duration.ofSeconds(9));
		assertFree(this.harness.engine(), false);
		this.harness.time.advance(Duration.ofSeconds(9));
		assertFree(this.harness.engine(), true);
	}

	@Test
	void lostLeaseLeavesNoRest() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold hold = Harness.hold(engine, OPTIONS);
		this.harness.store.expire(this.backend.lastCall(Kind.TRY).request());
		assertThat(hold.release()).isFalse();
		assertFree(engine, true);
	}

	private static void assertFree(LockEngine engine, boolean free) {
		Hold hold = engine.acquireUninterruptibly(Harness.KEY, Harness.OPTIONS, new Object(), 0);
		assertThat(hold != null).isEqualTo(free);
		if (hold != null) {
			hold.release();
		}
	}

}
