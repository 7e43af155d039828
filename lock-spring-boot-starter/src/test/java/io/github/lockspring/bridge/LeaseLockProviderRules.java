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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.TemplateProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Rules of ShedLock's {@link LockProvider}: those of its own integration tests, and of
 * their variant for locks that can be extended.
 */
abstract class LeaseLockProviderRules {

	/**
	 * Does not end during a test.
	 */
	private static final Duration LONG = Duration.ofMinutes(2);

	/**
	 * Ends while a test waits.
	 */
	private static final Duration SHORT = Duration.ofSeconds(2);

	private final String name = "job-" + System.nanoTime();

	private final Supplier<TemplateProcess> start;

	private TemplateProcess one;

	private TemplateProcess two;

	private LockProvider provider;

	/**
	 * The provider of another process.
	 */
	private LockProvider elsewhere;

	LeaseLockProviderRules(Supplier<TemplateProcess> start) {
		this.start = start;
	}

	@BeforeEach
	void startProcesses() {
		this.one = this.start.get();
		this.two = this.start.get();
		this.provider = new LeaseLockProvider(this.one.locks);
		this.elsewhere = new LeaseLockProvider(this.two.locks);
	}

	@AfterEach
	void closeProcesses() {
		this.one.close();
		this.two.close();
	}

	private static LockConfiguration configuration(String name, Duration atMost, Duration atLeast) {
		return new LockConfiguration(Instant.now(), name, atMost, atLeast);
	}

	/**
	 * Locks, or does not, as soon as the store answers within the short time of an
	 * attempt that does not wait.
	 */
	private Optional<SimpleLock> lock(LockProvider provider, Duration atMost, Duration atLeast) {
		return Awaitility.await()
			.atMost(FaultRun.MAX_WAIT)
			.pollDelay(Duration.ZERO)
			.ignoreException(LockUnavailableException.class)
			.until(() -> provider.lock(configuration(this.name, atMost, atLeast)), Objects::nonNull);
	}

	private SimpleLock lock(Duration atMost, Duration atLeast) {
		return lock(this.provider, atMost, atLeast).orElseThrow();
	}

	private void assertLocked() {
		assertThat(lock(this.provider, LONG, Duration.ZERO)).as("in this process").isEmpty();
		assertThat(lock(this.elsewhere, LONG, Duration.ZERO)).as("in the other process").isEmpty();
	}

	private void assertUnlocked() {
		for (LockProvider each : List.of(this.elsewhere, this.provider)) {
			Optional<SimpleLock> lock = lock(each, LONG, Duration.ZERO);
			assertThat(lock).isNotEmpty();
			lock.get().unlock();
		}
	}

