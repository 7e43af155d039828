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

package io.github.lockspring.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link SettableTime}.
 */
class SettableTimeTests {

	private static final Instant START = Instant.parse("2027-05-06T07:08:09Z");

	private final SettableTime time = new SettableTime(START);

	private final List<Thread> threads = new ArrayList<>();

	@AfterEach
	void interruptThreads() {
		this.threads.forEach(Thread::interrupt);
	}

	@Test
	void startsAtGivenMomentAndStandsStill() {
		assertThat(this.time.instant()).isEqualTo(START).isEqualTo(this.time.instant());
		assertThat(this.time.currentTimeMillis()).isEqualTo(START.toEpochMilli());
		assertThat(this.time.nanoTime()).isEqualTo(this.time.nanoTime());
	}

	@Test
	void advanceMovesBothClocks() {
		long nanoTime = this.time.nanoTime();
		this.time.advance(Duration.ofNanos(1_500_000_001));
		assertThat(this.time.nanoTime() - nanoTime).isEqualTo(1_500_000_001);
		assertThat(this.time.instant()).isEqualTo(START.plusNanos(1_500_000_001));
		assertThat(this.time.currentTimeMillis()).isEqualTo(START.toEpochMilli() + 1500);
	}

	@Test
	void advanceDoesNotGoBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.time.advance(Duration.ofNanos(-1)))
			.withMessage("'duration' must not be negative, but is PT-0.000000001S");
		assertThat(this.time.instant()).isEqualTo(START);
	}

	@Test
	void jumpMovesOnlyTheWallClock() {
		long nanoTime = this.time.nanoTime();
		this.time.jumpWall(Duration.ofHours(2));
		assertThat(this.time.instant()).isEqualTo(START.plus(Duration.ofHours(2)));
		this.time.jumpWall(Duration.ofHours(-3));
		assertThat(this.time.instant()).isEqualTo(START.minus(Duration.ofHours(1)));
		assertThat(this.time.nanoTime()).isEqualTo(nanoTime);
	}

	@Test
	void sleeperWakesWhenItsTimeHasCome() {
		CompletableFuture<Long> wokenAt = sleep(Duration.ofSeconds(10));
		long start = this.time.nanoTime();
		this.time.advance(Duration.ofSeconds(9));
		assertThat(this.time.sleepers()).isOne();
		this.time.advance(Duration.ofSeconds(1));
		assertThat(wokenAt).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(start + 10_000_000_000L);
		assertThat(this.time.sleepers()).isZero();
	}

	@Test
	void advanceWakesOnlyThoseWhoseTimeHasCome() {
		CompletableFuture<Long> early = sleep(Duration.ofSeconds(1));
		CompletableFuture<Long> late = sleep(Duration.ofSeconds(2));
		this.time.advance(Duration.ofSeconds(1));
		assertThat(early).succeedsWithin(Duration.ofMinutes(1));
		assertThat(late).isNotDone();
		assertThat(this.time.sleepers()).isOne();
	}

	@Test
	void jumpWakesNoSleeper() {
		CompletableFuture<Long> sleep = sleep(Duration.ofSeconds(1));
		this.time.jumpWall(Duration.ofDays(1));
		assertThat(this.time.sleepers()).isOne();
		assertThat(sleep).isNotDone();
	}

	@Test
	void unparkEndsTheSleep() {
		CompletableFuture<Long> sleep = sleep(Duration.ofSeconds(1));
		LockSupport.unpark(this.threads.get(0));
		assertThat(sleep).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(this.time.nanoTime());
	}

	@Test
	void interruptEndsTheSleepAndIsKept() {
		AtomicBoolean interrupted = new AtomicBoolean();
		CompletableFuture<Void> sleep = sleep(Duration.ofSeconds(1))
			.thenAccept((at) -> interrupted.set(Thread.currentThread().isInterrupted()));
		this.threads.get(0).interrupt();
		assertThat(sleep).succeedsWithin(Duration.ofMinutes(1));
		assertThat(interrupted).isTrue();
		assertThat(this.time.sleepers()).isZero();
	}

	@Test
	void sleepOfNoTimeEndsAtOnce() {
		this.time.parkNanos(this, 0);
		this.time.parkNanos(this, -1);
		assertThat(this.time.sleepers()).isZero();
	}

	@Test
	void sleepCountsFromTheLastLookAtTheClock() {
		CompletableFuture<Void> sleep = CompletableFuture.runAsync(() -> {
			this.time.nanoTime();
			this.time.advance(Duration.ofSeconds(1));
			this.time.parkNanos(this, Duration.ofSeconds(1).toNanos());
		});
		assertThat(sleep).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void sleepCountsFromTheEndOfTheSleepBefore() {
		CompletableFuture<Void> sleep = CompletableFuture.runAsync(() -> {
			this.time.parkNanos(this, 1);
			this.time.parkNanos(this, 1);
		});
		await().until(() -> this.time.sleepers() == 1);
		this.time.advance(Duration.ofSeconds(1));
		await().during(Duration.ofMillis(50)).until(() -> !sleep.isDone());
		this.time.advance(Duration.ofNanos(1));
		assertThat(sleep).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void runningClockWakesSleepersByItselfOrWhenItIsAdvanced() {
		SettableTime running = SettableTime.running();
		CompletableFuture<Void> brief = CompletableFuture.runAsync(() -> running.parkNanos(this, 1_000_000));
		assertThat(brief).succeedsWithin(Duration.ofMinutes(1));
		CompletableFuture<Void> sleep = CompletableFuture
			.runAsync(() -> running.parkNanos(this, Duration.ofDays(1).toNanos()));
		await().until(() -> running.sleepers() == 1);
		Instant before = running.instant();
		running.advance(Duration.ofDays(1));
		assertThat(sleep).succeedsWithin(Duration.ofMinutes(1));
		assertThat(running.instant()).isAfterOrEqualTo(before.plus(Duration.ofDays(1)));
		assertThat(running.isUnmoved()).isFalse();
		running.resetWall();
		assertThat(running.instant()).isBefore(before.plus(Duration.ofHours(1)));
		assertThat(running.nanoTime()).isGreaterThanOrEqualTo(Duration.ofDays(1).toNanos());
	}

	@Test
	void runningClockWakesSleeperWhenTheRestOfItsTimeHasPassed() {
		SettableTime running = SettableTime.running();
		long end = running.nanoTime() + Duration.ofHours(1).toNanos() + Duration.ofMillis(500).toNanos();
		CompletableFuture<Void> sleep = CompletableFuture.runAsync(() -> {
			for (long now = running.nanoTime(); now - end < 0; now = running.nanoTime()) {
				running.parkNanos(this, end - now);
			}
		});
		await().until(() -> running.sleepers() == 1);
		running.advance(Duration.ofHours(1));
		assertThat(sleep).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void advanceIsNotMissedByThreadThatFallsAsleepMeanwhile() {
		Phaser round = new Phaser(2);
		CompletableFuture<Void> sleeps = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < 10_000; i++) {
				long end = this.time.nanoTime() + 1;
				round.arriveAndAwaitAdvance();
				sleepUntil(end);
				round.arriveAndAwaitAdvance();
			}
		});
		CompletableFuture.runAsync(() -> {
			while (!sleeps.isDone()) {
				round.arriveAndAwaitAdvance();
				this.time.advance(Duration.ofNanos(1));
				round.arriveAndAwaitAdvance();
			}
		});
		assertThat(sleeps).succeedsWithin(Duration.ofMinutes(1));
		round.forceTermination();
	}

	private void sleepUntil(long end) {
		for (long now = this.time.nanoTime(); now - end < 0; now = this.time.nanoTime()) {
			this.time.parkNanos(this, end - now);
		}
	}

	private CompletableFuture<Long> sleep(Duration duration) {
		CompletableFuture<Long> wokenAt = new CompletableFuture<>();
		int before = this.time.sleepers();
		Thread thread = new Thread(() -> {
			this.time.parkNanos(this, duration.toNanos());
			wokenAt.complete(this.time.nanoTime());
		});
		this.threads.add(thread);
		thread.start();
		await().until(() -> this.time.sleepers() == before + 1);
		return wokenAt;
	}

}
