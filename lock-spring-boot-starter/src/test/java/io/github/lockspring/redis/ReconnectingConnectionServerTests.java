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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.mockito.MockedStatic;
import org.springframework.util.Assert;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.DaemonThreads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mockStatic;

/**
 * Tests for {@link ReconnectingConnection}.
 */
class ReconnectingConnectionServerTests {

	private static final int ATTEMPTS = 100;

	/**
	 * A client that is shut down does not always complete a pending connection.
	 */
	@Test
	void pendingConnectionIsCancelledByClose() throws InterruptedException {
		for (int i = 0; i < ATTEMPTS; i++) {
			RedisClient client = RedisClient.create(RedisServer.shared().uri().toString());
			ReconnectingConnection<StatefulRedisConnection<String, String>> connections = new ReconnectingConnection<>(
					"pending", client::connect, StatefulConnection::isOpen, StatefulConnection::closeAsync, null);
			connections.renew();
			TimeUnit.MICROSECONDS.sleep(i * 60L);
			connections.close();
			client.shutdownAsync(0, 0, TimeUnit.SECONDS);
		}
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("lock-redis-connect")));
	}

	/**
	 * What is called with each connection finds it in place.
	 */
	@Test
	void connectionThatIsLostIsOpenedAgainWithoutACaller() {
		Set<Object> lost = ConcurrentHashMap.newKeySet();
		Queue<Object> found = new ConcurrentLinkedQueue<>();
		AtomicInteger attempts = new AtomicInteger();
		AtomicReference<ReconnectingConnection<Object>> self = new AtomicReference<>();
		ReconnectingConnection<Object> connections = new ReconnectingConnection<>("lost", () -> {
			Assert.state(attempts.incrementAndGet() != 2, "not yet");
			return new Object();
		}, (connection) -> !lost.contains(connection), lost::add,
				() -> found.add(String.valueOf(self.get().current())));
		self.set(connections);
		connections.renew();
		Awaitility.await().until(() -> found.size() == 1);
		Object first = connections.current();
		connections.restore(first);
		Awaitility.await().until(() -> found.size() == 2);
		assertThat(lost).containsExactly(first);
		assertThat(found).doesNotContain("null").doesNotHaveDuplicates();
		assertThat(attempts).hasValue(3);
		connections.close();
	}

	@Test
	void connectionThatIsLostBeforeItIsInPlaceIsOpenedAgain() {
		Set<Object> lost = ConcurrentHashMap.newKeySet();
		AtomicInteger opened = new AtomicInteger();
		ReconnectingConnection<Object> connections = new ReconnectingConnection<>("early", () -> {
			Object made = new Object();
			if (opened.get() == 0) {
				lost.add(made);
			}
			return made;
		}, (connection) -> !lost.contains(connection), (connection) -> {
		}, opened::incrementAndGet);
		connections.renew();
		Awaitility.await().until(() -> opened.get() == 2);
		assertThat(connections.current()).isNotNull();
		connections.close();
	}

	@Test
	void failedAttemptIsCompletedWithoutTheMonitor() {
		CountDownLatch fails = new CountDownLatch(1);
		ReconnectingConnection<Object> connections = new ReconnectingConnection<>("failing", () -> {
			Awaitility.await().until(() -> fails.getCount() == 0);
			throw new IllegalStateException("not now");
		}, (connection) -> true, (connection) -> {
		}, null);
		AtomicReference<Boolean> locked = new AtomicReference<>();
		connections.renew().whenComplete((connection, failure) -> locked.set(Thread.holdsLock(connections)));
		fails.countDown();
		Awaitility.await().until(() -> locked.get() != null);
		assertThat(locked).hasValue(false);
		connections.close();
	}

	@Test
	void connectionForWhichNoThreadCouldBeStartedIsOpenedLater() {
		ReconnectingConnection<Object> connections = new ReconnectingConnection<>("exhausted", Object::new,
				(connection) -> true, (connection) -> {
				}, null);
		try (MockedStatic<DaemonThreads> threads = mockStatic(DaemonThreads.class, CALLS_REAL_METHODS)) {
			threads.when(() -> DaemonThreads.create(any(), any())).thenThrow(new IllegalStateException("no thread"));
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> connections.get(Duration.ofMinutes(1)))
				.withMessageContaining("no thread");
		}
		Awaitility.await()
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(connections.get(Duration.ofMillis(1))).isNotNull());
		connections.close();
	}

}
