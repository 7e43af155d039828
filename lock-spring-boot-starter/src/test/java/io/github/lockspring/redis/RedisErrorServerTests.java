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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What {@link RedisLockBackend} makes of a server that rejects, forgets its scripts, or
 * has data of others.
 */
class RedisErrorServerTests {

	private static final String LEAST_RIGHTS = "resetchannels &lock:* ~{* -@all +evalsha +eval +ping +hello +client|setname +info "
			+ "+time +exists +hget +hmget +hset +hdel +hlen +hgetall +hincrby +pexpire +persist +pttl +publish +subscribe";

	private RedisServer server;

	private RedisProcess process;

	RedisProcess process(RedisStandaloneConfiguration configuration, RedisLockSettings settings) {
		return new RedisProcess(configuration, settings);
	}

	@BeforeEach
	void start() {
		this.server = RedisServer.builder()
			.user("locks", "secret", LEAST_RIGHTS)
			.user("silent", "secret", LEAST_RIGHTS.replace("&lock:*", "") + " -publish -subscribe")
			.start();
		this.process = process(RedisProcess.configuration(this.server), RedisProcess.SETTINGS);
	}

	@AfterEach
	void stop() {
		this.process.close();
		this.server.close();
	}

	@Test
	void everyCallSurvivesTheLossOfTheScripts() {
		for (int i = 0; i < 20; i++) {
			LeaseRequest lease = this.process.request("key");
			this.server.flushScripts();
			assertThat(this.process.tryAcquire(lease)).isNotNull();
			this.server.flushScripts();
			assertThat(this.process.backend.inspect("key", RedisProcess.TIMEOUT)).hasSize(1);
			this.server.flushScripts();
			assertThat(this.process.backend.renew(List.of(lease), RedisProcess.TIMEOUT).held()).containsExactly(lease);
			this.server.flushScripts();
			LeaseRequest shared = this.process.request("key", LeaseMode.SHARED, false, RedisProcess.LEASE_TIME);
			assertThat(this.process.backend.downgrade(lease, shared, RedisProcess.TIMEOUT)).isInstanceOf(Grant.class);
			this.server.flushScripts();
			assertThat(this.process.release(shared)).isTrue();
		}
	}

	/**
	 * One that only reads would not notice it otherwise.
	 */
	@Test
	void quietServerThatHasBecomeAReplicaIsNoticed() {
		assertThat(this.process.tryAcquire(this.process.request("key"))).isNotNull();
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		long quiet = System.nanoTime();
		await().until(() -> System.nanoTime() - quiet > Duration.ofMillis(1_100).toNanos());
		assertThatExceptionOfType(BackendException.class)
			.isThrownBy(() -> this.process.tryAcquire(this.process.request("key")));
	}

