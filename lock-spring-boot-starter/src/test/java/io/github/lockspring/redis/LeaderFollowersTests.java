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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.support.Deadline;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderFollowers}.
 */
class LeaderFollowersTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Queue<CompletableFuture<String>> expected = new ConcurrentLinkedQueue<>();

	private final AtomicInteger readers = new AtomicInteger();

	private final AtomicInteger mostReaders = new AtomicInteger();

	@AfterEach
	void end() {
		this.threads.shutdownNow();
	}

	private boolean read() {
		this.mostReaders.accumulateAndGet(this.readers.incrementAndGet(), Math::max);
		CompletableFuture<String> next = this.expected.poll();
		if (next != null) {
			next.complete("reply");
		}
		this.readers.decrementAndGet();
		return next != null;
	}

	@Test
	void everyReplyIsReadByOneThreadAtATime() {
		LeaderFollowers turns = new LeaderFollowers((deadline) -> read());
		List<CompletableFuture<Void>> all = IntStream.range(0, 8)
			.mapToObj((i) -> CompletableFuture.runAsync(() -> IntStream.range(0, 5_000).forEach((j) -> {
				CompletableFuture<String> reply = new CompletableFuture<>();
				this.expected.add(reply);
				turns.await(reply, Deadline.after(LONG));
				assertThat(reply).isCompleted();
			}), this.threads))
			.toList();
		assertThat(all).allSatisfy((one) -> assertThat(one).succeedsWithin(LONG));
		assertThat(this.mostReaders).hasValue(1);
	}

	@Test
	void followerTakesOverFromALeaderWhoseTimeIsOver() throws InterruptedException {
		CountDownLatch leading = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		LeaderFollowers turns = new LeaderFollowers((deadline) -> {
			if (end.getCount() == 0) {
				return read();
			}
			leading.countDown();
			awaitQuietly(end);
			return false;
		});
		CompletableFuture<String> never = new CompletableFuture<>();
		CompletableFuture<Void> leader = CompletableFuture.runAsync(() -> turns.await(never, Deadline.after(LONG)),
				this.threads);
		leading.await();
		CompletableFuture<String> reply = new CompletableFuture<>();
		CompletableFuture<Void> follower = CompletableFuture.runAsync(() -> turns.await(reply, Deadline.after(LONG)),
				this.threads);
		this.expected.add(reply);
		end.countDown();
		assertThat(leader).succeedsWithin(LONG);
		assertThat(follower).succeedsWithin(LONG);
		assertThat(reply).isCompleted();
		assertThat(never).isNotDone();
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void followerWaitsNoLongerThanItsDeadline() throws InterruptedException {
		CountDownLatch leading = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		LeaderFollowers turns = new LeaderFollowers((deadline) -> {
			leading.countDown();
			awaitQuietly(end);
			return false;
		});
		this.threads.execute(() -> turns.await(new CompletableFuture<>(), Deadline.after(LONG)));
		leading.await();
		CompletableFuture<String> reply = new CompletableFuture<>();
		turns.await(reply, Deadline.after(Duration.ofMillis(20)));
		assertThat(reply).isNotDone();
		end.countDown();
	}

}
