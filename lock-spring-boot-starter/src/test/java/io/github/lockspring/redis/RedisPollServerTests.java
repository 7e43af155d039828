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
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for asking Redis for many that wait at once.
 */
class RedisPollServerTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static RedisServer server;

	private RedisProcess one;

	private RedisProcess two;

	@BeforeAll
	static void startServer() {
		server = RedisServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void start() {
		server.command("FLUSHALL");
		this.one = RedisProcess.on(server);
		this.two = RedisProcess.on(server);
	}

	@AfterEach
	void stop() {
		this.one.close();
		this.two.close();
	}

	private LeaseRequest held(Duration leaseTime) {
		LeaseRequest holder = this.one.request("key", LeaseMode.EXCLUSIVE, false, leaseTime);
		assertThat(this.one.tryAcquire(holder)).isNotNull();
		return holder;
	}

	private LeaseRequest waiting() {
		return waiting(this.two, false);
	}

	private static LeaseRequest waiting(RedisProcess process, boolean fair) {
		LeaseRequest request = process.request("key", LeaseMode.EXCLUSIVE, fair, RedisProcess.LEASE_TIME);
		assertThat(process.contend(request)).isNull();
		return request;
	}

	private Denial denial(LeaseRequest request) {
		Map<LeaseRequest, Denial> denials = this.two.poll(request);
		assertThat(denials).containsOnlyKeys(request);
		return denials.get(request);
	}

	/**
	 * Has a contender look as if it had asked earlier than it did.
	 */
	private static void age(LeaseRequest contender, Duration age) {
		String owner = contender.owner().toString();
		String[] entry = ((String) server.command("HGET", "{key}", owner)).split(" ");
		entry[7] = Long.toString(Long.parseLong(entry[7]) - age.toNanos() / 1000);
		server.command("HSET", "{key}", owner, String.join(" ", entry));
	}

	@Test
	void placeIsKeptByPolls() throws Exception {
		LeaseRequest holder = held(RedisProcess.LEASE_TIME);
		LeaseRequest waiting = waiting();
		for (int i = 0; i < 5; i++) {
			age(waiting, Duration.ofSeconds(3));
			denial(waiting);
		}
		LeaseRequest behind = waiting(this.one, false);
		this.one.release(holder);
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(waiting);
		assertThat(this.one.granted).isEmpty();
		this.one.release(behind);
	}

	@Test
	void grantFollowsTheDenialOfTheLastPoll() throws Exception {
		LeaseRequest holder = held(RedisProcess.LEASE_TIME);
		LeaseRequest waiting = waiting();
		long first = denial(waiting).attemptId();
		long last = denial(waiting).attemptId();
		assertThat(last).isGreaterThan(first);
		this.one.release(holder);
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(waiting);
		assertThat(this.two.attemptIds).containsExactly(last);
	}

	@Test
	void notifiedContenderNeedNotRetryBeforeTheLeaseEnds() {
		held(RedisProcess.LEASE_TIME);
		LeaseRequest waiting = this.two.request("key");
		Denial first = (Denial) this.two.backend.contend(waiting, RedisProcess.TIMEOUT);
		assertThat(first.retryAfter()).isBetween(RedisProcess.LEASE_TIME.dividedBy(2), RedisProcess.LEASE_TIME);
		assertThat(denial(waiting).retryAfter()).isBetween(RedisProcess.LEASE_TIME.dividedBy(2),
				RedisProcess.LEASE_TIME);
	}

	@Test
	void contenderWithoutNotificationsRetriesAfterASecond() {
		held(RedisProcess.LEASE_TIME);
		RedisProcess hinted = new RedisProcess(RedisProcess.configuration(server),
				RedisProcess.SETTINGS.withReplicas(1, Duration.ofMillis(1)));
		try {
			LeaseRequest waiting = hinted.request("key");
			Denial first = (Denial) hinted.backend.contend(waiting, RedisProcess.TIMEOUT);
			assertThat(first.retryAfter()).isLessThanOrEqualTo(SECOND);
			assertThat(hinted.poll(waiting).get(waiting).retryAfter()).isLessThanOrEqualTo(SECOND);
		}
		finally {
			hinted.close();
		}
	}

	@Test
	void leaseThatEndsByItselfIsTriedForThen() {
		held(Duration.ofMillis(300));
		LeaseRequest waiting = this.two.request("key");
		Denial denial = (Denial) this.two.backend.contend(waiting, RedisProcess.TIMEOUT);
		assertThat(denial.retryAfter()).isLessThanOrEqualTo(Duration.ofMillis(300));
		await().until(() -> this.two.poll(waiting).isEmpty());
		assertThat(this.two.contend(waiting)).isNotNull();
	}

	@Test
	void grantWhoseMessageIsLostIsTriedFor() throws Exception {
		LeaseRequest holder = held(RedisProcess.LEASE_TIME);
		LeaseRequest waiting = waiting();
		this.one.release(holder);
		// and lost
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(waiting);
		assertThat(this.two.poll(waiting)).isEmpty();
		assertThat(this.two.contend(waiting)).isNotNull();
	}

	@Test
	void onlyTheFirstOfFairOnesTriesForAFreeKey() {
		LeaseRequest holder = held(RedisProcess.LEASE_TIME);
		LeaseRequest first = waiting(this.two, true);
		LeaseRequest second = waiting(this.two, true);
		server.command("HSET", "{key}", "state", free());
		assertThat(this.two.poll(first, second)).containsOnlyKeys(second);
		assertThat(this.two.poll(second).get(second).retryAfter()).isLessThanOrEqualTo(SECOND);
		assertThat(this.two.contend(first)).isNotNull();
		this.one.release(holder);
	}

	/**
	 * The state as it is when the lease has ended by itself.
	 */
	private static String free() {
		String[] words = words();
		words[3] = "1";
		return String.join(" ", words);
	}

	@Test
	void contenderWithoutAPlaceIsTriedFor() {
		held(RedisProcess.LEASE_TIME);
		LeaseRequest unknown = this.two.request("key");
		assertThat(this.two.poll(unknown)).isEmpty();
		LeaseRequest left = waiting();
		this.two.release(left);
		assertThat(this.two.poll(left)).isEmpty();
		assertThat(server.command("HLEN", "{key}")).isEqualTo(1L);
	}

	@Test
	void keysWithDataOfOthersAreTriedForAndDoNotHinderOthers() {
		held(RedisProcess.LEASE_TIME);
		LeaseRequest waiting = waiting();
		server.command("SET", "{text}", "foreign");
		server.command("HSET", "{hash}", "state", "foreign");
		assertThat(this.two.poll(this.two.request("text"), waiting, this.two.request("hash")))
			.containsOnlyKeys(waiting);
		assertThat(this.two.poll(waiting, this.two.request("text"))).containsOnlyKeys(waiting);
		assertThat(server.command("GET", "{text}")).isEqualTo("foreign");
	}

	@Test
	void oneWhoseProcessListensToAnotherChannelSaysSo() throws Exception {
		LeaseRequest holder = held(RedisProcess.LEASE_TIME);
		LeaseRequest waiting = waiting();
		String owner = waiting.owner().toString();
		String entry = (String) server.command("HGET", "{key}", owner);
		server.command("HSET", "{key}", owner, entry.substring(0, entry.lastIndexOf(' ') + 1));
		assertThat(this.two.poll(waiting)).isEmpty();
		assertThat(this.two.contend(waiting)).isNull();
		assertThat(this.two.poll(waiting)).containsOnlyKeys(waiting);
		this.one.release(holder);
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(waiting);
	}

	@Test
	void serverWithoutMemoryKeepsPlaces() {
		held(RedisProcess.LEASE_TIME);
		LeaseRequest waiting = waiting();
		server.command("CONFIG", "SET", "maxmemory", "1");
		try {
			denial(waiting);
		}
		finally {
			server.command("CONFIG", "SET", "maxmemory", "0");
		}
	}

	@Test
	void readersThatAreGoneMakeWay() {
		LeaseRequest brief = this.one.request("key", LeaseMode.SHARED, false, Duration.ofMillis(300));
		LeaseRequest reader = this.one.request("key", LeaseMode.SHARED, false, RedisProcess.LEASE_TIME);
		this.one.tryAcquire(reader);
		this.one.tryAcquire(brief);
		LeaseRequest writer = waiting();
		await().until(() -> denial(writer).retryAfter().compareTo(SECOND) > 0);
		assertThat(server.command("HEXISTS", "{key}", brief.owner().toString())).isEqualTo(0L);
		this.one.release(reader);
		await().until(() -> this.two.contend(writer) != null);
		assertThat(this.two.release(writer)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void fairContendersWhoseProcessesHaveEndedMakeWay(boolean polled) {
		held(RedisProcess.LEASE_TIME);
		LeaseRequest dead = waiting(this.one, true);
		LeaseRequest next = waiting(this.two, true);
		String owner = dead.owner().toString();
		String entry = (String) server.command("HGET", "{key}", owner);
		server.command("HSET", "{key}", owner, entry.substring(0, entry.lastIndexOf(' ')) + " other");
		server.command("HSET", "{key}", "state", free());
		if (polled) {
			assertThat(this.two.poll(next)).isEmpty();
			assertThat(server.command("HEXISTS", "{key}", owner)).isEqualTo(0L);
		}
		assertThat(this.two.contend(next)).isNotNull();
	}

	@Test
	void fairContenderGetsTheKeyOfAnExpiredLease() throws Exception {
		held(RedisProcess.LEASE_TIME);
		LeaseRequest first = waiting(this.one, true);
		LeaseRequest next = waiting(this.two, true);
		server.command("HSET", "{key}", "state", free());
		assertThat(this.two.contend(next)).isNull();
		assertThat(this.one.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(first);
	}

	@Test
	void contendersThatAreGoneAreForgottenForGood() {
		LeaseRequest holder = this.one.request("key", LeaseMode.SHARED, false, RedisProcess.LEASE_TIME);
		assertThat(this.one.tryAcquire(holder)).isNotNull();
		LeaseRequest gone = waiting(this.one, false);
		LeaseRequest reader = this.two.request("key", LeaseMode.SHARED, false, RedisProcess.LEASE_TIME);
		assertThat(this.two.contend(reader)).isNull();
		denial(reader);
		assertThat(words()).endsWith("0", "2");
		server.command("PEXPIRE", "{key}", "1000");
		age(gone, Duration.ofMinutes(1));
		assertThat(this.two.poll(reader)).isEmpty();
		assertThat(words()).endsWith("1", "2");
		assertThat(server.command("HMGET", "{key}", gone.owner().toString(), "0")).isEqualTo(Arrays.asList(null, null));
		assertThat((Long) server.command("PTTL", "{key}")).isGreaterThan(RedisProcess.LEASE_TIME.toMillis());
	}

	@Test
	void permitsThatAreOverAreForgottenForGood() {
		LeaseMode permits = LeaseMode.permits(1, 2);
		LeaseRequest over = this.one.request("key", permits, false, RedisProcess.LEASE_TIME);
		LeaseRequest holder = this.one.request("key", permits, false, RedisProcess.LEASE_TIME);
		this.one.tryAcquire(over);
		this.one.tryAcquire(holder);
		LeaseRequest writer = waiting();
		assertThat(words()[2]).startsWith("2/2/");
		LeaseExpiry.expire(over, server::command);
		await().until(() -> denial(writer).retryAfter().compareTo(SECOND) > 0);
		assertThat(words()[2]).startsWith("1/2/");
	}

	private static String[] words() {
		return ((String) server.command("HGET", "{key}", "state")).split(" ");
	}

}
