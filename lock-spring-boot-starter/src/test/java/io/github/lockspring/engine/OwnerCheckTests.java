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

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnerCheck}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OwnerCheckTests {

	private static final String WARNING = "is still held by the thread";

	private final Harness harness = new Harness();

	private final LockEngine engine = this.harness.steadyEngine(this.harness.backend(), EngineSettings.defaults());

	@AfterEach
	void close() {
		this.harness.close();
	}

	private Hold acquire(String key) {
		Hold hold = this.engine.acquireUninterruptibly(key, OPTIONS, Thread.currentThread(), 0);
		if (hold == null) {
			throw new AssertionError("The key is held");
		}
		return hold;
	}

	private void renew() {
		this.harness.advance(LEASE.dividedBy(3));
	}

	static Stream<ExecutorService> pools() {
		ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
		executor.setCorePoolSize(1);
		executor.setDaemon(true);
		executor.initialize();
		return Stream.of(Executors.newSingleThreadExecutor(), Executors.newSingleThreadScheduledExecutor(),
				executor.getThreadPoolExecutor(), new ForkJoinPool(1));
	}

	@ParameterizedTest
	@MethodSource("pools")
	void threadThatWaitsForItsNextTaskIsWarnedOfOnce(ExecutorService pool, CapturedOutput output) throws Exception {
		try {
			Hold hold = pool.submit(() -> acquire(KEY)).get();
			Hold other = pool.submit(() -> acquire("other")).get();
			Harness.await().until(() -> {
				renew();
				return output.getAll().contains(WARNING);
			});
			assertThat(output).contains(((Thread) hold.owner()).getName()).contains("is waiting for its next task");
			renew();
			assertThat(output).containsOnlyOnce(WARNING);
			assertThat(hold.release()).isTrue();
			assertThat(other.release()).isTrue();
		}
		finally {
			pool.shutdownNow();
		}
	}

	@Test
	void threadThatHasEndedIsWarnedOf(CapturedOutput output) throws Exception {
		Thread thread = new Thread(() -> acquire(KEY), "gone");
		thread.start();
		thread.join();
		renew();
		assertThat(output).contains("'gone', which has ended").containsOnlyOnce(WARNING);
	}

	@Test
	void threadThatWaitsInItsTaskIsNotWarnedOf(CapturedOutput output) throws Exception {
		ExecutorService pool = Executors.newSingleThreadExecutor();
		CountDownLatch acquired = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		Future<Boolean> task = pool.submit(() -> {
			Hold hold = acquire(KEY);
			acquired.countDown();
			end.await();
			return hold.release();
		});
		acquired.await();
		for (int i = 0; i < 5; i++) {
			renew();
		}
		end.countDown();
		assertThat(task.get()).isTrue();
		pool.shutdown();
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void otherOwnersAreNotWarnedOf(CapturedOutput output) throws Exception {
		Thread thread = new Thread(() -> this.engine.acquireAsync(KEY, OPTIONS, new Object(), 0));
		thread.start();
		thread.join();
		renew();
		assertThat(output).doesNotContain(WARNING);
		assertThat(this.engine.size()).isOne();
	}

}
