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

package io.github.lockspring.autoconfigure;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Very many virtual threads wait for locks and do not pin the threads that carry them.
 */
class VirtualThreadServerTests {

	private static final int THREADS = 10_000;

	private static final int KEYS = 100;

	private static final int WARM_UP = 500;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.wait-time=3m", "lock.operation-timeout=10s", "lock.key-prefix=" + UUID.randomUUID())
		.withBean(Counters.class);

	@TempDir
	private Path directory;

	@BeforeEach
	void requireVirtualThreads() {
		assumeTrue(Runtime.version().feature() >= 21, "There are virtual threads from Java 21 on");
	}

	@Test
	void allGetTheirLocksInRedisOneByOne() {
		run(this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.url=" + RedisServer.shared().uri()));
	}

	@Test
	void allGetTheirLocksInADatabaseOneByOne() {
		run(this.runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
					"spring.datasource.generate-unique-name=false", "spring.datasource.hikari.maximum-pool-size=20"));
	}

	@Test
	void pinningWouldBeSeen() throws Exception {
		List<RecordedEvent> pinned = recordPinned(() -> {
			ExecutorService executor = virtualThreads();
			executor.execute(PinsItsCarrier::new);
			executor.shutdown();
			assertThat(executor.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
		});
		assertThat(pinned).anyMatch((event) -> has(event, PinsItsCarrier.class.getName()));
	}

	private void run(ApplicationContextRunner runner) {
		runner.run((context) -> {
			Counters counters = context.getBean(Counters.class);
			countInVirtualThreads(counters, WARM_UP);
			List<RecordedEvent> pinned = recordPinned(() -> countInVirtualThreads(counters, THREADS));
			assertThat(counters.count()).containsOnly((WARM_UP + THREADS) / KEYS).hasSize(KEYS);
			assertThat(counters.wereTogether()).isFalse();
			assertThat(pinned.stream().filter(VirtualThreadServerTests::isOurs)).isEmpty();
		});
	}

	private static void countInVirtualThreads(Counters counters, int threads) throws Exception {
		ExecutorService executor = virtualThreads();
		List<Future<?>> results = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			int key = i % KEYS;
			results.add(executor.submit(() -> counters.count(key)));
		}
		for (Future<?> result : results) {
			result.get(4, TimeUnit.MINUTES);
		}
		executor.shutdown();
	}

	private static ExecutorService virtualThreads() throws ReflectiveOperationException {
		return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
	}

	private List<RecordedEvent> recordPinned(Work work) throws Exception {
		try (Recording recording = new Recording()) {
			recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO).withStackTrace();
			recording.start();
			work.run();
			recording.stop();
			return read(recording);
		}
	}

	private List<RecordedEvent> read(Recording recording) throws IOException {
		Path file = this.directory.resolve("recording.jfr");
		recording.dump(file);
		return RecordingFile.readAllEvents(file);
	}

	/**
	 * Whether the library has pinned a thread, unless it was the first to use a class of
	 * which another thread was the first as well.
	 */
	private static boolean isOurs(RecordedEvent event) {
		boolean initialization = event.hasField("pinnedReason")
				&& String.valueOf(event.getString("pinnedReason")).startsWith("Waited for initialization");
		return !initialization && hasFrameOfOurs(event);
	}

	private static boolean hasFrameOfOurs(RecordedEvent event) {
		return event.getStackTrace() != null && event.getStackTrace()
			.getFrames()
			.stream()
			.map(VirtualThreadServerTests::typeOf)
			.anyMatch((type) -> type.startsWith("io.github.lockspring.")
					&& !type.startsWith(VirtualThreadServerTests.class.getName()));
	}

	private static boolean has(RecordedEvent event, String type) {
		return event.getStackTrace() != null
				&& event.getStackTrace().getFrames().stream().anyMatch((frame) -> typeOf(frame).equals(type));
	}

	private static String typeOf(RecordedFrame frame) {
		return frame.getMethod().getType().getName();
	}

	private interface Work {

		void run() throws Exception;

	}

	/**
	 * Shows that pinning would be seen: who waits in a class initializer pins, in all
	 * versions.
	 */
	static class PinsItsCarrier {

		static {
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}

	}

	static class Counters {

		private final int[] count = new int[KEYS];

		private final boolean[] inside = new boolean[KEYS];

		private volatile boolean together;

		@DistributedLock(name = "counter", key = "#key")
		public void count(int key) {
			if (this.inside[key]) {
				this.together = true;
			}
			this.inside[key] = true;
			int next = this.count[key] + 1;
			Thread.yield();
			this.count[key] = next;
			this.inside[key] = false;
		}

		int[] count() {
			return this.count;
		}

		boolean wereTogether() {
			return this.together;
		}

	}

}
