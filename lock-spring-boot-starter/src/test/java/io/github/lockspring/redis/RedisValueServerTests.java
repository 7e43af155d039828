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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisValueBackend}: what it asks of a server, what it keeps there, and
 * what it makes of a server that rejects or has lost something.
 */
class RedisValueServerTests {

	private static final String NAME = "{key}:value";

	private static final String RIGHTS = "resetchannels &lock:* ~{key* -@all +evalsha +eval +ping +hello +client|setname +info "
			+ "+time +exists +hget +hset +hdel +hgetall +pexpire +pttl +publish +subscribe "
			+ "+hmget +hlen +hincrby +persist";

	private static RedisServer server;

	private RedisProcess one;

	private RedisProcess two;

	@BeforeAll
	static void startServer() {
		server = RedisServer.builder()
			.user("values", "secret", RIGHTS)
			.user("silent", "secret", RIGHTS.replace("&lock:*", "") + " -publish -subscribe")
			.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	RedisProcess process(RedisStandaloneConfiguration configuration) {
		return new RedisProcess(configuration, RedisProcess.SETTINGS);
	}

	@BeforeEach
	void start() {
		server.command("FLUSHALL");
		this.one = process(RedisProcess.configuration(server));
		this.two = process(RedisProcess.configuration(server));
		RedisStore.awaitSetup();
		this.one.add("warm-up", 1); // has the scripts loaded
		this.one.read("warm-up");
		this.one.values().read(List.of("warm-up", "several"), false, RedisProcess.TIMEOUT);
		server.command("CONFIG", "RESETSTAT");
		server.command("ACL", "LOG", "RESET");
	}

	@AfterEach
	void stop() {
		this.one.close();
		this.two.close();
	}

	@Test
	void updateIsOneCall() {
		List<ValueChange> changes = List.of(new ValueChange.Set(1, 0), new ValueChange.Add(5, Long.MIN_VALUE),
				new ValueChange.Add(-1, 0), new ValueChange.Add(-100, 0), new ValueChange.Replace(7, 5),
				new ValueChange.Set(1, ValueChange.ANY_VERSION), new ValueChange.Delete(ValueChange.ANY_VERSION),
				new ValueChange.Add(1, 0));
		for (ValueChange change : changes) {
			server.command("CONFIG", "RESETSTAT");
			this.one.apply(this.one.update("key", change));
			assertThat(calls()).as("" + change).containsOnly(Map.entry("evalsha", 1L));
		}
		assertThat(this.one.read("key").number()).isEqualTo(1);
	}

	@Test
	void interruptDoesNotEndAnUpdate() {
		Thread.currentThread().interrupt();
		assertThat(this.one.add("key", 1).after().number()).isEqualTo(1);
		assertThat(this.one.apply(this.one.update("key", new ValueChange.Replace(7, 5))).applied()).isFalse();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void incrementOfACounterRunsThreeCommands() {
		this.one.add("key", 1);
		this.two.add("key", 1);
		server.command("CONFIG", "RESETSTAT");
		for (int i = 0; i < 10; i++) {
			this.one.add("key", 1);
			this.two.add("key", 1);
		}
		assertThat(calls()).containsOnly(Map.entry("evalsha", 20L));
		assertThat(inScripts()).containsOnly(Map.entry("hmget", 20L), Map.entry("time", 20L), Map.entry("hset", 20L));
	}

	@Test
	void keyOfAValueThatExpiresIsRemovedByTheServer() {
		this.one.add("key", 1);
		this.one.apply(this.one.update("key", new ValueChange.Expire(60_000)));
		assertThat((Long) server.command("PTTL", NAME)).isBetween(170_000L, 180_000L);
		this.two.add("key", 1);
		assertThat((Long) server.command("PTTL", NAME)).isBetween(170_000L, 180_000L);
		this.two.apply(this.two.update("key", new ValueChange.Expire(0)));
		assertThat(server.command("PTTL", NAME)).isEqualTo(-1L);
		assertThat(server.command("HGET", NAME, "expiry")).isNull();
		this.one.apply(this.one.update("key", new ValueChange.Expire(1)));
		await().until(() -> !this.two.read("key").exists());
		assertThat((Long) server.command("PTTL", NAME)).isBetween(100_000L, 121_000L);
		this.two.add("key", 1);
		assertThat(server.command("PTTL", NAME)).isEqualTo(-1L);
	}

	@Test
	void thousandValuesAreReadInFourCalls() {
		List<String> keys = IntStream.range(0, 1000).mapToObj((i) -> "key-" + i).toList();
		this.one.values().read(keys, true, RedisProcess.TIMEOUT);
		assertThat(calls()).containsOnly(Map.entry("evalsha", 4L));
	}

	@Test
	void watchIsRenewedWithoutWritingAsLongAsItLasts() {
		this.one.watch("key");
		this.two.watch("key");
		assertThat(inScripts()).containsEntry("hset", 2L);
		for (int i = 0; i < 5; i++) {
			this.one.watch("key");
			this.two.watch("key");
		}
		assertThat(inScripts()).containsEntry("hset", 2L);
		passTime(NAME, 16);
		this.one.watch("key");
		// one of them is that of this test
		assertThat(inScripts()).containsEntry("hset", 4L);
		assertThat(watchers()).hasSize(2);
	}

	@Test
	void changesArePublishedOnceToEachWatcherUntilItReads() throws Exception {
		this.one.watch("key");
		this.two.watch("key");
		for (int i = 0; i < 10; i++) {
			this.one.add("key", 1);
		}
		assertThat(this.one.changes.poll(1, TimeUnit.MINUTES)).isEqualTo("key");
		assertThat(this.two.changes.poll(1, TimeUnit.MINUTES)).isEqualTo("key");
		assertThat(inScripts()).containsEntry("publish", 2L);
		assertThat(this.two.watch("key").number()).isEqualTo(10);
		this.one.add("key", 1);
		this.one.add("key", 1);
		assertThat(this.two.changes.poll(1, TimeUnit.MINUTES)).isEqualTo("key");
		assertThat(inScripts()).containsEntry("publish", 3L);
		assertThat(this.one.changes).isEmpty();
	}

	@Test
	void updateThatIsNotAppliedOrRepeatedIsNotPublished() {
		ValueUpdate update = this.one.update("key", new ValueChange.Add(1, 0));
		this.one.apply(update);
		this.two.watch("key");
		this.one.apply(update.again());
		this.one.apply(this.one.update("key", new ValueChange.Add(-5, 0)));
		this.one.apply(this.one.update("key", new ValueChange.Set(5, 0)));
		assertThat(inScripts()).doesNotContainKey("publish");
		assertThat(watchers()).hasSize(1);
	}

	/**
	 * Replicas confirm what was written last on a connection, and the first attempt may
	 * have used another one.
	 */
	@Test
	void repetitionIsWrittenForReplicas() {
		ValueUpdate update = this.one.update("key", new ValueChange.Add(1, 0));
		this.one.apply(update);
		server.command("CONFIG", "RESETSTAT");
		assertThat(this.one.apply(update.again()).after().number()).isEqualTo(1);
		assertThat(inScripts()).containsEntry("hset", 1L);
	}

	@Test
	void valueThatIsNoLongerWatchedIsNotNotified() throws Exception {
		this.two.watch("key");
		this.two.watch("other");
		this.two.values().unwatch("key");
		this.one.add("key", 1);
		this.one.add("other", 1);
		assertThat(this.two.changes.poll(1, TimeUnit.MINUTES)).isEqualTo("other");
		assertThat(this.two.changes).isEmpty();
	}

	@Test
	void watchesOfProcessesThatHaveEndedAreRemoved() {
		this.one.add("key", 1);
		this.two.watch("key");
		this.two.disconnect();
		passTime(NAME, 31);
		this.one.watch("key");
		assertThat(watchers()).hasSize(1);
	}

	@Test
	void nothingRemainsOfAWatchWithoutAValue() {
		this.one.watch("key");
		assertThat(ttl()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30));
		this.one.add("key", 1);
		assertThat(server.command("PTTL", NAME)).isEqualTo(-1L);
		this.one.watch("key");
		assertThat(server.command("PTTL", NAME)).isEqualTo(-1L);
	}

	@Test
	void deletedValueIsRememberedForTwoMinutes() {
		Value former = this.one.add("key", 1).after();
		this.one.delete("key");
		assertThat(ttl()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(2));
		this.two.watch("key");
		assertThat(ttl()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(2));
		server.command("PEXPIRE", NAME, "1000");
		passTime(NAME, 31);
		this.two.watch("key");
		assertThat(ttl()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30));
		assertThat(this.two.add("key", 1).after().version()).isGreaterThan(former.version());
		assertThat(server.command("PTTL", NAME)).isEqualTo(-1L);
	}

