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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.Deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JedisLink}.
 */
class JedisLinkServerTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private static final Duration BRIEF = Duration.ofMillis(100);

	private final RedisServer server = RedisServer.shared();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final JedisLink link = new JedisLink(new HostAndPort(this.server.host(), this.server.port()),
			DefaultJedisClientConfig.builder().build());

	private final String key = "list-" + System.nanoTime();

	@AfterEach
	void close() {
		this.link.close();
		this.threads.shutdownNow();
	}

	private String echo(String text, Duration timeout) {
		return await(ask("ECHO", text), timeout);
	}

	private CompletableFuture<RedisReply> ask(String... command) {
		return this.link.ask(Deadline.after(LONG), command);
	}

	private String await(CompletableFuture<RedisReply> reply, Duration timeout) {
		List<String> texts = this.link.await(reply, Deadline.after(timeout), "text").texts();
		return texts.get(texts.size() - 1);
	}

	/**
	 * Start a command whose reply is delayed until {@link #push()}, and read in a thread.
	 */
	private CompletableFuture<String> block() {
		CompletableFuture<RedisReply> reply = ask("BLPOP", this.key, "0");
		return CompletableFuture.supplyAsync(() -> await(reply, LONG), this.threads);
	}

	private void push() {
		this.server.command("RPUSH", this.key, "pushed");
	}

	@Test
	void everyThreadGetsItsOwnReplies() {
		List<CompletableFuture<Void>> all = IntStream.range(0, 12)
			.mapToObj(
					(i) -> CompletableFuture.runAsync(
							() -> IntStream.range(0, 500)
								.forEach((j) -> assertThat(echo(i + "-" + j, LONG)).isEqualTo(i + "-" + j)),
							this.threads))
			.toList();
		assertThat(all).allSatisfy((one) -> assertThat(one).succeedsWithin(LONG));
	}

	@Test
	void replyIsReadByAnotherThreadOnceTheFirstHasItsOwn() {
		CompletableFuture<String> first = block();
		List<CompletableFuture<String>> others = IntStream.range(0, 5)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> echo("other-" + i, LONG), this.threads))
			.toList();
		push();
		assertThat(first).succeedsWithin(LONG).isEqualTo("pushed");
		for (int i = 0; i < others.size(); i++) {
			assertThat(others.get(i)).succeedsWithin(LONG).isEqualTo("other-" + i);
		}
	}

	@Test
	void waitForAReplyEndsAtItsDeadline() {
		CompletableFuture<RedisReply> late = ask("BLPOP", this.key, "0");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> await(late, BRIEF));
		CompletableFuture<RedisReply> other = ask("ECHO", "other");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> await(other, BRIEF));
		push();
		assertThat(echo("last", LONG)).isEqualTo("last");
		assertThat(late).isCompletedWithValueMatching((reply) -> reply.texts().contains("pushed"));
		assertThat(other).isCompletedWithValueMatching((reply) -> reply.texts().contains("other"));
	}

	@Test
	void waitWhileAnotherThreadReadsEndsAtItsDeadline() {
		CompletableFuture<String> first = block();
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> echo("other", BRIEF));
		push();
		assertThat(first).succeedsWithin(LONG);
	}

	@Test
	void interruptedThreadDoesNotWaitForTheOneThatReads() {
		CompletableFuture<String> first = block();
		Awaitility.await().until(() -> this.server.command("CLIENT", "LIST").toString().contains("cmd=blpop"));
		CompletableFuture<RedisReply> other = ask("ECHO", "other");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> await(other, LONG))
			.withMessageContaining("Interrupted");
		assertThat(Thread.interrupted()).isTrue();
		push();
		assertThat(first).succeedsWithin(LONG);
		assertThat(echo("next", LONG)).isEqualTo("next");
	}

	@Test
	void errorIsTheReplyOfOneCommand() {
		CompletableFuture<RedisReply> wrong = ask("BLPOP", this.key, "never");
		assertThat(echo("next", LONG)).isEqualTo("next");
		assertThat(wrong).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(JedisDataException.class);
		assertThat(this.link.isOpen()).isTrue();
	}

	@Test
	void closeFailsTheCallsOfAllThreads() {
		CompletableFuture<String> first = block();
		CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> echo("other", LONG), this.threads);
		this.link.close();
		assertThat(first).failsWithin(LONG);
		assertThat(other).failsWithin(LONG);
	}

	@Test
	void connectionThatIsClosedIsNotMadeAgainByItself() {
		this.link.close();
		assertThat(this.link.isOpen()).isFalse();
		assertThat(ask("PING")).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(JedisConnectionException.class);
		assertThatExceptionOfType(JedisConnectionException.class).isThrownBy(this.link::ping);
	}

	/**
	 * They are read after those of another server, which did not answer.
	 */
	@Test
	void repliesThatArrivedInTimeAreReadAfterTheDeadline() {
		RedisCall inspection = new RedisCall(RedisScript.INSPECT, new byte[][] { RedisCall.arg(this.key) });
		this.server.command("SCRIPT", "FLUSH");
		List<CompletableFuture<RedisReply>> replies = this.link.sendAll(List.of(inspection, inspection),
				Deadline.after(LONG));
		for (int i = 0; i < 3; i++) {
			this.server.command("PING"); // is answered after the calls
		}
		this.link.drive(replies.get(1), System.nanoTime() - TimeUnit.SECONDS.toNanos(5));
		assertThat(replies).allSatisfy((reply) -> assertThat(reply.handle((answer, failure) -> failure))
			.isCompletedWithValueMatching((failure) -> failure instanceof JedisNoScriptException));
		assertThat(this.link.isOpen()).isTrue();
	}

	@Test
	void callThatCannotBeWrittenIsOverdue() {
		try (RedisServer still = RedisServer.start();
				JedisLink blocked = new JedisLink(new HostAndPort(still.host(), still.port()),
						DefaultJedisClientConfig.builder().build())) {
			still.pause();
			String text = "x".repeat(50_000_000); // more than is buffered
			CompletableFuture<RedisReply> reply = CompletableFuture
				.supplyAsync(() -> blocked.ask(Deadline.after(BRIEF), "ECHO", text), this.threads)
				.thenCompose(Function.identity());
			Awaitility.await().atMost(LONG).until(() -> {
				blocked.closeIfOverdue();
				return !blocked.isOpen();
			});
			assertThat(reply).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(JedisConnectionException.class);
			still.resume();
		}
	}

	@Test
	void onlyACallThatIsBeingWrittenIsOverdue() {
		this.link.ask(System.nanoTime() - TimeUnit.SECONDS.toNanos(5), "PING");
		this.link.closeIfOverdue();
		assertThat(echo("text", LONG)).isEqualTo("text");
	}

	/**
	 * The check would wait behind it, and close the connection under it.
	 */
	@Test
	void connectionWithACallThatWaitsIsNotChecked() throws InterruptedException {
		CompletableFuture<String> first = block();
		Awaitility.await().until(() -> this.link.idleNanos() > TimeUnit.SECONDS.toNanos(1));
		assertThat(this.link.isUsable(Deadline.after(BRIEF))).isTrue();
		push();
		assertThat(first).succeedsWithin(LONG).isEqualTo("pushed");
	}

	@Test
	void messagesAreReadBesideReplies() {
		Queue<String> messages = new ConcurrentLinkedQueue<>();
		this.link.subscribe(List.of(this.key, this.key + "-other"), messages::add, LONG);
		this.server.command("PUBLISH", this.key, "one");
		assertThat(await(ask("PING"), LONG)).isEmpty();
		this.server.command("PUBLISH", this.key + "-other", "two");
		CompletableFuture<Void> never = new CompletableFuture<>();
		Awaitility.await().atMost(LONG).until(() -> {
			this.link.drive(never, Deadline.after(BRIEF));
			return messages.size() == 2;
		});
		assertThat(messages).containsExactly("one", "two");
	}

}
