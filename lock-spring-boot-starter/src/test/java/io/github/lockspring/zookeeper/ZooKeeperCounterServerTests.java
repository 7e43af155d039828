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

package io.github.lockspring.zookeeper;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys whose sequence numbers are used up: ZooKeeper gives the last one to all nodes
 * then.
 */
class ZooKeeperCounterServerTests extends TwoZooKeeperProcesses {

	private static final int LAST = Integer.MAX_VALUE;

	private static final LeaseMode ONE_OF_TWO = LeaseMode.permits(1, 2);

	@TempDir
	private static Path folder;

	private static ZooKeeperInProcess server;

	@BeforeAll
	static void startServer() throws Exception {
		server = ZooKeeperInProcess.start(folder);
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Override
	String connectString() {
		return server.connectString();
	}

	@Test
	void processesContendWhileTheNumbersAreUsedUp() throws Exception {
		ZooKeeperStore store = new ZooKeeperStore(server.connectString(), Duration.ofSeconds(10));
		List<AcquireOptions> options = List.of(AcquireOptions.exclusive(Duration.ofSeconds(30), true),
				AcquireOptions.fair(Duration.ofSeconds(30), true));
		try (FaultRun run = new FaultRun(getClass().getSimpleName())) {
			List<EngineProcess> processes = run.startProcesses(3, store);
			LeaseRequest held = this.one.acquire(this.key);
			for (EngineProcess process : processes) {
				run.startWorkers(process, 2, new Load(List.of(this.key), options,
						List.of(Duration.ZERO, FaultRun.MAX_WAIT), Duration.ofMillis(1), Duration.ofMillis(5)),
						Duration.ofSeconds(1));
			}
			ZooKeeperProcess.await().until(() -> counter() > processes.size());
			server.setCounter(path(), LAST - 30);
			this.one.release(held);
			run.awaitThreads();
			run.assertProgress();
			run.assertEveryoneAcquires(List.of(this.key));
			run.assertExclusion();
			run.assertNothingLeft(store::assertNothingLeft);
		}
		assertThat(counter()).isBetween(0, LAST / 2); // begun anew when the queue was
														// empty
	}

	@ParameterizedTest
	@ValueSource(ints = { 1 << 30, LAST - 1, LAST, LAST + 1 })
	void numbersBeginAnewWhenTheQueueIsEmptyAndTokensIncrease(int number) {
		LeaseRequest first = this.one.request(this.key);
		long token = this.one.grantOf(first).token();
		server.setCounter(path(), number);
		LeaseRequest next = this.two.request(this.key);
		assertThat(this.two.tryAcquire(next)).isInstanceOf(Denial.class);
		assertThat(this.one.release(first)).isTrue();
		assertThat(this.two.grantOf(next).token()).isGreaterThan(token);
		assertThat(this.two.release(next)).isTrue();
		ZooKeeperProcess.await().until(() -> counter() == 0); // its node was deleted
	}

	@Test
	void beyondTheLastNumberAKeyThatIsHeldIsDenied() {
		LeaseRequest held = this.one.acquire(this.key);
		server.setCounter(path(), LAST);
		LeaseRequest waiting = this.one.request(this.key);
		for (int i = 0; i < 3; i++) {
			assertThat(this.two.tryAcquire(this.two.request(this.key))).isInstanceOf(Denial.class);
			this.one.queue(waiting);
		}
		assertThat(ZooKeeperStore.queue(this.one.client, this.key)).hasSize(1);
		assertThat(this.one.renews(held)).isTrue();
		assertThat(this.one.release(held)).isTrue();
		assertThat(this.one.acquire(waiting)).isEqualTo(waiting);
	}

	@Test
	void beyondTheLastNumberOfOneKeySeveralKeysAreDenied() {
		LeaseRequest held = this.one.acquire(this.key);
		server.setCounter(path(), LAST);
		LeaseRequest several = this.two.request(List.of(this.key + "-a", this.key));
		assertThat(this.two.tryAcquire(several)).isInstanceOf(Denial.class);
		assertThat(this.one.release(held)).isTrue();
		assertThat(this.two.acquire(several)).isEqualTo(several);
	}

	@Test
	void beyondTheLastNumberReadersJoinReadersOnly() {
		LeaseRequest reader = this.one.acquire(this.one.request(this.key, LeaseMode.SHARED));
		server.setCounter(path(), LAST);
		LeaseRequest other = this.two.acquire(this.two.request(this.key, LeaseMode.SHARED));
		assertThat(this.two.tryAcquire(this.two.request(this.key))).isInstanceOf(Denial.class);
		assertThat(this.one.release(reader)).isTrue();
		assertThat(this.one.tryAcquire(this.one.request(this.key))).isInstanceOf(Denial.class);
		assertThat(this.two.release(other)).isTrue();
		LeaseRequest writer = this.one.acquire(this.key);
		assertThat(this.two.tryAcquire(this.two.request(this.key, LeaseMode.SHARED))).isInstanceOf(Denial.class);
		assertThat(this.one.release(writer)).isTrue();
	}

	/**
	 * Each process tries to get the second permit, while the first remains in use.
	 */
	@Test
	void beyondTheLastNumberNoMorePermitsAreGrantedThanThereAre() throws Exception {
		this.one.acquire(this.one.request(this.key, ONE_OF_TWO));
		server.setCounter(path(), LAST - 10);
		AtomicInteger holders = new AtomicInteger();
		AtomicInteger grants = new AtomicInteger();
		try (FaultRun run = new FaultRun(getClass().getSimpleName())) {
			for (ZooKeeperProcess process : List.of(this.one, this.two)) {
				run.startThread("trying", () -> {
					for (int i = 0; i < 150; i++) {
						LeaseRequest request = process.request(this.key, ONE_OF_TWO);
						if (process.tryAcquire(request) instanceof Grant) {
							assertThat(holders.incrementAndGet()).isEqualTo(1);
							grants.incrementAndGet();
							holders.decrementAndGet();
							assertThat(process.release(request)).isTrue();
						}
					}
				});
			}
			run.awaitThreads();
			run.assertNoViolations();
		}
		assertThat(grants).hasPositiveValue();
		assertThat(counter()).isEqualTo(LAST);
	}

	@ParameterizedTest
	@ValueSource(ints = { LAST - 2, -4, -3, -2 })
	void valuesAreUpdatedOnceWhileTheVersionsOfTheNodeOverflow(int version) {
		ValueChange increment = new ValueChange.Add(1, Long.MIN_VALUE);
		Value before = Value.ABSENT;
		for (int i = 0; i < 10; i++) {
			before = this.one.apply(this.key, increment).after();
		}
		server.setVersion(new LockPaths(this.one.client, Clients.SETTINGS.namespace()).valueOf(this.key), version);
		for (int i = 0; i < 6; i++) {
			Value after = ((i % 3 == 0) ? this.two : this.one).apply(this.key, increment).after();
			assertThat(after.number()).isEqualTo(before.number() + 1);
			assertThat(after.version()).isGreaterThan(before.version());
			before = after;
		}
		server.setVersion(new LockPaths(this.one.client, Clients.SETTINGS.namespace()).valueOf(this.key), version);
		this.one.apply(this.key, new ValueChange.Delete(ValueChange.ANY_VERSION));
		assertThat(this.two.read(this.key, false)).isEqualTo(Value.ABSENT);
		assertThat(this.two.apply(this.key, increment).after().number()).isEqualTo(1);
	}

	/**
	 * As many elections of a leader as no servers survive.
	 */
	@Test
	void transactionIdsAreNoTokensBeyondTheLastToken() {
		assertThat(QueueNode.firstToken(Long.MAX_VALUE >> QueueNode.TOKEN_BITS)).isPositive();
		assertThat(QueueNode.firstToken((Long.MAX_VALUE >> QueueNode.TOKEN_BITS) + 1)).isNegative();
	}

	private int counter() {
		return server.counter(path());
	}

	private String path() {
		return ZooKeeperStore.pathOf(this.one.client, this.key);
	}

}
