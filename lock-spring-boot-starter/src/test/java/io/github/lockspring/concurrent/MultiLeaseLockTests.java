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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;
import org.mockito.ArgumentCaptor;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLimitException;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.local.LocalStores;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link MultiLeaseLock} with a settable time and stores that fail.
 */
class MultiLeaseLockTests {

	private final SettableTime time = new SettableTime();

	private final LocalStore firstStore = new LocalStore(this.time);

	private final LocalStore secondStore = new LocalStore(this.time);

	private final LockBackend first = spy("first", this.firstStore);

	private final LockBackend second = spy("second", this.secondStore);

	private final LockTemplate template = LockTemplate.builder(this.first)
		.additionalBackend(this.second)
		.timeSource(this.time)
		.shutdownTimeout(Duration.ZERO)
		.build();

	private final LockClient client = new LockClient(this.template);

	private final LockClient other = this.client.on("second");

	private final LeaseLock both = this.client.multiLock(this.other.lock("b"), this.client.lock("a"));

	private static LockBackend spy(String name, LocalStore store) {
		LockBackend backend = mock(LockBackend.class, AdditionalAnswers.delegatesTo(new LocalLockBackend(store)));
		willReturn(name).given(backend).name();
		return backend;
	}

	@AfterEach
	void close() {
		this.template.close();
	}

