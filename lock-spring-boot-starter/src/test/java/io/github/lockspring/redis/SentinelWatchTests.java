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
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisNode;

import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link SentinelWatch}.
 */
class SentinelWatchTests {

	private final AtomicInteger switches = new AtomicInteger();

	private volatile int port = 1;

	@Test
	void failoversAreNoticedAfterAnError() {
		try (SentinelWatch watch = new SentinelWatch(List.of(new RedisNode("sentinel", 1)), (node) -> new Answers(),
				new TokenLead(), this::fail)) {
			watch.start();
			for (int next = 1; next <= 3; next++) {
				this.port = next;
				int failovers = next - 1;
				await().dontCatchUncaughtExceptions()
					.until(() -> watch.isPrimary("server", failovers + 1) && this.switches.get() == failovers
							&& watch.isTrusted());
			}
		}
	}

	private void fail() {
		this.switches.incrementAndGet();
		throw new NoClassDefFoundError("of a test");
	}

	/**
	 * A sentinel that reports the current port.
	 */
	private final class Answers implements SentinelWatch.Sentinel {

		@Override
		public SentinelWatch.Report report() {
			int port = SentinelWatchTests.this.port;
			return new SentinelWatch.Report(new RedisNode("server", port), port, false, Duration.ZERO);
		}

		@Override
		public void awaitAnnouncement(Duration timeout) {
			Thread.onSpinWait();
		}

		@Override
		public void close() {
		}

	}

}