	@Test
	void updatesOfManyProcessesAreForgottenButForTheLast() {
		ValueUpdate first = this.one.update("key", new ValueChange.Add(1, Long.MIN_VALUE));
		this.one.apply(first);
		List<ValueUpdate> updates = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			updates.add(new ValueUpdate("key", new ValueChange.Add(1, Long.MIN_VALUE),
					new OwnerId(OwnerId.newInstance(), 1)));
			this.two.apply(updates.get(i));
		}
		assertThat((Long) server.command("HLEN", NAME)).isBetween(1L + ValueBackend.REMEMBERED_PROCESSES, 130L);
		for (int i = 200 - ValueBackend.REMEMBERED_PROCESSES; i < 200; i++) {
			assertThat(this.two.apply(updates.get(i).again()).before().number()).isEqualTo(i + 1);
		}
		assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> this.one.apply(first.again()))
			.withMessageContaining("repeated");
		assertThat(this.one.add("key", 1).after().number()).isEqualTo(202);
		ValueUpdate next = this.one.update("key", new ValueChange.Add(1, Long.MIN_VALUE));
		assertThat(this.one.apply(next.again()).after().number()).as("no attempt has been forgotten").isEqualTo(203);
	}

	@Test
	void versionIsTheServersClock() {
		long before = serverMicros();
		long created = this.one.add("key", 1).after().version();
		long changed = this.one.add("key", 1).after().version();
		assertThat(created).isBetween(before, changed - 1);
		assertThat(changed).isLessThanOrEqualTo(serverMicros());
	}

	@Test
	void versionGrowsAlthoughTheClockIsBehindTheLastOne() {
		long version = this.one.add("key", 7).after().version() + 3_600_000_000L;
		server.command("HSET", NAME, "value", "1 7 " + version);
		assertThat(this.one.add("key", 1).after()).isEqualTo(new Value(8, version + 1));
		this.one.delete("key");
		assertThat(ttl()).isGreaterThan(Duration.ofMinutes(61));
		assertThat(this.one.add("key", 1).after().version()).isGreaterThan(version + 1);
	}

	/**
	 * As after a restart or a failover.
	 */
	@Test
	void versionGrowsAlthoughTheServerHasLostTheLastUpdates() {
		Value kept = this.one.add("key", 1).after();
		server.command("COPY", NAME, "backup");
		for (int i = 0; i < 20; i++) {
			this.one.add("key", 1);
		}
		Value lost = this.one.add("key", 1).after();
		server.command("RENAME", "backup", NAME);
		assertThat(this.one.read("key")).isEqualTo(kept);
		for (int i = 0; i < 30; i++) {
			assertThat(this.two.add("key", 1).after().version()).isGreaterThan(lost.version());
			assertThat(this.two.apply(this.two.update("key", new ValueChange.Set(0, lost.version()))).applied())
				.isFalse();
		}
		server.command("FLUSHALL");
		assertThat(this.one.add("key", 1).after().version()).isGreaterThan(lost.version());
	}

	@Test
	void versionsLeadTheClockAfterAFailover() {
		TokenLead lead = new TokenLead();
		lead.keep();
		lead.begin(Duration.ofSeconds(10));
		long normal = this.one.add("key", 1).after().version();
		try (RedisProcess leading = RedisProcess.leading(server, lead)) {
			long led = leading.add("key", 1).after().version();
			assertThat(led).isGreaterThan(normal + 10_000_000);
			assertThat((Long) server.command("PTTL", "{lock:}:mark")).isPositive();
			server.command("DEL", NAME);
			assertThat(leading.add("key", 1).after().version()).isGreaterThan(led);
			leading.delete("key");
			assertThat(leading.add("key", 1).after().version()).isGreaterThan(led + 1);
		}
	}

	@Test
	void numbersOf64BitsLeaveNothingBehind() {
		this.one.apply(this.one.update("key", new ValueChange.Set(Long.MAX_VALUE - 1, 0)));
		long fields = (Long) server.command("HLEN", NAME);
		assertThat(this.one.add("key", 1).after().number()).isEqualTo(Long.MAX_VALUE);
		assertThat(this.one.add("key", 1).applied()).isFalse();
		assertThat(this.one.apply(this.one.update("key", new ValueChange.Add(-1, Long.MAX_VALUE))).applied()).isFalse();
		assertThat(this.one.apply(this.one.update("key", new ValueChange.Add(-1, Long.MAX_VALUE - 1))).applied())
			.isTrue();
		assertThat(server.command("HLEN", NAME)).isEqualTo(fields);
		assertThat(this.one.apply(this.one.update("absent", new ValueChange.Add(Long.MIN_VALUE, 0))).applied())
			.isFalse();
		assertThat(server.command("EXISTS", "{absent}:value")).isEqualTo(0L);
	}

	@Test
	void everyCallSurvivesTheLossOfTheScripts() {
		for (int i = 0; i < 5; i++) {
			server.flushScripts();
			assertThat(this.one.add("key", 1).after().number()).isEqualTo(i + 1);
			server.flushScripts();
			assertThat(this.one.watch("key").number()).isEqualTo(i + 1);
		}
	}

	@Test
	void foreignDataIsReportedAndLeftAlone() {
		server.command("HSET", "{hash}:value", "field", "value");
		server.command("SET", "{text}:value", "1 7 1234567");
		server.command("HSET", "{newer}:value", "value", "2 7 1234567 and more");
		server.command("HSET", "{last}:value", "value", "1 7 9007199254740991");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.one.add("last", 1))
			.withMessageContaining("foreign data");
		for (String key : List.of("hash", "text", "newer")) {
			Object before = server.command("DUMP", "{" + key + "}:value");
			for (ValueChange change : List.of(new ValueChange.Add(1, 0), new ValueChange.Delete(-1),
					new ValueChange.Set(1, 0), new ValueChange.Replace(1, 0))) {
				assertThatExceptionOfType(BackendUnavailableException.class)
					.isThrownBy(() -> this.one.apply(this.one.update(key, change)))
					.withMessageContaining("foreign data");
			}
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.one.read(key))
				.withMessageContaining("foreign data");
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.one.watch(key))
				.withMessageContaining("foreign data");
			assertThat(server.command("DUMP", "{" + key + "}:value")).isEqualTo(before);
			assertThat(server.command("PTTL", "{" + key + "}:value")).isEqualTo(-1L);
		}
	}

	@Test
	void valuesAreReadAndDeletedWithoutMemory() throws Exception {
		this.one.add("key", 1);
		server.command("CONFIG", "SET", "maxmemory", "1");
		try {
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.one.add("key", 1))
				.withMessageContaining("OOM");
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.one.add("other", 1))
				.withMessageContaining("OOM");
			assertThat(this.two.watch("key").number()).isEqualTo(1);
			assertThat(this.one.delete("key").applied()).isTrue();
			assertThat(this.two.changes.poll(1, TimeUnit.MINUTES)).isEqualTo("key");
		}
		finally {
			server.command("CONFIG", "SET", "maxmemory", "0");
		}
		assertThat(this.one.add("key", 1).after().number()).isEqualTo(1);
	}

	/**
	 * It would answer with values of the past.
	 */
	@Test
	void replicaDoesNotAnswer() {
		this.one.add("key", 1);
		server.command("REPLICAOF", "127.0.0.1", "1");
		try {
			assertThatExceptionOfType(BackendException.class).isThrownBy(() -> this.one.read("key"))
				.withMessageContaining("READONLY");
			assertThatExceptionOfType(BackendException.class).isThrownBy(() -> this.one.add("key", 1))
				.withMessageContaining("READONLY");
		}
		finally {
			server.command("REPLICAOF", "NO", "ONE");
		}
		await().ignoreExceptions().until(() -> this.one.add("key", 1).after().number() == 2);
	}

	@Test
	void waitThatEndsAtOnceLeavesNothing() throws Exception {
		EngineSettings settings = EngineSettings.defaults().withOperationTimeout(RedisProcess.TIMEOUT);
		this.one.add("key", 1);
		try (EngineProcess process = new EngineProcess(RedisStore.on(server), settings)) {
			for (String key : List.of("key", "other", "key")) {
				assertThat(process.engine.values().await(key, (value) -> true, Long.MAX_VALUE)).isNotNull();
			}
			assertThat(server.command("HEXISTS", NAME, "watchers")).isEqualTo(0L);
			assertThat(server.command("EXISTS", "{other}:value")).isEqualTo(0L);
			assertThat(process.backend.values().orElseThrow()).extracting("watched")
				.asInstanceOf(InstanceOfAssertFactories.MAP)
				.isEmpty();
		}
	}

	@Test
	void watchersAreNotifiedWhenMessagesMayHaveBeenLost() {
		this.one.watch("key");
		this.one.watch("key-2");
		server.killClients("pubsub");
		await().until(() -> this.one.changes.size() >= 2); // without a call
		assertThat(this.one.changes).contains("key", "key-2");
		assertThat(this.one.values().notifiesOfChanges()).isTrue();
	}

	@Test
	void fewRightsAreEnough() throws Exception {
		try (RedisProcess values = as("values")) {
			assertThat(values.watch("key")).isEqualTo(Value.ABSENT);
			values.add("key", Long.MAX_VALUE - 1);
			values.add("key", 1);
			assertThat(values.changes.poll(1, TimeUnit.MINUTES)).isEqualTo("key");
			values.apply(values.update("key", new ValueChange.Replace(3, Long.MAX_VALUE)));
			values.delete("key");
			for (int i = 0; i < 200; i++) {
				values.apply(new ValueUpdate("key", new ValueChange.Add(1, 0), new OwnerId(OwnerId.newInstance(), 1)));
			}
			assertThat(values.read("key").number()).isEqualTo(200);
			assertThat((Long) server.command("HLEN", NAME)).isLessThan(140);
			RedisProcess.assertNothingDenied(server);
		}
	}

	@Test
	void missingRightIsAKnownFailure() {
		try (RedisProcess values = as("values")) {
			values.add("key", 1);
			for (String right : List.of("hmget", "hset", "time")) {
				server.command("ACL", "SETUSER", "values", "-" + right);
				assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> values.add("key", 1));
				server.command("ACL", "SETUSER", "values", "+" + right);
			}
			values.delete("key");
			server.command("ACL", "SETUSER", "values", "-persist");
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> values.add("key", 1));
			server.command("ACL", "SETUSER", "values", "+persist");
			assertThat(values.add("key", 1).after().number()).isEqualTo(1);
		}
	}

	@Test
	void withoutMessagesNoWatchIsKept() {
		try (RedisProcess silent = as("silent")) {
			assertThat(this.one.values().notifiesOfChanges()).isTrue();
			assertThat(silent.values().notifiesOfChanges()).isFalse();
			silent.add("key", 1);
			assertThat(silent.watch("key").number()).isEqualTo(1);
			assertThat(server.command("HEXISTS", NAME, "watchers")).isEqualTo(0L);
			this.one.watch("key");
			assertThat(silent.add("key", 1).applied()).as("although it may not publish").isTrue();
		}
	}

	private RedisProcess as(String user) {
		RedisStandaloneConfiguration configuration = RedisProcess.configuration(server);
		configuration.setUsername(user);
		configuration.setPassword("secret");
		return process(configuration);
	}

	private static List<String> watchers() {
		String text = (String) server.command("HGET", NAME, "watchers");
		return (text != null) ? List.of(text.split("(?<= \\d{1,20}) ")) : List.of();
	}

	/**
	 * Has watches look as if they had been registered earlier.
	 */
	private static void passTime(String name, int seconds) {
		String[] words = ((String) server.command("HGET", name, "watchers")).split(" ");
		for (int i = 1; i < words.length; i += 2) {
			words[i] = Long.toString(Long.parseLong(words[i]) - seconds);
		}
		server.command("HSET", name, "watchers", String.join(" ", words) + " ");
	}

	private static Duration ttl() {
		return Duration.ofMillis((Long) server.command("PTTL", NAME));
	}

	private static long serverMicros() {
		List<?> time = (List<?>) server.command("TIME");
		return Long.parseLong(time.get(0).toString()) * 1_000_000 + Long.parseLong(time.get(1).toString());
	}

	private static Map<String, Long> calls() {
		Map<String, Long> counts = counts();
		counts.keySet().removeIf((name) -> !name.startsWith("eval") && !name.equals("wait"));
		return counts;
	}

	private static Map<String, Long> inScripts() {
		Map<String, Long> counts = counts();
		counts.keySet()
			.removeIf((name) -> name.startsWith("eval") || name.startsWith("config") || name.equals("info")
					|| name.startsWith("acl"));
		return counts;
	}

	private static Map<String, Long> counts() {
		return server.info("commandstats")
			.entrySet()
			.stream()
			.collect(Collectors.toMap((entry) -> entry.getKey().substring("cmdstat_".length()),
					(entry) -> Long.parseLong(entry.getValue().replaceAll("calls=(\\d+),.*", "$1"))));
	}

}
