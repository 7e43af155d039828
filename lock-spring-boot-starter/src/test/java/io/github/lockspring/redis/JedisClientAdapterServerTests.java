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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The Jedis client with servers that do not answer and connections that are lost.
 */
class JedisClientAdapterServerTests {

	private static final Duration BOUND = Duration.ofMinutes(1);

	/**
	 * Timeout of calls to a server that does not answer.
	 */
	private static final Duration BRIEF = Duration.ofMillis(500);

	/**
	 * For calls that may be preceded by many others.
	 */
	private static final Duration LONG = Duration.ofMinutes(2);

	private RedisServer server;

	private RedisProcess process;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.process = process(JedisClientConfiguration.defaultConfiguration());
	}

	private RedisProcess process(JedisClientConfiguration client) {
		RedisStandaloneConfiguration configuration = RedisProcess.configuration(this.server);
		configuration.setDatabase(3);
		return RedisProcess.withJedis(new JedisConnectionFactory(configuration, client), RedisProcess.SETTINGS);
	}

	@AfterEach
	void stop() {
		this.process.close();
		this.server.close();
	}

	@Test
	void everyCallEndsInTimeWhenTheServerDoesNotAnswer() {
		LeaseRequest lease = this.process.request("key");
		assertThat(this.process.tryAcquire(lease)).isNotNull();
		this.server.pause();
		RedisLockBackend backend = this.process.backend;
		assertFailsInTime(OutcomeUnknownException.class,
				() -> backend.tryAcquire(this.process.request("other"), BRIEF));
		assertFailsInTime(BackendException.class, () -> backend.contend(this.process.request("key"), BRIEF));
		assertFailsInTime(BackendException.class, () -> backend.release(lease, BRIEF));
		assertFailsInTime(BackendException.class, () -> backend.renew(List.of(lease), BRIEF));
		assertFailsInTime(BackendException.class, () -> backend.inspect("key", BRIEF));
		assertFailsInTime(BackendException.class, () -> backend.probe(this.process.request("probe"), BRIEF));
		this.server.resume();
		await().ignoreExceptions().until(() -> this.process.tryAcquire(lease) != null);
	}

	private static void assertFailsInTime(Class<? extends BackendException> type, ThrowingCallable call) {
		CompletableFuture<Void> failure = CompletableFuture
			.runAsync(() -> assertThatExceptionOfType(type).isThrownBy(call));
		assertThat(failure).succeedsWithin(BOUND);
	}

	@Test
	void writingEndsInTimeWhenTheServerDoesNotRead() {
		List<LeaseRequest> leases = IntStream.range(0, 6_000)
			.mapToObj((i) -> this.process.request("x".repeat(1_000) + i))
			.toList();
		this.process.backend.renew(leases.subList(0, 1), RedisProcess.TIMEOUT); // connects
		this.server.pause();
		assertFailsInTime(OutcomeUnknownException.class, () -> this.process.backend.renew(leases, BRIEF));
	}

	@Test
	void callsOfManyThreadsEndInTimeWhenTheServerDoesNotAnswer() {
		this.server.pause();
		List<CompletableFuture<?>> calls = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			LeaseRequest request = this.process.request("key-" + i);
			calls.add(CompletableFuture.runAsync(() -> this.process.backend.tryAcquire(request, BRIEF), (task) -> {
				Thread thread = new Thread(task);
				thread.setDaemon(true);
				thread.start();
			}));
		}
		assertThat(calls).allSatisfy((call) -> assertThat(call).failsWithin(BOUND)
			.withThrowableThat()
			.withCauseInstanceOf(BackendException.class));
	}

	@Test
	void callsOfManyThreadsSucceed() {
		List<CompletableFuture<Void>> calls = IntStream.range(0, 30).mapToObj((i) -> CompletableFuture.runAsync(() -> {
			for (int j = 0; j < 100; j++) {
				LeaseRequest request = this.process.request("key-" + i);
				assertThat(this.process.backend.tryAcquire(request, LONG)).isInstanceOf(Grant.class);
				assertThat(this.process.backend.release(request, LONG)).isTrue();
			}
		}, (task) -> new Thread(task).start())).toList();
		assertThat(calls).allSatisfy((call) -> assertThat(call).succeedsWithin(LONG));
		assertThat(clients("normal")).hasSizeLessThanOrEqualTo(8);
	}

	@Test
	void serverThatIsAwayIsAKnownFailure() {
		this.server.stop();
		assertThatExceptionOfType(BackendException.class)
			.isThrownBy(() -> this.process.tryAcquire(this.process.request("key")));
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.process.tryAcquire(this.process.request("key")))
			.withMessageContaining("not reachable");
		this.server.restart();
		await().ignoreExceptions().until(() -> this.process.tryAcquire(this.process.request("key")) != null);
	}

	/**
	 * One that was just being made may be among them.
	 */
	@Test
	void callsSucceedAgainSoonAfterConnectionsWereKilled() {
		for (int i = 0; i < 10; i++) {
			this.server.killClients("normal");
			await().ignoreExceptionsInstanceOf(BackendException.class)
				.untilAsserted(() -> this.process.backend.probe(this.process.request("probe"), RedisProcess.TIMEOUT));
		}
	}

	@Test
	void noCallNoticesThatIdleConnectionsWereKilled() {
		for (int i = 0; i < 3; i++) {
			this.server.killClients("normal");
			long killed = System.nanoTime();
			await().until(() -> System.nanoTime() - killed > TimeUnit.MILLISECONDS.toNanos(1_100));
			this.process.backend.probe(this.process.request("probe"), RedisProcess.TIMEOUT);
		}
	}

	@Test
	void manyLeasesAreRenewedAtOnce() {
		List<LeaseRequest> leases = IntStream.range(0, 1_100)
			.mapToObj((i) -> this.process.request("key-" + i))
			.toList();
		leases.forEach(this.process::tryAcquire);
		this.process.release(leases.get(700));
		this.server.flushScripts();
		for (int i = 0; i < 2; i++) {
			assertThat(this.process.backend.renew(leases, RedisProcess.TIMEOUT).held()).hasSize(1_099)
				.doesNotContain(leases.get(700));
		}
	}

	@Test
	void messagesArriveAgainAfterTheirConnectionWasKilled() throws Exception {
		for (int i = 0; i < 3; i++) {
			LeaseRequest holder = this.process.request("key");
			this.process.tryAcquire(holder);
			LeaseRequest contender = this.process.request("key");
			assertThat(this.process.contend(contender)).isNull();
			this.server.killClients("pubsub");
			assertThat(this.process.hints.poll(1, TimeUnit.MINUTES)).as("hint to retry").isEqualTo(contender);
			assertThat(this.process.contend(contender)).isNull();
			this.process.release(holder);
			assertThat(this.process.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(contender);
			this.process.release(contender);
		}
	}

	@Test
	void messagesArriveAgainAfterAnErrorInTheirDelivery() {
		FailingChannel channel = new FailingChannel();
		try (JedisClientAdapter client = new JedisClientAdapter(
				new JedisConnectionFactory(RedisProcess.configuration(this.server)), RedisProcess.TIMEOUT)) {
			client.start(channel, RedisProcess.TIMEOUT);
			await().dontCatchUncaughtExceptions().atMost(BOUND).until(() -> {
				this.server.command("PUBLISH", channel.name(), "message");
				return channel.received;
			});
			assertThat(channel.failed).isTrue();
		}
	}

	@Test
	void grantThatIsNotAcceptedIsReleased() throws Exception {
		this.process.takesGrants = false;
		LeaseRequest holder = this.process.request("key");
		this.process.tryAcquire(holder);
		LeaseRequest contender = this.process.request("key");
		assertThat(this.process.contend(contender)).isNull();
		this.process.release(holder);
		assertThat(this.process.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(contender);
		await().until(() -> this.process.backend.inspect("key", RedisProcess.TIMEOUT).isEmpty());
	}

	@Test
	void silenceIsNoticed() {
		assertThat(listens()).isTrue();
		this.server.pause();
		await().atMost(Duration.ofMinutes(1)).until(() -> !listens());
		this.server.resume();
		await().atMost(Duration.ofMinutes(1)).until(this::listens);
	}

	private boolean listens() {
		return this.process.backend.warnings().stream().noneMatch((warning) -> warning.contains("No subscription"));
	}

	@Test
	void quietConnectionForMessagesIsKept() {
		List<String> before = clients("pubsub");
		assertThat(before).hasSize(1);
		long start = System.nanoTime();
		await().atMost(BOUND).until(() -> System.nanoTime() - start > TimeUnit.SECONDS.toNanos(5));
		assertThat(listens()).isTrue();
		assertThat(clients("pubsub").stream().map(JedisClientAdapterServerTests::id))
			.containsExactly(id(before.get(0)));
	}

	private static String id(String client) {
		return client.split(" ")[0];
	}

	@Test
	void closeLeavesNoConnectionAndNoThread() {
		try (RedisProcess other = process(JedisClientConfiguration.builder().clientName("others").build())) {
			other.tryAcquire(other.request("key"));
			assertThat(named("others")).isNotEmpty();
		}
		await().until(() -> named("others").isEmpty());
		this.process.close();
		await().until(() -> clients("normal").isEmpty() && clients("pubsub").isEmpty());
		await().until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith("lock-redis-jedis")));
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.process.tryAcquire(this.process.request("key")));
	}

	@Test
	void settingsOfTheApplicationAreTakenOver() {
		try (RedisProcess other = process(JedisClientConfiguration.builder().clientName("others").build())) {
			other.tryAcquire(other.request("key"));
			await().untilAsserted(() -> assertThat(named("others")).hasSizeGreaterThan(1)
				.allMatch((client) -> client.contains(" db=3 ")));
		}
	}

	private List<String> named(String name) {
		List<String> clients = new ArrayList<>(clients("normal"));
		clients.addAll(clients("pubsub"));
		return clients.stream().filter((client) -> client.contains(" name=" + name + " ")).toList();
	}

	/**
	 * The clients of the server, without the one that asks.
	 */
	private List<String> clients(String type) {
		return String.valueOf(this.server.command("CLIENT", "LIST", "TYPE", type))
			.lines()
			.filter((client) -> client.contains("id=") && !client.contains("cmd=client|list"))
			.toList();
	}

	/**
	 * Fails when it receives its first message.
	 */
	private static final class FailingChannel implements RedisChannel {

		private volatile boolean failed;

		private volatile boolean received;

		@Override
		public String name() {
			return "failing";
		}

		@Override
		public void message(String text) {
			if (!this.failed) {
				this.failed = true;
				throw new NoClassDefFoundError("of a test");
			}
			this.received = true;
		}

		@Override
		public void listening() {
		}

		@Override
		public void failedOver() {
		}

	}

}
