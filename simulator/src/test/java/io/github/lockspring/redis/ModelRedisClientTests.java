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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.redis.RedisModel;
import io.github.lockspring.simulator.redis.RedisNetwork;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ModelRedisClient}, on a network in the hands of the test.
 */
class ModelRedisClientTests {

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private final RedisModel server = new RedisModel(() -> 1_800_000_000_000_000L);

	private final TestNetwork network = new TestNetwork();

	private final TestChannel channel = new TestChannel();

	private final ModelRedisClient client = new ModelRedisClient(this.network);

	private final RedisCalls calls = new RedisCalls(this.client, RedisLockSettings.defaults());

	@BeforeEach
	void start() {
		this.client.start(this.channel, TIMEOUT);
	}

	@AfterEach
	void close() {
		this.client.close();
	}

	private static RedisCall acquire(String owner) {
		return call(RedisScript.ACQUIRE, "1 x " + owner + ' ', "30000", "40000", "1", "x");
	}

	private static RedisCall call(RedisScript script, String... args) {
		byte[][] encoded = new byte[args.length][];
		for (int i = 0; i < args.length; i++) {
			encoded[i] = RedisCall.arg(args[i]);
		}
		return new RedisCall(script, new byte[][] { "{k\u00fc\u20ac}".getBytes(StandardCharsets.UTF_8) }, encoded);
	}

	@Test
	void scriptIsSentByItsTextToAServerThatDoesNotHaveIt() {
		long before = this.server.requests();
		long token = this.calls.run(acquire("one"), TIMEOUT).number(0);
		assertThat(token).isEqualTo(1_800_000_000_000_000L);
		assertThat(this.server.requests() - before).isEqualTo(2);
		assertThat(this.calls.run(acquire("two"), TIMEOUT).number(0)).isZero();
		assertThat(this.server.requests() - before).isEqualTo(3);
		this.server.flushScripts();
		assertThat(this.calls.run(acquire("one"), TIMEOUT).number(0)).isEqualTo(token);
		assertThat(this.server.requests() - before).isEqualTo(5);
		assertThat(this.server.keys()).containsExactly("{k\u00fc\u20ac}");
	}

	@Test
	void repliesAreFlatAndKeepTheirTexts() {
		this.calls.run(acquire("one@h:1"), TIMEOUT);
		assertThat(this.calls.run(call(RedisScript.INSPECT), TIMEOUT).texts())
			.containsExactly("one@h:1 x 0 0 1800000000000000 30000 0");
		RedisReply denial = this.calls.run(acquire("two"), TIMEOUT);
		assertThat(List.of(denial.number(0), denial.number(1), denial.number(2))).containsExactly(0L, 1000L,
				1_800_000_000_000_000L);
	}

	@Test
	void requestThatArrivesTwiceIsGrantedOnce() {
		this.network.repeats = true;
		long token = this.calls.run(acquire("one"), TIMEOUT).number(0);
		assertThat(this.calls.run(acquire("one"), TIMEOUT).number(0)).isEqualTo(token);
	}

