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
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Fencing tokens of {@link RedisLockBackend}: they grow, whatever the server forgets.
 */
class RedisTokenServerTests {

	private RedisServer server;

	private RedisProcess process;

	@BeforeEach
	void start() {
		this.server = RedisServer.builder().appendOnly().start();
		this.process = RedisProcess.on(this.server);
	}

	@AfterEach
	void stop() {
		this.process.close();
		this.server.close();
	}

	@Test
	void tokenIsTheServersClock() {
		long before = serverMicros();
		long token = cycle();
		assertThat(token).isBetween(before, serverMicros());
	}

	@Test
	void tokenGrowsAlthoughTheClockIsBehindTheLastOne() {
		long last = cycle();
		String future = Long.toString(last + 3_600_000_000L);
		this.server.command("HSET", "{key}", "state", "1 " + future);
		assertThat(cycle()).isEqualTo(Long.parseLong(future) + 1);
		assertThat(cycle()).isEqualTo(Long.parseLong(future) + 2);
	}

	/**
	 * Numbers in Lua have 53 bits: there it would be the same again.
	 */
	@Test
	void tokenThatCannotGrowIsRejected() {
		for (String kind : List.of("%s", "x someone %s 60000 %<s")) {
			this.server.command("HSET", "{key}", "state", "1 " + kind.formatted("9007199254740991"));
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(this::cycle)
				.withMessageContaining("foreign data");
		}
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.process.contend(this.process.request("key")));
	}

	@Test
	void lastTokenIsRememberedUntilTheClockHasReachedIt() {
		this.server.command("HSET", "{key}", "state", "1 " + (cycle() + 3_600_000_000L));
		LeaseRequest request = this.process.request("key");
		assertThat(this.process.tryAcquire(request)).isNotNull();
		assertThat((Long) this.server.command("PTTL", "{key}")).isGreaterThan(3_590_000);
		assertThat(this.process.release(request)).isTrue();
		assertThat((Long) this.server.command("PTTL", "{key}")).isGreaterThan(3_590_000);
	}

	@Test
	void blockOfTokensIsKeptFromOthers() {
		LeaseTerms terms = new LeaseTerms(LeaseMode.EXCLUSIVE, false, RedisProcess.LEASE_TIME, 1_000_000);
		LeaseRequest block = new LeaseRequest("key", terms, "process", 1);
		Grant grant = this.process.tryAcquire(block);
		this.process.release(block);
		assertThat(cycle()).isGreaterThan(grant.token() + 999_999);
	}

	@Test
	void tokenGrowsWhenTheServerForgetsTheLastOne() {
		long last = cycle();
		for (int i = 0; i < 200; i++) {
			this.server.command("DEL", "{key}");
			long token = cycle();
			assertThat(token).isGreaterThan(last);
			last = token;
		}
	}

	@Test
	void tokenGrowsOverFlushAll() {
		LeaseRequest held = this.process.request("key");
		long last = this.process.tryAcquire(held).token();
		for (int i = 0; i < 50; i++) {
			this.server.command("FLUSHALL");
			LeaseRequest next = this.process.request("key");
			long token = this.process.tryAcquire(next).token();
			assertThat(token).isGreaterThan(last);
			last = token;
		}
	}

	@Test
	void tokenGrowsOverRestartWithAndWithoutData() {
		long last = cycle();
		for (int i = 0; i < 3; i++) {
			this.server.kill();
			this.server.restart();
			long kept = cycleAfterOutage();
			assertThat(kept).isGreaterThan(last);
			this.server.restartEmpty();
			last = cycleAfterOutage();
			assertThat(last).isGreaterThan(kept);
		}
	}

	/**
	 * Each hears of a failover at another time, or not at all.
	 */
	@Test
	void tokensOfProcessesThatDifferInTheTimeOfAFailoverGrowThoughTheyAreForgotten() {
		try (RedisProcess early = RedisProcess.leading(this.server, lead(Duration.ofSeconds(31)));
				RedisProcess late = RedisProcess.leading(this.server, lead(Duration.ofSeconds(30)));
				RedisProcess last = RedisProcess.leading(this.server, lead(Duration.ofDays(1)))) {
			long token = cycle(early);
			for (RedisProcess next : List.of(late, early, last, late, last, early)) {
				this.server.command("DEL", "{key}");
				long former = token;
				token = cycle(next);
				assertThat(token).isGreaterThan(former);
			}
			assertThat(token).isGreaterThan(serverMicros() + 10_000_000);
			assertThat((Long) this.server.command("PTTL", "{lock:}:mark")).isBetween(20_000L, 41_000L);
		}
	}

	@Test
	void grantsMadeWithoutARequestAndOfEachKindLeadTheClockAsAllOthers() {
		try (RedisProcess early = RedisProcess.leading(this.server, lead(Duration.ofSeconds(40)));
				RedisProcess late = RedisProcess.leading(this.server, lead(Duration.ZERO))) {
			long token = cycle(late);
			this.server.command("DEL", "{key}");
			LeaseRequest held = early.request("key", LeaseMode.SHARED, false, Duration.ofSeconds(2));
			Grant shared = early.tryAcquire(held);
			assertThat(shared.token()).isGreaterThan(token);
			LeaseRequest waiting = early.request("key");
			assertThat(early.contend(waiting)).isNull();
			assertThat(early.release(held)).isTrue();
			await().atMost(1, TimeUnit.MINUTES).until(() -> early.granted.contains(waiting));
			assertThat(early.tryAcquire(waiting).token()).isGreaterThan(shared.token());
		}
	}

	@Test
	void grantMadeByThePollOfAnotherLeadsTheClockAsAllOthers() {
		try (RedisProcess leading = RedisProcess.leading(this.server, lead(Duration.ZERO))) {
			LeaseRequest first = leading.request("key", LeaseMode.EXCLUSIVE, true, RedisProcess.LEASE_TIME);
			LeaseRequest second = leading.request("key", LeaseMode.EXCLUSIVE, true, RedisProcess.LEASE_TIME);
			assertThat(leading.tryAcquire(leading.request("key"))).isNotNull();
			assertThat(leading.contend(first)).isNull();
			assertThat(leading.contend(second)).isNull();
			this.server.command("HSET", "{key}", "state", "1 x gone 1 0 5 0 2");
			assertThat(leading.poll(second)).containsOnlyKeys(second);
			String[] granted = String.valueOf(this.server.command("HGET", "{key}", "state")).split(" ");
			assertThat(granted[2]).startsWith(first.ownerText(""));
			assertThat(Long.parseLong(granted[5])).isGreaterThan(serverMicros() + 10_000_000);
		}
	}

	@Test
	void tokensGrowWhileTheyLeadTheClockThoughTheyAreForgotten() {
		try (RedisProcess leading = RedisProcess.leading(this.server, lead(Duration.ZERO))) {
			long last = cycle(leading);
			for (int i = 0; i < 50; i++) {
				cycle(leading);
				this.server.command("DEL", "{key}");
				long token = cycle(leading);
				assertThat(token).isGreaterThan(last);
				last = token;
			}
		}
	}

	@Test
	void serverThatHasLongTakenOverGrantsByItsClock() {
		try (RedisProcess marking = RedisProcess.leading(this.server, lead(Duration.ofMinutes(1)))) {
			long before = serverMicros();
			assertThat(cycle(marking)).isBetween(before, serverMicros());
			assertThat(this.server.command("EXISTS", "{lock:}:mark")).isEqualTo(0L);
		}
	}

	@Test
	void noKeyOfAUserIsTheMarkOfAFailoverOrThatOfTheProbe() throws InterruptedException {
		LettuceConnectionFactory factory = RedisProcess.lettuce(RedisProcess.configuration(this.server));
		try (LockTemplate locks = LockTemplate.builder(RedisProcess.leading(factory, lead(Duration.ZERO)))
			.operationTimeout(Duration.ofSeconds(30))
			.build()) {
			assertThat(new InternalKeys(locks, this.server).assertNoUserReachesThem())
				.containsExactlyInAnyOrder("{lock: }", "{lock:}:mark");
		}
		finally {
			factory.destroy();
		}
	}

	private static TokenLead lead(Duration ago) {
		TokenLead lead = new TokenLead();
		lead.keep();
		lead.begin(ago);
		return lead;
	}

	@Test
	void lastTokenIsForgottenAfterAWhile() {
		cycle();
		long left = (Long) this.server.command("PTTL", "{key}");
		assertThat(Duration.ofMillis(left)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
	}

	@Test
	void nothingIsLeftOfKeysThatWereUsedOnce() {
		for (int i = 0; i < 200; i++) {
			LeaseRequest request = this.process.request("key-" + i);
			this.process.tryAcquire(request);
			this.process.release(request);
		}
		assertThat((Long) this.server.command("DBSIZE")).isEqualTo(200);
		assertThat(this.server.info("keyspace").get("db0")).contains("keys=200,expires=200");
		this.server.command("EVAL",
				"for _, key in ipairs(redis.call('KEYS', '*')) do if redis.call('PTTL', key) <= 10000 then redis.call('DEL', key) end end",
				"0");
		assertThat((Long) this.server.command("DBSIZE")).isZero();
	}

	private long cycle() {
		return cycle(this.process);
	}

	private static long cycle(RedisProcess process) {
		LeaseRequest request = process.request("key", LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(2));
		Grant grant = process.tryAcquire(request);
		assertThat(grant).isNotNull();
		assertThat(process.release(request)).isTrue();
		return grant.token();
	}

	private long cycleAfterOutage() {
		return await().atMost(1, TimeUnit.MINUTES).ignoreExceptions().until(this::cycle, (token) -> true);
	}

	private long serverMicros() {
		@SuppressWarnings("unchecked")
		java.util.List<Object> time = (java.util.List<Object>) this.server.command("TIME");
		return Long.parseLong(time.get(0).toString()) * 1_000_000 + Long.parseLong(time.get(1).toString());
	}

}
