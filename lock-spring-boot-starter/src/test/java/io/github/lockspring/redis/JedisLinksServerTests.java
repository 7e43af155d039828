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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link JedisLinks}.
 */
class JedisLinksServerTests {

	private static final int MAX_LINKS = 8;

	private final RedisServer server = RedisServer.shared();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final AtomicInteger made = new AtomicInteger();

	private final JedisLinks links = new JedisLinks("a server", this::open, this.threads, () -> {
	});

	private JedisLink open(int epoch) {
		this.made.incrementAndGet();
		return new JedisLink(new HostAndPort(this.server.host(), this.server.port()),
				DefaultJedisClientConfig.builder().build(), epoch);
	}

	@AfterEach
	void close() {
		this.links.close();
		this.threads.shutdownNow();
	}

	private JedisLink borrow(long millis) {
		return this.links.borrow(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private List<JedisLink> borrowAll() {
		List<JedisLink> all = new ArrayList<>();
		for (int i = 0; i < MAX_LINKS; i++) {
			all.add(borrow(60_000));
		}
		return all;
	}

	@Test
	void connectionIsUsedAgain() {
		JedisLink link = borrow(60_000);
		this.links.release(link);
		assertThat(borrow(60_000)).isSameAs(link);
		assertThat(this.made).hasValue(1);
	}

	@Test
	void waitForAConnectionEndsWhenAllAreInUse() {
		borrowAll();
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> borrow(100))
			.withMessageContaining("no connection within the timeout");
		assertThat(this.made).hasValue(MAX_LINKS);
	}

	@Test
	void waiterGetsTheConnectionThatIsReleased() {
		List<JedisLink> all = borrowAll();
		CompletableFuture<JedisLink> waiter = CompletableFuture.supplyAsync(() -> borrow(60_000), this.threads);
		this.links.release(all.get(3));
		assertThat(waiter).succeedsWithin(1, TimeUnit.MINUTES).isSameAs(all.get(3));
	}

	@Test
	void waiterGetsANewConnectionForOneThatBroke() {
		List<JedisLink> all = borrowAll();
		CompletableFuture<JedisLink> waiter = CompletableFuture.supplyAsync(() -> borrow(60_000), this.threads);
		all.get(3).setBroken();
		this.links.release(all.get(3));
		assertThat(waiter).succeedsWithin(1, TimeUnit.MINUTES).isNotIn(all);
		assertThat(this.made).hasValue(MAX_LINKS + 1);
	}

	@Test
	void contemporariesOfAConnectionThatBrokeAreNotUsedAgain() {
		List<JedisLink> all = borrowAll();
		this.links.release(all.get(0));
		all.get(1).setBroken();
		this.links.release(all.get(1));
		all.subList(2, MAX_LINKS).forEach(this.links::release);
		List<JedisLink> others = borrowAll();
		assertThat(others).doesNotContainAnyElementsOf(all);
		assertThat(all).allMatch((link) -> !link.isConnected());
	}

	@Test
	void connectionThatIsCutIsNotMadeAgainByItself() {
		JedisLink link = borrow(60_000);
		link.cut();
		assertThatExceptionOfType(JedisConnectionException.class).isThrownBy(link::ping);
		this.links.release(link);
		assertThat(borrow(60_000).ping()).isTrue();
	}

	/**
	 * An error, such as an overflow of the stack, may cut a call off before that. The
	 * reply would be that to the next call.
	 */
	@Test
	void connectionWhoseReplyWasNotReadIsNotUsedAgain() {
		JedisLink link = borrow(60_000);
		link.send(new CommandArguments(Protocol.Command.PING));
		this.links.release(link);
		assertThat(borrow(60_000)).isNotSameAs(link);
		assertThat(link.isConnected()).isFalse();
	}

	@Test
	void connectionsAreReplacedWhoseChecksWereCutOff() {
		try (JedisLinks failing = new JedisLinks("a server", JedisLinksServerTests::failing, this.threads, () -> {
		})) {
			for (int i = 0; i <= MAX_LINKS; i++) {
				assertThatExceptionOfType(StackOverflowError.class)
					.isThrownBy(() -> failing.borrow(System.nanoTime() + TimeUnit.MINUTES.toNanos(1)));
			}
		}
	}

	@Test
	void connectionsAreReplacedWhoseBatchesWereCutOff() {
		try (JedisLinks failing = new JedisLinks("a server", (epoch) -> {
			JedisLink link = failing(epoch);
			given(link.idleNanos()).willReturn(0L);
			return link;
		}, this.threads, () -> {
		})) {
			for (int i = 0; i <= MAX_LINKS; i++) {
				JedisBatch batch = new JedisBatch(failing);
				batch.add(new RedisCall(RedisScript.PROBE, new byte[][] { { 'k' } }));
				long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
				batch.write(deadline, deadline);
				assertThatExceptionOfType(StackOverflowError.class)
					.isThrownBy(() -> batch.read(deadline, (call) -> new CompletableFuture<>()));
			}
		}
	}

	/**
	 * Overflows the stack of each reader, and is broken afterwards.
	 */
	private static JedisLink failing(int epoch) {
		JedisLink link = mock(JedisLink.class);
		given(link.epoch()).willReturn(epoch);
		given(link.idleNanos()).willReturn(Long.MAX_VALUE);
		given(link.isPrimary(anyLong())).willThrow(StackOverflowError.class);
		given(link.readReply(anyLong())).willThrow(StackOverflowError.class);
		given(link.isBroken()).willReturn(false, true);
		return link;
	}

	/**
	 * They are read after those of another server, which did not answer.
	 */
	@Test
	void repliesThatArrivedInTimeAreReadAfterTheDeadline() {
		JedisLink link = borrow(60_000);
		this.links.release(link);
		JedisBatch batch = new JedisBatch(this.links);
		RedisScript unknown = mock(RedisScript.class);
		given(unknown.sha(1)).willReturn("0".repeat(40).getBytes(StandardCharsets.US_ASCII));
		CompletableFuture<RedisReply> reply = batch.add(new RedisCall(unknown, new byte[][] { { 'k' } }));
		long deadline = System.nanoTime() - TimeUnit.SECONDS.toNanos(5);
		batch.write(System.nanoTime() + TimeUnit.SECONDS.toNanos(20), deadline);
		for (int i = 0; i < 3; i++) {
			this.server.command("PING"); // is answered after the call
		}
		link.cutIfOverdue();
		batch.read(deadline, (call) -> new CompletableFuture<>());
		assertThat(reply.handle((answer, failure) -> failure))
			.isCompletedWithValueMatching((failure) -> failure instanceof JedisNoScriptException);
		assertThat(this.made).hasValue(1);
	}

	@Test
	void callThatIsOverdueIsCut() {
		JedisLink link = borrow(60_000);
		link.begin(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
		link.cutIfOverdue();
		assertThat(link.ping()).isTrue();
		link.begin(System.nanoTime() - TimeUnit.SECONDS.toNanos(5));
		link.cutIfOverdue();
		assertThat(link.isBroken()).isTrue();
		assertThat(link.isConnected()).isFalse();
	}

	@Test
	void interruptedCallerDoesNotWait() {
		borrowAll();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> borrow(60_000))
			.withMessageContaining("Interrupted");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void connectionsAreRejectedAfterClose() {
		JedisLink link = borrow(60_000);
		this.links.close();
		this.links.release(link);
		assertThat(link.isConnected()).isFalse();
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> borrow(60_000));
	}

}