	private void assertNothingLeft() {
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofMillis(100));
			return LocalStores.size(this.firstStore) == 0 && LocalStores.size(this.secondStore) == 0;
		});
	}

	@Test
	void foreignLocksAreRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.client.multiLock(mock(LeaseLock.class)))
			.withMessageContaining("LockClient");
		assertThatIllegalArgumentException().isThrownBy(() -> this.client.multiLock((LeaseLock) null))
			.withMessageContaining("null");
	}

	@Test
	void keysAreValidatedWhenTheLockIsCreated() {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.client.multiLock(new String[0]));
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.client.multiLock(new LeaseLock[0]));
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.client.multiLock("a", " "));
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.client.multiLock("a", null));
		List<String> many = IntStream.rangeClosed(0, LockTemplate.MAX_KEYS).mapToObj(String::valueOf).toList();
		assertThatExceptionOfType(LockLimitException.class)
			.isThrownBy(() -> this.client.multiLock(many, LockOptions.defaults()));
		List<String> most = many.subList(1, many.size());
		this.client.multiLock(most, LockOptions.defaults().withLeaseTime(Duration.ofHours(1))).lock();
		assertThat(LocalStores.size(this.firstStore)).isGreaterThanOrEqualTo(LockTemplate.MAX_KEYS);
	}

	@Test
	void firstOrAnExclusiveLockOfAKeyIsAcquired() {
		LeaseLock first = this.client.readWriteLock("a", LockOptions.defaults().withLeaseTime(Duration.ofHours(2)))
			.readLock();
		LeaseLock second = this.client.readWriteLock("a", LockOptions.defaults().withLeaseTime(Duration.ofHours(1)))
			.readLock();
		LeaseLock both = this.client.multiLock(first, second);
		both.lock();
		assertThat(both.remaining()).isGreaterThan(Duration.ofHours(1));
		both.unlock();
		LeaseLock exclusive = this.client.multiLock(first, this.client.lock("a"), second);
		exclusive.lock();
		assertThat(this.client.lock("a").isHeldByCurrentThread()).isTrue();
		exclusive.unlock();
		assertNothingLeft();
	}

	@Test
	void keysOfOneBackendAreAcquiredAndReleasedInOneCallEach() {
		LeaseLock lock = this.client.multiLock(this.client.multiLock("a", "b"), this.client.lock("c"),
				this.other.multiLock("d", "e"));
		lock.lock();
		verify(this.first, times(1)).tryAcquire(any(), any());
		verify(this.second, times(1)).tryAcquire(any(), any());
		lock.unlock();
		verify(this.first, times(1)).release(any(), any());
		verify(this.second, times(1)).release(any(), any());
		assertNothingLeft();
	}

	@Test
	void storeThatFailsLeavesNothingOnTheOthers() {
		willThrow(new BackendUnavailableException("down", null)).given(this.second).tryAcquire(any(), any());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.both::tryLock);
		assertThat(this.client.lock("a").isHeldByCurrentThread()).isFalse();
		assertThat(this.both.tryLockAsync()).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		assertNothingLeft();
		verify(this.first, times(2)).release(any(), any());
	}

	@Test
	void storeWhoseAnswerIsLostLeavesNothing() {
		willThrow(new OutcomeUnknownException("lost", null)).given(this.second).tryAcquire(any(), any());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.both::tryLock);
		assertNothingLeft();
		Awaitility.await().untilAsserted(() -> verify(this.second, atLeastOnce()).release(any(), any()));
	}

	@Test
	void storeThatFailsAtUnlockKeepsNothingOnTheOthers() {
		this.both.lock();
		willThrow(new BackendUnavailableException("down", null)).given(this.first).release(any(), any());
		this.both.unlock();
		verify(this.second).release(any(), any());
		assertThat(LocalStores.size(this.secondStore)).isZero();
	}

	@Test
	void lossOnOneBackendReleasesTheOthers() {
		this.both.lock();
		ArgumentCaptor<LeaseRequest> request = ArgumentCaptor.forClass(LeaseRequest.class);
		verify(this.second).contend(request.capture(), any());
		this.secondStore.expire(request.getValue());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.both::unlock)
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:b"));
		assertNothingLeft();
	}

	@Test
	void leaseThatEndedWhileOthersWereAwaitedIsAcquiredAgain() {
		LockOptions unrenewed = LockOptions.defaults().withAutoRenew(false).withLeaseTime(Duration.ofSeconds(10));
		LeaseLock lock = this.client.multiLock(this.client.lock("a", unrenewed), this.other.lock("b", unrenewed));
		LockHandle holder = this.other.lock("b").lockAsync().join();
		TestThread<LockHandle> waiting = TestThread.start(() -> {
			assertThat(lock.tryLock(Duration.ofHours(1))).isTrue();
			assertThat(lock.isHeldByCurrentThread()).isTrue();
			lock.unlock();
			return holder;
		});
		Awaitility.await().until(this.other.lock("b")::hasQueuedThreads);
		this.time.advance(Duration.ofSeconds(11));
		assertThat(waiting.result).isNotDone();
		holder.close();
		assertThat(waiting.get()).isSameAs(holder);
		assertNothingLeft();
	}

	@Test
	void asynchronousLockWhoseLeaseEndedIsAcquiredAgain() {
		LockOptions unrenewed = LockOptions.defaults().withAutoRenew(false).withLeaseTime(Duration.ofSeconds(10));
		LeaseLock lock = this.client.multiLock(this.client.lock("a", unrenewed), this.other.lock("b", unrenewed));
		LockHandle holder = this.other.lock("b").lockAsync().join();
		CompletableFuture<LockHandle> waiting = lock.lockAsync();
		Awaitility.await().until(this.other.lock("b")::hasQueuedThreads);
		this.time.advance(Duration.ofSeconds(11));
		holder.close();
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1))
			.satisfies((lost) -> assertThat(lost.isHeld()).isTrue());
		waiting.join().close();
		assertNothingLeft();
	}

	@Test
	void cancelledWaitingOnOneBackendReleasesTheOthers() {
		LockHandle holder = this.other.lock("b").lockAsync().join();
		CompletableFuture<LockHandle> waiting = this.both.lockAsync();
		Awaitility.await().until(this.other.lock("b")::hasQueuedThreads);
		waiting.cancel(false);
		Awaitility.await().until(() -> LocalStores.size(this.firstStore) == 0);
		holder.close();
		assertNothingLeft();
	}

	@Test
	void attemptThatCannotSucceedDoesNotCallTheOtherStores() {
		LockHandle holder = this.client.lock("a").lockAsync().join();
		clearInvocations(this.second);
		assertThat(this.both.tryLock()).isFalse();
		verify(this.second, never()).tryAcquire(any(), any());
		holder.close();
	}

	@Test
	void storesOfTheSameNameAreLockedInOneOrder() {
		LockBackend one = spy("redis", this.firstStore);
		LockBackend two = spy("redis", this.secondStore);
		willReturn("one:6379").given(one).address();
		willReturn("two:6379").given(two).address();
		try (LockTemplate onOne = LockTemplate.builder(one).shutdownTimeout(Duration.ZERO).build();
				LockTemplate onTwo = LockTemplate.builder(two).shutdownTimeout(Duration.ZERO).build()) {
			LeaseLock first = new LockClient(onOne).lock("a");
			LeaseLock second = new LockClient(onTwo).lock("a");
			LockHandle holder = first.lockAsync().join();
			assertThat(this.client.multiLock(first, second).tryLock()).isFalse();
			assertThat(this.client.multiLock(second, first).tryLock()).isFalse();
			verify(two, never()).tryAcquire(any(), any());
			holder.close();
		}
	}

	@Test
	void tokensOfTwoBackendsAreNotOne() {
		this.both.lock();
		assertThat(this.client.lock("a").fencingToken()).isEqualTo(this.other.lock("b").fencingToken());
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this.both::fencingToken);
		this.both.unlock();
		LockHandle handle = this.both.lockAsync().join();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(handle::fencingToken);
	}

	@Test
	void lockNamesItsKeysInTheirOrder() {
		assertThat(this.both).hasToString("[distributed lock 'lock:a', distributed lock 'lock:b']");
	}

}
