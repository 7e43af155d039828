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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * {@link RedisLockBackend} that waits for replicas.
 */
class RedisReplicaServerTests {

	private static final Duration WAIT = Duration.ofSeconds(4);

	private RedisServer primary;

	private RedisServer replica;

	private RedisProcess process;

	RedisProcess process(RedisStandaloneConfiguration configuration, RedisLockSettings settings) {
		return new RedisProcess(configuration, settings);
	}

	@BeforeEach
	void start() {
		this.primary = RedisServer.start();
		this.replica = RedisServer.start();
		this.replica.command("REPLICAOF", this.primary.host(), String.valueOf(this.primary.port()));
		await().until(() -> "up".equals(this.replica.info("replication").get("master_link_status")));
		this.process = process(RedisProcess.configuration(this.primary), RedisProcess.SETTINGS.withReplicas(1, WAIT));
	}

	@AfterEach
	void stop() {
		this.process.close();
		this.replica.close();
		this.primary.close();
	}

	@Test
	void grantIsOnTheReplicaWhenItCounts() {
		for (int i = 0; i < 50; i++) {
			LeaseRequest request = this.process.request("key-" + i);
			assertThat(this.process.tryAcquire(request)).isNotNull();
			assertThat((String) this.replica.command("HGET", "{key-" + i + "}", "state"))
				.contains(request.owner().toString());
		}
	}

	@Test
	void grantThatNoReplicaAcknowledgesIsReleased() {
		this.replica.pause();
		LeaseRequest request = this.process.request("key");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.process.tryAcquire(request))
			.withMessageContaining("0 of 1 replicas");
		assertThat((String) this.primary.command("HGET", "{key}", "state")).matches("1 \\d+");
		this.replica.resume();
		await().ignoreExceptions().until(() -> this.process.tryAcquire(this.process.request("key")) != null);
	}

	@Test
	void renewalDoesNotWaitForReplicas() {
		try (RedisProcess waiting = process(RedisProcess.configuration(this.primary),
				RedisProcess.SETTINGS.withReplicas(1, RedisProcess.TIMEOUT))) {
			LeaseRequest held = waiting.request("held");
			assertThat(waiting.tryAcquire(held)).isNotNull();
			this.replica.pause();
			List<CompletableFuture<?>> attempts = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				LeaseRequest request = waiting.request("key-" + i);
				attempts.add(CompletableFuture.runAsync(() -> waiting.tryAcquire(request),
						(attempt) -> new Thread(attempt).start()));
				int blocked = Math.min(i + 1, blockedClients());
				await().pollInterval(Duration.ofMillis(20))
					.until(() -> Integer.parseInt(this.primary.info("clients").get("blocked_clients")) >= blocked);
			}
			assertThat(waiting.backend.renew(List.of(held), RedisProcess.TIMEOUT.dividedBy(2)).held())
				.containsExactly(held);
			this.replica.resume();
			attempts.forEach((attempt) -> attempt.exceptionally((failure) -> null).join());
			assertThat(waiting.release(held)).isTrue();
		}
	}

	/**
	 * On how many connections replicas are waited for if many threads acquire.
	 */
	int blockedClients() {
		return 1;
	}

	@Test
	void confirmationIsOfThisGrantAndNotOfAnEarlierOne() {
		LeaseRequest earlier = this.process.request("earlier");
		assertThat(this.process.tryAcquire(earlier)).isNotNull();
		this.replica.pause();
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.process.tryAcquire(this.process.request("later")));
		this.replica.resume();
	}

	@Test
	void contenderGetsAHintSoThatItsGrantIsAcknowledged() throws Exception {
		LeaseRequest holder = this.process.request("key");
		this.process.tryAcquire(holder);
		LeaseRequest contender = this.process.request("key");
		assertThat(this.process.contend(contender)).isNull();
		this.process.release(holder);
		assertThat(this.process.hints.poll(10, java.util.concurrent.TimeUnit.SECONDS)).isEqualTo(contender);
		assertThat(this.process.granted).isEmpty();
		assertThat(this.process.contend(contender)).isNotNull();
		assertThat((String) this.replica.command("HGET", "{key}", "state")).contains(contender.owner().toString());
	}

	@Test
	void updateOfAValueIsOnTheReplicaWhenItIsAnswered() {
		for (int i = 1; i <= 50; i++) {
			assertThat(this.process.add("key", 1).after().number()).isEqualTo(i);
			assertThat((String) this.replica.command("HGET", "{key}:value", "value")).startsWith("1 " + i + " ");
		}
		assertThat(this.process.delete("key").applied()).isTrue();
		assertThat((String) this.replica.command("HGET", "{key}:value", "value")).startsWith("1 - ");
	}

	@Test
	void updateThatNoReplicaAcknowledgesIsUnknownUntilOneDoes() {
		try (RedisProcess hasty = process(RedisProcess.configuration(this.primary),
				RedisProcess.SETTINGS.withReplicas(1, Duration.ofMillis(100)))) {
			// which gives a replica that has just connected time
			this.process.add("key", 1);
			this.replica.pause();
			ValueUpdate update = hasty.update("key", new ValueChange.Add(1, 0));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> hasty.apply(update))
				.withMessageContaining("0 of 1 replicas");
			this.primary.killClients("normal");
			await().ignoreExceptions().until(() -> hasty.read("key").number() == 2);
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> hasty.apply(update.again()))
				.withMessageContaining("0 of 1 replicas");
			this.replica.resume();
			assertThat(await().ignoreExceptions().until(() -> hasty.apply(update.again()), (result) -> true).after())
				.isEqualTo(hasty.read("key"));
			assertThat(hasty.read("key").number()).isEqualTo(2);
			assertThat((String) this.replica.command("HGET", "{key}:value", "value")).startsWith("1 2 ");
		}
	}

	@Test
	void updateThatIsNotAppliedDoesNotWaitForReplicas() {
		this.replica.pause();
		assertThat(this.process.apply(this.process.update("key", new ValueChange.Add(-1, 0))).applied()).isFalse();
		this.replica.resume();
	}

	@Test
	void tooFewReplicasAreAWarning() {
		try (RedisProcess demanding = process(RedisProcess.configuration(this.primary),
				RedisProcess.SETTINGS.withReplicas(2, WAIT));
				RedisProcess careless = process(RedisProcess.configuration(this.primary), RedisProcess.SETTINGS)) {
			await().untilAsserted(() -> assertThat(demanding.backend.warnings())
				.anyMatch((warning) -> warning.contains("1 replicas, but lock.redis.wait-replicas requires 2")));
			await().untilAsserted(() -> assertThat(careless.backend.warnings())
				.anyMatch((warning) -> warning.contains("not awaited")));
		}
	}

}