	private SimpleLock awaitUnlocked(LockProvider provider) {
		return Awaitility.await()
			.atMost(FaultRun.MAX_WAIT)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> lock(provider, LONG, Duration.ZERO), Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * Asserts that a time has passed, but for what the clocks of a store leave out.
	 */
	private static void assertHasPassed(Duration time, long start) {
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(time.minusMillis(100));
	}

	private static void pass(Duration duration) throws InterruptedException {
		TimeUnit.NANOSECONDS.sleep(duration.toNanos());
	}

	@Test
	void lockedNameIsNotLockedAgainUntilItIsUnlocked() {
		SimpleLock lock = lock(LONG, Duration.ZERO);
		assertLocked();
		lock.unlock();
		assertUnlocked();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void locksOfTwoNamesAreIndependent() {
		SimpleLock lock = lock(LONG, Duration.ZERO);
		SimpleLock other = this.provider.lock(configuration(this.name + "-2", LONG, Duration.ZERO)).orElseThrow();
		lock.unlock();
		assertUnlocked();
		other.unlock();
	}

	@Test
	void lockExpiresAfterTheTimeOfLockAtMostFor() {
		long start = System.nanoTime();
		SimpleLock expiring = lock(SHORT, Duration.ZERO);
		SimpleLock next = awaitUnlocked(this.elsewhere);
		assertHasPassed(SHORT, start);
		expiring.unlock();
		assertLocked();
		next.unlock();
		assertUnlocked();
	}

	@Test
	void durationsThatMeanForEverAreCapped() {
		Duration forEver = Duration.ofDays(365_000);
		SimpleLock lock = lock(forEver, Duration.ZERO);
		lock = lock.extend(forEver, forEver).orElseThrow();
		assertLocked();
		lock.unlock();
		assertLocked();
	}

	@Test
	void lockIsKeptForTheTimeOfLockAtLeastFor() {
		long start = System.nanoTime();
		lock(LONG, SHORT).unlock();
		awaitUnlocked(this.elsewhere).unlock();
		assertHasPassed(SHORT, start);
	}

	@Test
	void lockIsFreeOnceTheTimeOfLockAtLeastForIsOver() throws InterruptedException {
		SimpleLock lock = lock(LONG, SHORT);
		pass(SHORT.plusMillis(200));
		lock.unlock();
		assertUnlocked();
	}

	@Test
	void oneOfManyLocks() {
		AtomicInteger inside = new AtomicInteger();
		List<CompletableFuture<Boolean>> threads = new ArrayList<>();
		for (LockProvider each : List.of(this.provider, this.elsewhere, this.provider, this.elsewhere)) {
			threads.add(CompletableFuture.supplyAsync(() -> {
				boolean alone = true;
				for (int i = 0; i < 5; i++) {
					SimpleLock lock = awaitUnlocked(each);
					alone &= inside.incrementAndGet() == 1;
					inside.decrementAndGet();
					lock.unlock();
				}
				return alone;
			}, (task) -> new Thread(task).start()));
		}
		assertThat(threads).allSatisfy((thread) -> assertThat(thread.get(1, TimeUnit.MINUTES)).isTrue());
	}

	@Test
	void extendedLockReplacesItself() throws InterruptedException {
		SimpleLock lock = lock(SHORT, Duration.ZERO);
		Optional<SimpleLock> extended = lock.extend(LONG, Duration.ZERO);
		assertThat(extended).isNotEmpty();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
		pass(SHORT.plusMillis(200));
		assertLocked();
		SimpleLock again = extended.get().extend(LONG, Duration.ZERO).orElseThrow();
		assertLocked();
		again.unlock();
		assertUnlocked();
	}

	@Test
	void lockIsExtendedForLongerThanSessionsLast() throws InterruptedException {
		Duration minutes = Duration.ofMinutes(10);
		SimpleLock lock = lock(minutes, Duration.ZERO).extend(SHORT, Duration.ZERO).orElseThrow();
		SimpleLock extended = lock.extend(minutes, Duration.ZERO).orElseThrow();
		pass(SHORT.plusMillis(200));
		assertLocked();
		extended.unlock();
		assertUnlocked();
	}

	@Test
	void extendedLockExpiresAfterItsNewTime() {
		SimpleLock lock = lock(Duration.ofMinutes(10), Duration.ZERO);
		SimpleLock extended = lock.extend(SHORT, Duration.ZERO).orElseThrow();
		awaitUnlocked(this.elsewhere).unlock();
		assertThat(extended.extend(LONG, Duration.ZERO)).isEmpty();
		assertUnlocked();
	}

	@Test
	void extendedLockIsKeptForItsNewTimeOfLockAtLeastFor() {
		SimpleLock lock = lock(LONG, Duration.ZERO);
		long start = System.nanoTime();
		lock.extend(LONG, SHORT).orElseThrow().unlock();
		awaitUnlocked(this.elsewhere).unlock();
		assertHasPassed(SHORT, start);
	}

	@Test
	void expiredLockIsNotExtended() {
		SimpleLock expired = lock(SHORT, Duration.ZERO);
		SimpleLock next = awaitUnlocked(this.elsewhere);
		assertThat(expired.extend(LONG, Duration.ZERO)).isEmpty();
		assertLocked();
		next.unlock();
		assertUnlocked();
	}

	@Test
	void unlockedLockIsNotExtended() {
		SimpleLock lock = lock(LONG, Duration.ZERO);
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
		assertUnlocked();
	}

	@Test
	void storeThatFailsIsReported() {
		this.one.cutOff();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.provider.lock(configuration(this.name, LONG, Duration.ZERO)));
	}

}