	@Test
	void errorsAreReportedLikeThoseOfAServer() {
		this.server.setOutOfMemory(true);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.calls.run(acquire("one"), TIMEOUT))
			.withMessageContaining("OOM");
		this.server.setOutOfMemory(false);
		this.server.command("SET", "{k\u00fc\u20ac}", "text");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.calls.run(acquire("one"), TIMEOUT))
			.withMessageContaining("foreign data");
	}

	@Test
	void lostReplyHasAnUnknownOutcomeAndARequestThatWasNotSentHasNone() {
		this.network.failure = new OutcomeUnknownException("reset", null);
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> this.calls.run(acquire("one"), TIMEOUT));
		this.network.failure = new BackendUnavailableException("refused", null);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.calls.run(acquire("one"), TIMEOUT));
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.client.info(TIMEOUT));
	}

	@Test
	void infoDescribesAServerWithoutWeaknesses() {
		assertThat(this.client.info(TIMEOUT)).singleElement()
			.satisfies((info) -> assertThat(new RedisSetup(info).warnings(0)).isEmpty());
	}

	@Test
	void renewalsHaveTheirOwnConnection() {
		this.network.used.clear();
		this.calls.runText(acquire("one"), TIMEOUT);
		this.calls.runText(call(RedisScript.RENEW, "one", "30000", "1"), TIMEOUT);
		assertThat(this.network.used).containsExactly(RedisNetwork.Connection.CALLS, RedisNetwork.Connection.RENEWALS);
	}

	@Test
	void messagesAreDeliveredByTheNetwork() {
		assertThat(this.client.isListening()).isTrue();
		assertThat(this.server.command("PUBLISH", "channel", "text")).isEqualTo(1L);
		assertThat(this.channel.events).containsExactly("listening");
		this.network.deliverAll();
		assertThat(this.channel.events).containsExactly("listening", "text");
	}

	@Test
	void subscriptionIsRestoredAfterARestart() {
		this.server.restart(true);
		this.network.deliverAll();
		assertThat(this.client.isListening()).isTrue();
		assertThat(this.channel.events).containsExactly("listening", "listening");
		assertThat(this.server.command("PUBLISH", "channel", "text")).isEqualTo(1L);
	}

	@Test
	void subscriptionIsRestoredOnceTheServerIsBack() {
		this.network.failure = new BackendUnavailableException("refused", null);
		this.server.restart(true);
		this.network.deliverAll();
		assertThat(this.client.isListening()).isFalse();
		assertThat(this.client.isListening()).isFalse();
		this.network.failure = null;
		assertThat(this.client.isListening()).isFalse();
		assertThat(this.client.isListening()).isTrue();
		assertThat(this.channel.events).containsExactly("listening", "listening");
	}

	@Test
	void subscriptionThatDiedSilentlyIsNoticedAndReplaced() {
		this.server.restart(true);
		this.network.events.clear();
		assertThat(this.client.isListening()).isTrue();
		this.network.nowNanos += Duration.ofSeconds(6).toNanos();
		this.client.isListening();
		assertThat(this.client.isListening()).isFalse();
		assertThat(this.client.isListening()).isTrue();
		assertThat(this.channel.events).containsExactly("listening", "listening");
	}

	@Test
	void messageForAFormerSubscriptionIsIgnored() {
		this.server.command("PUBLISH", "channel", "late");
		this.client.failOver();
		this.network.deliverAll();
		assertThat(this.channel.events).containsExactly("listening", "failed over", "listening");
	}

	@Test
	void tokensLeadTheClockAfterAFailover() {
		this.client.keepTimeOfFailovers();
		this.client.failOver();
		assertThat(this.calls.run(acquire("one"), TIMEOUT).number(0)).isGreaterThan(1_800_000_000_000_000L);
		assertThat(this.server.keys()).contains("{lock:}:mark");
	}

	@Test
	void closedClientSendsNothing() {
		this.client.close();
		assertThat(this.client.isListening()).isFalse();
		assertThat(this.server.command("PUBLISH", "channel", "text")).isEqualTo(0L);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.calls.run(acquire("one"), TIMEOUT));
	}

	/**
	 * Executes requests at once, and delivers messages on demand.
	 */
	private final class TestNetwork implements RedisNetwork {

		private final Queue<Runnable> events = new ArrayDeque<>();

		private final List<Connection> used = new ArrayList<>();

		private RuntimeException failure;

		private boolean repeats;

		private long nowNanos;

		@Override
		public <T> CompletableFuture<T> exchange(Connection connection, Function<RedisModel, T> atServer) {
			this.used.add(connection);
			if (this.failure != null) {
				return CompletableFuture.failedFuture(this.failure);
			}
			try {
				T reply = atServer.apply(ModelRedisClientTests.this.server);
				return CompletableFuture
					.completedFuture(this.repeats ? atServer.apply(ModelRedisClientTests.this.server) : reply);
			}
			catch (RuntimeException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		@Override
		public void deliver(Runnable event) {
			this.events.add(event);
		}

		void deliverAll() {
			while (!this.events.isEmpty()) {
				this.events.remove().run();
			}
		}

		@Override
		public long nanoTime() {
			return this.nowNanos;
		}

	}

	/**
	 * Records what the process is told.
	 */
	private static final class TestChannel implements RedisChannel {

		private final List<String> events = new ArrayList<>();

		@Override
		public String name() {
			return "channel";
		}

		@Override
		public void message(String text) {
			this.events.add(text);
		}

		@Override
		public void listening() {
			this.events.add("listening");
		}

		@Override
		public void failedOver() {
			this.events.add("failed over");
		}

	}

}
