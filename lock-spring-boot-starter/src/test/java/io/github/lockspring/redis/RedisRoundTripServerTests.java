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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.PermitLedger;
import io.github.lockspring.engine.PermitTerms;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * How often {@link RedisLockBackend} talks to the server, by the server's own count.
 */
class RedisRoundTripServerTests {

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	/**
	 * Who tries once does not wait for the server.
	 */
	private static final long WAIT = RedisProcess.TIMEOUT.toNanos();

	private static RedisServer server;

	private RedisProcess process;

	@BeforeAll
	static void startServer() {
		server = RedisServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void startProcess() {
		this.process = RedisProcess.on(server);
		this.process.release(this.process.request("warm-up")); // has the script loaded
		LeaseRequest request = this.process.request("warm-up");
		this.process.tryAcquire(request);
		this.process.release(request);
		server.command("CONFIG", "RESETSTAT");
	}

	@AfterEach
	void stopProcess() {
		this.process.close();
	}

	@Test
	void uncontendedAcquireIsOneCallAndReleaseIsOne() {
		for (int i = 0; i < 50; i++) {
			LeaseRequest request = this.process.request("key");
			assertThat(this.process.tryAcquire(request)).isNotNull();
			assertThat(calls()).containsOnly(Map.entry("evalsha", 2L * i + 1));
			assertThat(this.process.release(request)).isTrue();
			assertThat(calls()).containsOnly(Map.entry("evalsha", 2L * i + 2));
		}
	}

	@Test
	void nothingIsPublishedWithoutContenders() {
		for (int i = 0; i < 50; i++) {
			LeaseRequest request = this.process.request("key");
			assertThat(this.process.contend(request)).isNotNull();
			assertThat(this.process.release(request)).isTrue();
		}
		assertThat(inScripts()).doesNotContainKey("publish");
		assertThat(calls()).containsOnly(Map.entry("evalsha", 100L));
	}

	@ParameterizedTest
	@ValueSource(strings = { "shared", "permits" })
	void attemptsThatAreDeniedReadTheOtherLeasesOnceAfterOneHasExpired(String kind) {
		LeaseMode mode = kind.equals("shared") ? LeaseMode.SHARED : LeaseMode.permits(1, 6);
		for (int i = 0; i < 5; i++) {
			assertThat(this.process.tryAcquire(this.process.request(kind, mode, false, RedisProcess.LEASE_TIME)))
				.isNotNull();
		}
		this.process.tryAcquire(this.process.request(kind, mode, false, Duration.ofMillis(20)));
		await().until(() -> this.process.backend.inspect(kind, RedisProcess.TIMEOUT).size() == 5);
		server.command("CONFIG", "RESETSTAT");
		for (int i = 0; i < 10; i++) {
			assertThat(this.process.tryAcquire(this.process.request(kind))).isNull();
		}
		assertThat(inScripts()).containsEntry("hgetall", 1L);
		LeaseRequest permit = this.process.request(kind, mode, false, RedisProcess.LEASE_TIME);
		assertThat(this.process.tryAcquire(permit)).isNotNull();
	}

	/**
	 * Readers are denied because of the last contender, a writer.
	 */
	@Test
	void attemptsThatAreDeniedSkipContendersThatHaveLeftOnce() {
		this.process.tryAcquire(this.process.request("left", LeaseMode.SHARED, false, RedisProcess.LEASE_TIME));
		for (int i = 0; i <= 20; i++) {
			this.process.contend(this.process.request("left"));
		}
		for (int i = 0; i < 20; i++) {
			server.command("HDEL", "{left}", String.valueOf(i));
		}
		LeaseRequest reader = this.process.request("left", LeaseMode.SHARED, false, RedisProcess.LEASE_TIME);
		assertThat(this.process.tryAcquire(reader)).isNull();
		server.command("CONFIG", "RESETSTAT");
		assertThat(this.process.tryAcquire(reader)).isNull();
		assertThat(inScripts().get("hget")).isLessThan(10);
	}

	@Test
	void releaseMakesTheContenderTheHolderWithoutAnotherCall() throws Exception {
		LeaseRequest holder = this.process.request("key");
		this.process.tryAcquire(holder);
		LeaseRequest contender = this.process.request("key");
		assertThat(this.process.contend(contender)).isNull();
		this.process.release(holder);
		assertThat(this.process.granted.poll(10, java.util.concurrent.TimeUnit.SECONDS)).isEqualTo(contender);
		assertThat(calls()).containsOnly(Map.entry("evalsha", 3L));
		assertThat(this.process.release(contender)).isTrue();
		assertThat(inScripts()).containsEntry("publish", 1L);
	}

	@Test
	void thousandLeasesAreRenewedInFourCalls() {
		java.util.List<LeaseRequest> leases = new java.util.ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			LeaseRequest lease = this.process.request("key-" + i);
			this.process.tryAcquire(lease);
			leases.add(lease);
		}
		this.process.backend.renew(leases, RedisProcess.TIMEOUT);
		server.command("CONFIG", "RESETSTAT");
		assertThat(this.process.backend.renew(leases, RedisProcess.TIMEOUT).held()).hasSize(1000);
		assertThat(calls()).containsOnly(Map.entry("evalsha", 4L));
		leases.forEach(this.process::release);
	}

