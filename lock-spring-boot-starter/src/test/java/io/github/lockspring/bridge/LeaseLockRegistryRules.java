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

package io.github.lockspring.bridge;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.scheduling.TaskScheduler;

import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.TemplateProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Rules of Spring Integration's lock registries: those that the tests of its registries
 * for Redis and JDBC have in common.
 */
abstract class LeaseLockRegistryRules {

	/**
	 * Does not end during a test.
	 */
	private static final Duration LONG = Duration.ofMinutes(2);

	/**
	 * Ends while a test waits.
	 */
	private static final Duration SHORT = Duration.ofSeconds(2);

	private static final Duration MOMENT = Duration.ofMillis(50);

	private final String key = "order-" + System.nanoTime();

	private final Supplier<TemplateProcess> start;

	private TemplateProcess one;

	private TemplateProcess two;

	private LeaseLockRegistry registry;

	private DistributedLock lock;

	/**
	 * The same lock in another process.
	 */
	private DistributedLock elsewhere;

	LeaseLockRegistryRules(Supplier<TemplateProcess> start) {
		this.start = start;
	}

	@BeforeEach
	void startProcesses() {
		this.one = this.start.get();
		this.two = this.start.get();
		this.registry = new LeaseLockRegistry(this.one.locks, "registry");
		this.lock = this.registry.obtain(this.key);
		this.elsewhere = new LeaseLockRegistry(this.two.locks, "registry").obtain(this.key);
	}

	@AfterEach
	void closeProcesses() {
		this.one.close();
		this.two.close();
	}

	private static <T> FutureTask<T> start(Callable<T> action) {
		FutureTask<T> task = new FutureTask<>(action);
		new Thread(task).start();
		return task;
	}

	private static <T> T inOtherThread(Callable<T> action) throws Exception {
		return start(action).get(1, TimeUnit.MINUTES);
	}

	private static boolean isFree(Lock lock) throws Exception {
		return inOtherThread(() -> {
			boolean locked = lock.tryLock();
			if (locked) {
				lock.unlock();
			}
			return locked;
		});
	}

	private void assertHeld() throws Exception {
		assertThat(isFree(this.lock)).as("free in this process").isFalse();
		assertThat(this.elsewhere.tryLock()).as("free in the other process").isFalse();
	}

	/**
	 * What an attempt that timed out has left in a queue of the store is removed in the
	 * background.
	 */
	private void assertFree() {
		Awaitility.await().until(() -> isFree(this.elsewhere));
		Awaitility.await().until(() -> isFree(this.lock));
	}

	private static void assertNotOwned(Lock lock) {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	private static void assertLost(Lock lock) {
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
	}

	@Test
	void sameKeyIsTheSameLock() throws Exception {
		assertThat(this.registry.obtain(this.key)).isSameAs(this.lock);
		DistributedLock other = this.registry.obtain(this.key + "-2");
		assertThat(other).isNotSameAs(this.lock);
		this.lock.lock();
		assertThat(isFree(other)).isTrue();
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(1));
		this.lock.unlock();
	}

	@Test
	void eachFormOfLockExcludesOthers() throws Exception {
		this.lock.lock();
		assertHeld();
		this.lock.unlock();
		this.lock.lockInterruptibly();
		assertHeld();
		this.lock.unlock();
		assertThat(this.lock.tryLock()).isTrue();
		assertHeld();
		this.lock.unlock();
		assertThat(this.lock.tryLock(1, TimeUnit.MINUTES)).isTrue();
		assertHeld();
		this.lock.unlock();
		this.lock.lock(LONG);
		assertHeld();
		this.lock.unlock();
		assertThat(this.lock.tryLock(Duration.ZERO, LONG)).isTrue();
		assertHeld();
		this.lock.unlock();
		assertFree();
	}

	@Test
	void lockIsReentrant() throws Exception {
		this.lock.lock();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
		assertHeld();
		this.lock.unlock();
		assertFree();
	}