	@Test
	void foreignDataIsReportedAndLeftAlone() {
		this.server.command("HSET", "{hash}", "field", "value");
		this.server.command("SET", "{text}", "{\"json\": true}");
		this.server.command("SET", "{newer}", "2 x someone 1 2 3 4 5");
		this.server.command("SET", "{large}", "x".repeat(1_000_000));
		this.server.command("SET", "{number}", "1234567");
		this.server.command("HSET", "{like ours}", "state", "2 x someone 1 2 3 4 5");
		for (String key : List.of("hash", "text", "newer", "large", "number", "like ours")) {
			LeaseRequest request = this.process.request(key);
			Object before = this.server.command("DUMP", "{" + key + "}");
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> this.process.tryAcquire(request))
				.withMessageContaining("foreign data");
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.process.contend(request))
				.withMessageContaining("foreign data");
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.process.release(request))
				.withMessageContaining("foreign data");
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> this.process.backend.inspect(key, RedisProcess.TIMEOUT))
				.withMessageContaining("foreign data");
			assertThat(this.server.command("DUMP", "{" + key + "}")).isEqualTo(before);
			assertThat(this.server.command("PTTL", "{" + key + "}")).isEqualTo(-1L);
		}
	}

	@Test
	void fullMemoryIsAKnownFailureAndPasses() {
		LeaseRequest request = this.process.request("key");
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.process.tryAcquire(request))
			.withMessageContaining("OOM");
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		assertThat(this.process.tryAcquire(request)).isNotNull();
	}

	@Test
	void leasesAreRenewedAndReleasedWithoutMemory() throws Exception {
		for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(1, 1))) {
			LeaseRequest alone = this.process.request("alone", mode, false, RedisProcess.LEASE_TIME);
			assertThat(this.process.tryAcquire(alone)).isNotNull();
			LeaseRequest holder = this.process.request("key", mode, false, RedisProcess.LEASE_TIME);
			assertThat(this.process.tryAcquire(holder)).isNotNull();
			LeaseRequest next = this.process.request("key");
			assertThat(this.process.contend(next)).isNull();
			LeaseRequest contender = this.process.request("key");
			assertThat(this.process.contend(contender)).isNull();
			this.server.command("CONFIG", "SET", "maxmemory", "1");
			List<LeaseRequest> held = List.of(alone, holder);
			assertThat(this.process.backend.renew(held, RedisProcess.TIMEOUT).held())
				.containsExactlyInAnyOrderElementsOf(held);
			assertThat(this.process.contend(next)).isNull();
			assertThat(this.process.release(contender)).isFalse();
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> this.process.contend(this.process.request("key")))
				.withMessageContaining("OOM");
			assertThat(this.process.release(alone)).isTrue();
			assertThat(this.process.release(holder)).isTrue();
			assertThat(this.process.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(next);
			LeaseRequest reader = this.process.request("key", LeaseMode.SHARED, false, RedisProcess.LEASE_TIME);
			assertThat(this.process.backend.downgrade(next, reader, RedisProcess.TIMEOUT)).isInstanceOf(Grant.class);
			assertThat(this.process.backend.releaseWithDelay(reader, Duration.ofMillis(1), RedisProcess.TIMEOUT))
				.isTrue();
			this.server.command("CONFIG", "SET", "maxmemory", "0");
			this.server.command("DEL", "{key}");
		}
	}

	@ParameterizedTest
	@CsvSource({ "-eval, eval", "-evalsha, evalsha", "-hset, HSET", "-hget, HGET", "-hgetall, HGETALL", "-hdel, HDEL",
			"-hmget, HMGET", "-hlen, HLEN", "-hincrby, HINCRBY", "-persist, PERSIST", "-pexpire, PEXPIRE",
			"-pttl, PTTL", "-exists, EXISTS", "-time, TIME", "-publish, PUBLISH", "resetkeys, key" })
	void probeNamesTheRightThatIsMissing(String change, String named) {
		this.process.backend.probe(this.process.request("probe"), RedisProcess.TIMEOUT);
		this.server.command("ACL", "SETUSER", "locks", change);
		try (RedisProcess locks = as("locks")) {
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> locks.backend.probe(locks.request("probe"), RedisProcess.TIMEOUT))
				.withMessageContaining(named);
		}
	}

	@Test
	void probeFailsWhereLocksCannotBeAcquired() {
		LeaseRequest request = this.process.request("probe");
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.process.backend.probe(request, RedisProcess.TIMEOUT))
			.withMessageContaining("OOM");
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.process.backend.probe(request, RedisProcess.TIMEOUT))
			.withMessageContaining("READONLY");
		this.server.command("REPLICAOF", "NO", "ONE");
		await().ignoreExceptions()
			.until(() -> this.process.backend.probe(this.process.request("probe"), RedisProcess.TIMEOUT) != null);
		assertThat(this.server.command("HGET", "{probe}", "state").toString()).matches("1 \\d+");
		assertThat(this.server.command("HLEN", "{probe}")).isEqualTo(1L);
		assertThat((Long) this.server.command("PTTL", "{probe}")).isBetween(1L, 10_000L);
	}

	@Test
	void readOnlyServerIsAKnownFailureAndPasses() {
		LeaseRequest request = this.process.request("key");
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.process.tryAcquire(request))
			.withMessageContaining("READONLY");
		this.server.command("REPLICAOF", "NO", "ONE");
		await().ignoreExceptions().until(() -> this.process.tryAcquire(request) != null);
	}

	@Test
	void wrongPasswordIsAKnownFailureThatDoesNotShowIt() {
		RedisStandaloneConfiguration configuration = RedisProcess.configuration(this.server);
		configuration.setUsername("locks");
		configuration.setPassword("very-wrong");
		try (RedisProcess stranger = process(configuration, RedisProcess.SETTINGS)) {
			LeaseRequest request = stranger.request("key");
			await().untilAsserted(() -> assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> stranger.tryAcquire(request))
				.withMessageContaining("WRONGPASS")
				.withMessageNotContaining("very-wrong"));
		}
	}

	@Test
	void fewRightsAreEnough() throws Exception {
		try (RedisProcess locks = as("locks")) {
			useAll(locks);
			assertThat(locks.backend.warnings()).noneMatch((warning) -> warning.contains("No subscription"));
			RedisProcess.assertNothingDenied(this.server);
			LeaseRequest holder = locks.request("key");
			locks.tryAcquire(holder);
			LeaseRequest contender = locks.request("key");
			locks.contend(contender);
			locks.release(holder);
			assertThat(locks.granted.poll(1, TimeUnit.MINUTES)).isEqualTo(contender);
			RedisProcess.assertNothingDenied(this.server);
		}
	}

	@Test
	void withoutMessagesThoseWhoWaitAsk() {
		try (RedisProcess silent = as("silent")) {
			useAll(silent);
			assertThat(silent.backend.warnings()).anyMatch((warning) -> warning.contains("No subscription"));
			LeaseRequest holder = silent.request("key");
			silent.tryAcquire(holder);
			LeaseRequest contender = silent.request("key", LeaseMode.EXCLUSIVE, true, RedisProcess.LEASE_TIME);
			assertThat(silent.contend(contender)).isNull();
			silent.release(holder);
			assertThat(silent.contend(contender)).isNotNull();
			assertThat(silent.granted).isEmpty();
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void everyWarningNamesTheServer(CapturedOutput output) {
		await().until(() -> !warnings(output).isEmpty()); // no append-only file
		this.server.kill();
		await().untilAsserted(() -> {
			assertThatExceptionOfType(BackendException.class)
				.isThrownBy(() -> this.process.tryAcquire(this.process.request("key")));
			assertThat(warnings(output)).hasSizeGreaterThanOrEqualTo(3);
		});
		String address = this.server.host() + ':' + this.server.port();
		assertThat(warnings(output)).allMatch((line) -> line.contains(" at " + address));
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("WARN") && line.contains("Redis")).toList();
	}

	private RedisProcess as(String user) {
		RedisStandaloneConfiguration configuration = RedisProcess.configuration(this.server);
		configuration.setUsername(user);
		configuration.setPassword("secret");
		return process(configuration, RedisProcess.SETTINGS);
	}

	private static void useAll(RedisProcess process) {
		for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(1, 2))) {
			LeaseRequest lease = process.request("all", mode, false, RedisProcess.LEASE_TIME);
			assertThat(process.tryAcquire(lease)).isNotNull();
			LeaseRequest contender = process.request("all");
			process.contend(contender);
			assertThat(process.backend.renew(List.of(lease), RedisProcess.TIMEOUT).held()).containsExactly(lease);
			assertThat(process.backend.inspect("all", RedisProcess.TIMEOUT)).hasSize(1);
			process.release(contender);
			assertThat(process.release(lease)).isTrue();
		}
		process.backend.probe(process.request("probe"), RedisProcess.TIMEOUT);
	}

}
