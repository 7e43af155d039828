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
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The queue of {@link RedisLockBackend}: what becomes of contenders that die, of grants
 * that no one takes, and of messages that are lost.
 */
class RedisQueueServerTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private RedisServer server;

	private RedisProcess one;

	private RedisProcess two;

	RedisProcess process(RedisStandaloneConfiguration configuration, RedisLockSettings settings) {
		return new RedisProcess(configuration, settings);
	}

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.one = process(RedisProcess.configuration(this.server), RedisProcess.SETTINGS);
		this.two = process(RedisProcess.configuration(this.server), RedisProcess.SETTINGS);
	}

	@AfterEach
	void stop() {
		this.one.close();
		this.two.close();
		this.server.close();
	}

	@Test
	void contenderWhoseProcessDiedIsSkipped() throws Exception {
		LeaseRequest holder = acquired(this.one);
		RedisProcess dead = process(RedisProcess.configuration(this.server), RedisProcess.SETTINGS);
		dead.contend(dead.request("key"));
		dead.contend(dead.request("key"));
		LeaseRequest next = this.two.request("key");
		this.two.contend(next);
		kill(dead);
		this.one.release(holder);
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(next);
		assertThat(this.two.release(next)).isTrue();
		assertThat(this.server.command("HLEN", "{key}")).isEqualTo(1L);
	}

	/**
	 * Ends the connections without a word, as the end of a process does.
	 */
	private void kill(RedisProcess process) {
		long subscribers = subscribers();
		process.disconnect();
		await().until(() -> subscribers() < subscribers);
	}

	private long subscribers() {
		return ((List<?>) this.server.command("PUBSUB", "CHANNELS")).size();
	}

	@Test
	void unclaimedGrantExpiresLongBeforeTheLeaseWould() throws Exception {
		LeaseRequest holder = acquired(this.one);
		this.two.contend(this.two.request("key"));
		long start = System.nanoTime();
		this.one.release(holder);
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isNotNull();
		LeaseRequest next = this.one.request("key");
		Grant early = this.one.tryAcquire(next);
		// not so on a machine that is very slow
		if (System.nanoTime() - start < SECOND.toNanos()) {
			assertThat(early).isNull();
		}
		await().atMost(RedisProcess.LEASE_TIME.dividedBy(3)).until(() -> this.one.tryAcquire(next) != null);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(RedisProcess.LEASE_TIME.dividedBy(3));
	}

	@Test
	void grantThatIsRenewedLastsForTheWholeLease() throws Exception {
		LeaseRequest holder = acquired(this.one);
		LeaseRequest next = this.two.request("key");
		this.two.contend(next);
		long start = System.nanoTime();
		this.one.release(holder);
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(next);
		assertThat(this.one.backend.inspect("key", RedisProcess.TIMEOUT))
			.allSatisfy((granted) -> assertThat(granted.remaining()).isLessThanOrEqualTo(SECOND));
		Set<LeaseRequest> held = this.two.backend.renew(List.of(next), RedisProcess.TIMEOUT).held();
		// not so on a machine that is very slow
		if (System.nanoTime() - start < SECOND.toNanos()) {
			assertThat(held).containsExactly(next);
			assertThat(remainingOf("key")).isGreaterThan(RedisProcess.LEASE_TIME.dividedBy(2));
		}
	}

	@Test
	void grantThatIsAskedForLastsForTheWholeLease() {
		LeaseRequest holder = acquired(this.one);
		LeaseRequest next = this.two.request("key");
		this.two.contend(next);
		this.one.release(holder);
		assertThat(this.two.contend(next))
			.satisfies((grant) -> assertThat(grant.validity()).isEqualTo(RedisProcess.LEASE_TIME));
		assertThat(remainingOf("key")).isGreaterThan(RedisProcess.LEASE_TIME.dividedBy(2));
	}

	private Duration remainingOf(String key) {
		return this.one.backend.inspect(key, RedisProcess.TIMEOUT).get(0).remaining();
	}

	@Test
	void rejectedGrantIsReleasedImmediately() throws Exception {
		LeaseRequest holder = acquired(this.one);
		this.two.takesGrants = false;
		this.two.contend(this.two.request("key"));
		LeaseRequest next = this.one.request("key");
		this.one.contend(next);
		this.one.release(holder);
		assertThat(this.one.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(next);
	}

	@Test
	void grantFollowsTheLastDenialByItsAttemptId() throws Exception {
		LeaseRequest holder = acquired(this.one);
		LeaseRequest contender = this.two.request("key");
		long first = denialOf(contender);
		long second = denialOf(contender);
		assertThat(second).isGreaterThan(first);
		this.one.release(holder);
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(contender);
		assertThat(this.two.attemptIds).containsExactly(second);
	}

	private long denialOf(LeaseRequest contender) {
		return ((io.github.lockspring.spi.Denial) this.two.backend.contend(contender, RedisProcess.TIMEOUT))
			.attemptId();
	}

	@Test
	void subscriptionIsRestoredAndContendersAreNotified() throws Exception {
		LeaseRequest holder = acquired(this.one);
		LeaseRequest contender = this.two.request("key");
		this.two.contend(contender);
		for (int i = 0; i < 3; i++) {
			this.two.hints.clear();
			this.server.killClients("pubsub");
			await().until(() -> this.two.hints.contains(contender)); // without a call
			assertThat(isListening(this.two)).isTrue();
		}
		this.two.contend(contender);
		this.one.release(holder);
		assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(contender);
	}

	private static boolean isListening(RedisProcess process) {
		return process.backend.warnings().stream().noneMatch((warning) -> warning.contains("No subscription"));
	}

	@Test
	void contenderThatHearsNothingIsLeftInTheQueueAndAsks() {
		LeaseRequest holder = acquired(this.one);
		LeaseRequest deaf = this.two.request("key", LeaseMode.EXCLUSIVE, true, RedisProcess.LEASE_TIME);
		LeaseRequest behind = this.one.request("key", LeaseMode.EXCLUSIVE, true, RedisProcess.LEASE_TIME);
		this.two.contend(deaf);
		silence(deaf);
		this.one.contend(behind);
		this.one.release(holder);
		assertThat(this.one.contend(behind)).isNull();
		assertThat(this.two.contend(deaf)).isNotNull();
		assertThat(this.two.release(deaf)).isTrue();
		assertThat(this.one.contend(behind)).isNotNull();
	}

	/**
	 * Takes the channel out of a contender's entry, as if it had none.
	 */
	private void silence(LeaseRequest contender) {
		String owner = contender.owner().toString();
		String entry = (String) this.server.command("HGET", "{key}", owner);
		this.server.command("HSET", "{key}", owner, entry.substring(0, entry.lastIndexOf(' ') + 1));
	}

	@Test
	void queueOfManyIsServedInOrderAndLeavesNothing() throws Exception {
		LeaseRequest holder = acquired(this.one);
		List<LeaseRequest> contenders = new java.util.ArrayList<>();
		for (int i = 0; i < 200; i++) {
			LeaseRequest contender = this.two.request("key");
			this.two.contend(contender);
			contenders.add(contender);
		}
		this.two.contend(contenders.get(0));
		this.one.release(holder);
		for (int i = 0; i < 200; i++) {
			assertThat(this.two.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(contenders.get(i));
			// keeps its place
			contenders.stream().skip(i + 1).findFirst().ifPresent(this.two::contend);
			assertThat(this.two.release(contenders.get(i))).isTrue();
		}
		assertThat(this.server.command("HLEN", "{key}")).isEqualTo(1L);
		assertThat((String) this.server.command("HGET", "{key}", "state")).matches("1 \\d+");
	}

	@Test
	void partsOfTheStateMayVanish() throws Exception {
		for (String vanished : List.of("all", "contender", "place")) {
			for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(1, 1))) {
				LeaseRequest holder = this.one.request("key", mode, false, Duration.ofMillis(500));
				assertThat(this.one.tryAcquire(holder)).isNotNull();
				LeaseRequest contender = this.two.request("key");
				this.two.contend(contender);
				switch (vanished) {
					case "all" -> this.server.command("DEL", "{key}");
					case "contender" -> this.server.command("HDEL", "{key}", contender.owner().toString());
					default -> this.server.command("HDEL", "{key}", "0");
				}
				this.two.contend(contender);
				this.one.release(holder);
				await().until(() -> this.two.contend(contender) != null);
				assertThat(this.two.release(contender)).isTrue();
				LeaseRequest next = this.one.request("key");
				assertThat(this.one.tryAcquire(next)).isNotNull();
				this.one.release(next);
			}
		}
	}

	private LeaseRequest acquired(RedisProcess process) {
		LeaseRequest request = process.request("key");
		assertThat(process.tryAcquire(request)).isNotNull();
		return request;
	}

}