	@Test
	void registriesOfOneKeyExcludeEachOtherInOneThread() throws Exception {
		DistributedLock same = new LeaseLockRegistry(this.one.locks, "registry").obtain(this.key);
		DistributedLock different = new LeaseLockRegistry(this.one.locks, "other").obtain(this.key);
		this.lock.lock();
		assertThat(same.tryLock()).isFalse();
		assertThat(different.tryLock()).isTrue();
		different.unlock();
		this.lock.unlock();
		assertThat(same.tryLock()).isTrue();
		same.unlock();
	}

	@Test
	void strangersDoNotUnlock() throws Exception {
		assertNotOwned(this.lock);
		this.lock.lock();
		inOtherThread(() -> {
			assertNotOwned(this.lock);
			return null;
		});
		assertNotOwned(this.elsewhere);
		assertHeld();
		this.lock.unlock();
		assertNotOwned(this.lock);
	}

	@Test
	void waitingThreadsGetTheLockOrEndWithTheirTime() throws Exception {
		this.lock.lock();
		assertThat(this.elsewhere.tryLock(MOMENT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		assertThat(this.elsewhere.tryLock(MOMENT, LONG)).isFalse();
		FutureTask<Boolean> waiting = start(() -> {
			this.elsewhere.lock();
			this.elsewhere.unlock();
			return this.lock.tryLock(1, TimeUnit.MINUTES);
		});
		assertThat(waiting).isNotDone();
		this.lock.unlock();
		assertThat(waiting.get(1, TimeUnit.MINUTES)).isTrue();
	}

	@Test
	void waitingThreadIsInterrupted() throws Exception {
		this.lock.lock();
		CompletableFuture<Throwable> end = new CompletableFuture<>();
		Thread waiting = new Thread(() -> {
			try {
				this.elsewhere.lockInterruptibly();
				end.complete(null);
			}
			catch (Throwable ex) {
				end.complete(ex);
			}
		});
		waiting.start();
		waiting.interrupt();
		assertThat(end.get(1, TimeUnit.MINUTES)).isInstanceOf(InterruptedException.class);
		this.lock.unlock();
	}

	@Test
	void lostLockIsReportedAtEachUnlock() throws Exception {
		this.lock.lock(SHORT);
		this.lock.lock(SHORT);
		inOtherThread(() -> {
			this.elsewhere.lock();
			this.elsewhere.unlock();
			return null;
		});
		this.lock.lock();
		assertLost(this.lock);
		assertLost(this.lock);
		assertHeld();
		this.lock.unlock();
		assertFree();
		assertNotOwned(this.lock);
	}

	@Test
	void lostLockThatIsHeldElsewhereIsNotOwned() throws Exception {
		this.lock.lock(SHORT);
		inOtherThread(() -> {
			this.elsewhere.lock();
			return null;
		});
		assertThat(this.lock.tryLock()).isFalse();
		assertNotOwned(this.lock);
	}

	@Test
	void lockIsRenewedOnRequest() throws Exception {
		this.lock.lock(SHORT);
		this.registry.renewLock(this.key, LONG);
		assertThat(this.elsewhere.tryLock(SHORT.plusMillis(200), LONG)).isFalse();
		this.registry.renewLock(this.key);
		this.lock.unlock();
		assertFree();
	}

	@Test
	void lockWithoutTimeToLiveIsRenewedAnyway() throws Exception {
		this.lock.lock();
		this.registry.renewLock(this.key, SHORT);
		assertThat(this.elsewhere.tryLock(SHORT.plusMillis(200), LONG)).isFalse();
		awaitRenewal();
		this.lock.unlock();
	}

	@Test
	void lockWithTimeToLiveIsRenewedIfThereIsAScheduler() throws Exception {
		this.registry.setRenewalTaskScheduler(mock(TaskScheduler.class));
		this.lock.lock(LONG);
		awaitRenewal();
		this.lock.unlock();
		assertFree();
	}

	private void awaitRenewal() {
		Hold hold = this.registry.holds().values().iterator().next().element();
		Duration remaining = hold.remaining();
		Awaitility.await().until(() -> hold.remaining().compareTo(remaining) > 0);
	}

	@Test
	void lockThatIsNotHeldIsNotRenewed() throws Exception {
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.registry.renewLock(this.key + "-2"));
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.registry.renewLock(this.key));
		this.lock.lock(SHORT);
		inOtherThread(() -> this.elsewhere.tryLock(1, TimeUnit.MINUTES));
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock(this.key));
		assertLost(this.lock);
	}

	@Test
	void locksThatAreNotHeldAreForgotten() {
		DistributedLock unused = this.registry.obtain(this.key + "-2");
		this.lock.lock();
		this.registry.expireUnusedOlderThan(60_000);
		assertThat(this.registry.obtain(this.key + "-2")).isSameAs(unused);
		this.registry.expireUnusedOlderThan(-1);
		assertThat(this.registry.obtain(this.key)).isSameAs(this.lock);
		assertThat(this.registry.obtain(this.key + "-2")).isNotSameAs(unused);
		this.lock.unlock();
		this.registry.expireUnusedOlderThan(-1);
		assertThat(this.registry.obtain(this.key)).isNotSameAs(this.lock);
	}

	@Test
	void lockLeftToItsTimeToLiveIsForgottenOnRequest() {
		this.lock.lock(SHORT);
		this.registry.expireUnusedOlderThan(-1);
		assertThat(this.registry.holds()).as("held").hasSize(1);
		this.elsewhere.lock();
		this.registry.expireUnusedOlderThan(60_000);
		assertThat(this.registry.holds()).as("used lately").hasSize(1);
		this.registry.expireUnusedOlderThan(-1);
		assertThat(this.registry.holds()).isEmpty();
		assertThat(this.registry.obtain(this.key)).isNotSameAs(this.lock);
		assertNotOwned(this.lock);
		this.elsewhere.unlock();
	}

	@Test
	void lockLeftToItsTimeToLiveIsForgottenOnceItIsDiscarded() {
		this.lock.lock(SHORT);
		this.elsewhere.lock();
		Awaitility.await()
			.until(() -> this.registry.holds().values().stream().noneMatch((holds) -> holds.peek().hasLease()));
		LockUtils.engine(this.one.locks).discardLostHolds();
		DistributedLock lock = this.registry.obtain(this.key + "-2");
		lock.lock();
		for (int i = 3; this.registry.holds().size() > i - 2; i++) {
			assertThat(i).isLessThan(200);
			this.registry.obtain(this.key + '-' + i).lock();
		}
		assertNotOwned(this.lock);
		lock.unlock();
		this.elsewhere.unlock();
	}

	@Test
	void durationsThatMeanForEverAreCapped() throws Exception {
		Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
		this.lock.lock(forEver);
		assertThat(this.lock.tryLock(forEver, forEver)).isTrue();
		this.registry.renewLock(this.key, forEver);
		this.registry.renewLock(this.key, Duration.ofDays(365_000));
		assertHeld();
		this.lock.unlock();
		this.lock.unlock();
		assertFree();
	}

	@Test
	void lockOutlivesTheCache() throws Exception {
		this.registry.setCacheCapacity(1);
		this.lock.lock();
		this.registry.obtain(this.key + "-2");
		this.registry.renewLock(this.key);
		DistributedLock again = this.registry.obtain(this.key);
		assertThat(again).isNotSameAs(this.lock);
		assertThat(again.tryLock()).isTrue();
		this.lock.unlock();
		again.unlock();
		assertFree();
	}

	@Test
	void actionIsExecutedUnderTheLock() throws Exception {
		assertThat(this.registry.executeLocked(this.key, () -> isFree(this.elsewhere))).isFalse();
		this.elsewhere.lock();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.registry.executeLocked(this.key, MOMENT, () -> true));
		this.elsewhere.unlock();
	}

	@Test
	void conditionsAreNotSupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	void storeThatFailsIsReported() {
		this.one.cutOff();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.lock::tryLock);
	}

}
