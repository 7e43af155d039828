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

package io.github.lockspring.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.ValueChange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The database does what it is asked, and the reply gets lost with the connection.
 */
abstract class SqlReplyDroppedTests extends SqlFaultTests {

	private static final int VICTIMS = 4;

	/**
	 * How many replies each victim loses, and with them a connection, which takes long to
	 * open.
	 */
	private static final int TIMES = (FaultRun.SCALE > 1) ? 125 : 5;

	/**
	 * Much longer than any wait here: whatever is lost blocks a key for longer.
	 */
	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofMinutes(2), true);

	private static final ValueChange INCREMENT = new ValueChange.Add(1, Long.MIN_VALUE);

	private static final AcquireOptions FAIR = AcquireOptions.fair(Duration.ofMinutes(2), true);

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final AtomicInteger dropped = new AtomicInteger();

	SqlReplyDroppedTests(SqlServer server) {
		super(server, EngineSettings.defaults().withOperationTimeout(LONG_TIMEOUT));
	}

	@AfterEach
	void closeProxies() {
		this.proxies.forEach(FaultProxy::close);
	}

	/**
	 * Numbers of connections that the victims keep: in usual builds as many as they use.
	 */
	static IntStream allKept() {
		return (FaultRun.SCALE > 1) ? IntStream.of(0, 4) : IntStream.of(4);
	}

	/**
	 * The same: in usual builds none, so that a pool is given the broken ones.
	 */
	static IntStream noneKept() {
		return (FaultRun.SCALE > 1) ? IntStream.of(0, 4) : IntStream.of(0);
	}

	@ParameterizedTest
	@MethodSource("allKept")
	void acquireIsMadeGood(int kept) throws Exception {
		inVictims(kept, (proxy, victim, random) -> {
			String key = key(random);
			Future<String> reply = proxy.dropReply((request) -> names(request, key));
			takeTurn(victim, key, OPTIONS);
			awaitDropped(reply);
		});
		assertEnd();
	}

	@ParameterizedTest
	@MethodSource("noneKept")
	void acquireThatTriesOnceSucceedsOrLeavesNothing(int kept) throws Exception {
		inVictims(kept, (proxy, victim, random) -> {
			String key = key(random);
			Future<String> reply = proxy.dropReply((request) -> names(request, key));
			long asked = System.nanoTime();
			Hold hold = this.run.acquire(victim, key, OPTIONS, Duration.ZERO);
			if (hold != null) {
				assertThat(this.run.use("victim", asked, hold, Duration.ZERO)).isTrue();
			}
			takeTurn(victim, key, OPTIONS); // asks, even if the attempt had no time to
			awaitDropped(reply);
		});
		assertEnd();
	}

	@ParameterizedTest
	@MethodSource("noneKept")
	void releaseIsMadeGood(int kept) throws Exception {
		inVictims(kept, (proxy, victim, random) -> {
			String key = key(random);
			long asked = System.nanoTime();
			Hold hold = this.run.acquire(victim, key, OPTIONS, FaultRun.MAX_WAIT);
			assertThat(hold).isNotNull();
			Future<String> reply = proxy.dropReply((request) -> names(request, key));
			assertThat(this.run.use("victim", asked, hold, Duration.ZERO)).isTrue();
			awaitDropped(reply);
		});
		assertEnd();
	}

	/**
	 * Those that contend for a key enter its row, look at it again, and collect it when
	 * it is their turn.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void everyStepOfATurnIsMadeGood(boolean fair) throws Exception {
		inVictims(4, (proxy, victim, random) -> {
			String key = key(random);
			AtomicInteger requests = new AtomicInteger(random.nextInt(5));
			Future<String> reply = proxy.dropReply((request) -> names(request, key) && requests.getAndDecrement() == 0);
			do {
				takeTurn(victim, key, fair ? FAIR : OPTIONS);
			}
			while (!reply.isDone());
			awaitDropped(reply);
		});
		assertEnd();
	}

	/**
	 * What was acknowledged is counted once, and nothing else is counted.
	 */
	@ParameterizedTest
	@MethodSource("allKept")
	void updateIsMadeGood(int kept) throws Exception {
		Queue<String> results = new ConcurrentLinkedQueue<>();
		inVictims(kept, (proxy, victim, random) -> {
			String key = key(random);
			Future<String> reply = proxy.dropReply((request) -> names(request, key));
			results.add(key + " is " + victim.engine.values().update(key, INCREMENT).after().number());
			awaitDropped(reply);
		});
		this.run.assertNoViolations();
		assertThat(this.dropped).hasValue(VICTIMS * TIMES);
		EngineProcess process = this.run.startProcess(this.store);
		List<String> expected = Stream.of("key-0", "key-1")
			.flatMap((key) -> LongStream.rangeClosed(1, process.engine.values().read(key).number())
				.mapToObj((number) -> key + " is " + number))
			.toList();
		assertThat(results).hasSize(VICTIMS * TIMES).containsExactlyInAnyOrderElementsOf(expected);
	}

	private void inVictims(int kept, Attempt attempt) throws InterruptedException {
		for (int i = 0; i < VICTIMS; i++) {
			FaultProxy proxy = this.server.proxy();
			this.proxies.add(proxy);
			EngineProcess victim = this.run.startProcess(this.store.through(this.server, proxy).keeping(kept));
			Random random = new Random(this.run.random.nextLong());
			this.run.startThread("victim-" + i, () -> {
				for (int j = 0; j < TIMES; j++) {
					attempt.run(proxy, victim, random);
				}
			});
		}
		this.run.awaitThreads();
	}

	private static String key(Random random) {
		return "key-" + random.nextInt(2);
	}

	/**
	 * Whether a request is about a key, which some drivers write in hexadecimal digits.
	 */
	private static boolean names(String request, String key) {
		return request.contains(key) || request.toLowerCase(Locale.ROOT)
			.contains(HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_8)));
	}

	private void awaitDropped(Future<String> reply) throws Exception {
		reply.get(FaultRun.MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		this.dropped.incrementAndGet();
	}

	private void assertEnd() throws InterruptedException {
		this.run.assertNoViolations();
		assertThat(this.dropped).hasValue(VICTIMS * TIMES);
		FaultRun.eventually().untilAsserted(this.store::assertNothingLeft);
		assertThat(this.run.losses()).isZero();
		assertEnd(List.of("key-0", "key-1"));
	}

	/**
	 * What a victim does again and again.
	 */
	private interface Attempt {

		void run(FaultProxy proxy, EngineProcess victim, Random random) throws Exception;

	}

}