	/**
	 * As soon as all were denied, each poll is the only call since the one before.
	 */
	@ParameterizedTest
	@CsvSource({ "50, 1", "1000, 2" })
	void thoseWhoWaitAreAskedForTogether(int keys, long calls) {
		List<Long> callsUntilPoll = new CopyOnWriteArrayList<>();
		EngineSettings settings = EngineSettings.defaults()
			.withOperationTimeout(RedisProcess.TIMEOUT)
			.withPoll(Duration.ofMillis(1), Duration.ofMillis(100), Duration.ofMillis(500));
		try (RedisProcess holder = RedisProcess.on(server);
				LockEngine engine = new LockEngine(
						afterPoll(this.process.backend, () -> callsUntilPoll.add(calls().get("evalsha"))), settings,
						EngineListener.NONE, TimeSource.SYSTEM)) {
			for (int i = 0; i < keys; i++) {
				assertThat(holder
					.tryAcquire(holder.request("key-" + i, LeaseMode.EXCLUSIVE, false, Duration.ofMinutes(10))))
					.isNotNull();
				engine.acquireAsync("key-" + i, OPTIONS, new Object(), Duration.ofMinutes(5).toNanos());
			}
			await().atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(lastDifferences(callsUntilPoll, 4)).containsExactly(calls, calls, calls,
						calls));
		}
		server.command("FLUSHALL");
	}

	private static List<Long> lastDifferences(List<Long> totals, int count) {
		List<Long> all = List.copyOf(totals);
		List<Long> last = all.subList(Math.max(0, all.size() - count - 1), all.size());
		return IntStream.range(1, last.size()).mapToObj((i) -> last.get(i) - last.get(i - 1)).toList();
	}

	/**
	 * A backend that runs an action after each time that it is asked for all that wait.
	 */
	private static LockBackend afterPoll(LockBackend backend, Runnable action) {
		return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, args) -> {
					try {
						return method.invoke(backend, args);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
					finally {
						if (method.getName().equals("poll")) {
							action.run();
						}
					}
				});
	}

	@Test
	void onlyThoseWhoWaitAreRemovedAtTheEnd() {
		LeaseRequest holder = this.process.request("key", LeaseMode.permits(1, 1), false, RedisProcess.LEASE_TIME);
		assertThat(this.process.tryAcquire(holder)).isNotNull();
		assertThat(this.process.contend(this.process.request("key"))).isNull();
		for (int i = 0; i < 20; i++) {
			LeaseRequest rejected = this.process.request("key", LeaseMode.permits(1, 2), false,
					RedisProcess.LEASE_TIME);
			assertThatIllegalArgumentException().isThrownBy(() -> this.process.contend(rejected));
		}
		server.command("CONFIG", "SET", "maxmemory", "1");
		for (int i = 0; i < 20; i++) {
			LeaseRequest failed = this.process.request("other-" + i);
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.process.contend(failed));
		}
		server.command("CONFIG", "SET", "maxmemory", "0");
		server.command("CONFIG", "RESETSTAT");
		this.process.close();
		assertThat(calls()).containsOnly(Map.entry("evalsha", 1L));
		this.process = RedisProcess.on(server);
		this.process.release(holder);
	}

	@Test
	void reentryIsNoCallAtAll() throws Exception {
		try (LockEngine engine = new LockEngine(this.process.backend, EngineSettings.defaults(), new EngineListener() {
		}, TimeSource.SYSTEM)) {
			Hold hold = engine.acquire("key", OPTIONS, WAIT);
			server.command("CONFIG", "RESETSTAT");
			for (int i = 0; i < 100; i++) {
				assertThat(engine.acquire("key", OPTIONS, 0)).isSameAs(hold);
			}
			for (int i = 0; i < 100; i++) {
				hold.release();
			}
			assertThat(calls()).isEmpty();
			hold.release();
			assertThat(calls()).containsOnly(Map.entry("evalsha", 1L));
		}
	}

	/**
	 * After the limit was read once. It is read again now and then.
	 */
	@Test
	void permitsAreOneCallToAcquireAndOneToReleaseEachPart() {
		try (LockEngine engine = new LockEngine(this.process.backend, EngineSettings.defaults(), EngineListener.NONE,
				TimeSource.SYSTEM)) {
			PermitLedger permits = new PermitLedger(engine);
			PermitTerms terms = new PermitTerms(3, 8, false, Duration.ofSeconds(30), true);
			permits.acquireUninterruptibly("permits", terms, WAIT);
			permits.release("permits", 3);
			server.command("CONFIG", "RESETSTAT");
			for (int i = 0; i < 100; i++) {
				permits.acquireUninterruptibly("permits", terms, WAIT);
				permits.release("permits", 1);
				permits.release("permits", 2);
			}
			assertThat(calls().get("evalsha")).isBetween(300L, 310L);
		}
	}

	@Test
	void shortCyclesLeaveNoRenewalsBehind() throws Exception {
		AcquireOptions shortLease = AcquireOptions.exclusive(Duration.ofSeconds(3), true);
		try (LockEngine engine = new LockEngine(this.process.backend, EngineSettings.defaults(), new EngineListener() {
		}, TimeSource.SYSTEM)) {
			for (int i = 0; i < 3000; i++) {
				engine.acquire("key-" + i % 7, shortLease, WAIT).release();
			}
			Hold hold = engine.acquire("key", shortLease, WAIT);
			server.command("CONFIG", "RESETSTAT");
			Thread.sleep(3000);
			assertThat(hold.isHeld()).isTrue();
			assertThat(calls().get("evalsha")).isBetween(2L, 20L);
			hold.release();
		}
	}

	private static Map<String, Long> calls() {
		return counts((name) -> name.startsWith("eval") || name.equals("wait"));
	}

	private static Map<String, Long> inScripts() {
		return counts((name) -> !name.startsWith("eval"));
	}

	private static Map<String, Long> counts(java.util.function.Predicate<String> commands) {
		return server.info("commandstats")
			.entrySet()
			.stream()
			.map((entry) -> Map.entry(entry.getKey().substring("cmdstat_".length()),
					Long.parseLong(entry.getValue().replaceAll("calls=(\\d+),.*", "$1"))))
			.filter((entry) -> commands.test(entry.getKey()))
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
	}

}
