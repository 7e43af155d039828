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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Who gets a turn in the queues of {@link ZooKeeperLockBackend}, and that those who leave
 * them leave nothing behind.
 */
class ZooKeeperQueueServerTests extends TwoZooKeeperProcesses {

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final int CONTENDERS = (FaultRun.SCALE > 1) ? 1000 : 300;

	private static ZooKeeperServer server;

	private final LockPaths paths = new LockPaths(Clients.create("localhost:1"), "lock");

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.start();
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
	void manyContendersAreWokenOneByOneInTheOrderOfTheirComing() {
		LeaseRequest holder = this.one.acquire(this.key);
		List<LeaseRequest> queue = new ArrayList<>();
		for (int i = 0; i < CONTENDERS; i++) {
			ZooKeeperProcess process = process(i);
			queue.add(process.queue(process.request(this.key)));
		}
		assertThat(this.one.release(holder)).isTrue();
		for (int i = 0; i < queue.size(); i++) {
			assertThat(process(i).nextGranted()).isEqualTo(queue.get(i));
			assertThat(this.one.granted).isEmpty();
			assertThat(this.two.granted).isEmpty();
			assertThat(process(i).release(queue.get(i))).isTrue();
		}
		assertThat(this.one.hints).isEmpty();
		assertThat(this.two.hints).isEmpty();
		assertNothingIsLeft();
	}

	private ZooKeeperProcess process(int number) {
		return (number % 2 == 0) ? this.one : this.two;
	}

	@Test
	void releaseIsOneEventHoweverManyWait() {
		LeaseRequest holder = this.one.acquire(this.key);
		long watches = watches();
		List<LeaseRequest> queue = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			queue.add(this.two.queue(this.two.request(this.key)));
		}
		// the holder's node and their own
		ZooKeeperProcess.await().until(() -> watches() == watches + 51);
		long events = events();
		this.one.release(holder);
		assertThat(this.two.nextGranted()).isEqualTo(queue.get(0));
		assertThat(watches()).isEqualTo(watches + 50);
		assertThat(events()).isEqualTo(events + 1);
	}

	private static long events() {
		return server.counters()
			.entrySet()
			.stream()
			.filter((counter) -> counter.getKey().equals("zk_sum_node_deleted_watch_count"))
			.mapToLong((counter) -> counter.getValue())
			.sum();
	}

	@Test
	void readersWritersAndPermitsAreServedInOrder() {
		LeaseRequest writer = this.one.acquire(this.key);
		LeaseRequest reader = this.two.queue(this.two.request(this.key, LeaseMode.SHARED));
		LeaseRequest otherReader = this.one.queue(this.one.request(this.key, LeaseMode.SHARED));
		LeaseRequest permits = this.two.queue(this.two.request(this.key, LeaseMode.permits(2, 3)));
		LeaseRequest onePermit = this.one.queue(this.one.request(this.key, LeaseMode.permits(1, 3)));
		LeaseRequest lastReader = this.two.queue(this.two.request(this.key, LeaseMode.SHARED));
		LeaseRequest lastWriter = this.one.queue(this.one.request(this.key));
		assertThat(this.one.release(writer)).isTrue();
		assertThat(this.two.nextGranted()).isEqualTo(reader);
		assertThat(this.one.nextGranted()).isEqualTo(otherReader);
		assertThat(this.two.release(reader)).isTrue();
		assertStillWaits(this.two, permits);
		assertThat(this.one.release(otherReader)).isTrue();
		assertThat(this.two.nextGranted()).isEqualTo(permits);
		assertThat(this.one.nextGranted()).isEqualTo(onePermit);
		assertThat(this.one.release(onePermit)).isTrue();
		assertStillWaits(this.two, lastReader);
		assertThat(this.two.release(permits)).isTrue();
		assertThat(this.two.nextGranted()).isEqualTo(lastReader);
		assertStillWaits(this.one, lastWriter);
		assertThat(this.two.release(lastReader)).isTrue();
		assertThat(this.one.nextGranted()).isEqualTo(lastWriter);
		assertThat(this.one.release(lastWriter)).isTrue();
		assertNothingIsLeft();
	}

	/**
	 * Notifications that came by a mistake would have come before the answer.
	 */
	private static void assertStillWaits(ZooKeeperProcess process, LeaseRequest request) {
		process.backend.probe(process.request("probe"), ZooKeeperProcess.TIMEOUT);
		assertThat(process.granted).isEmpty();
		process.queue(request);
	}

	@Test
	void writerBehindAWriterThatDowngradesWaits() {
		LeaseRequest writer = this.one.acquire(this.key);
		LeaseRequest next = this.two.queue(this.two.request(this.key));
		awaitWatchOf(this.two, next);
		LeaseRequest reader = this.one.request(this.key, LeaseMode.SHARED);
		assertThat(this.one.backend.downgrade(writer, reader, ZooKeeperProcess.TIMEOUT)).isInstanceOf(Grant.class);
		assertStillWaits(this.two, next);
		assertThat(this.one.renews(reader)).isTrue();
		assertThat(this.one.release(reader)).isTrue();
		assertThat(this.two.nextGranted()).isEqualTo(next);
		assertThat(this.two.release(next)).isTrue();
		assertNothingIsLeft();
	}

	@Test
	void readerBehindAWriterThatDowngradesComesIn() {
		LeaseRequest writer = this.one.acquire(this.key);
		LeaseRequest next = this.two.queue(this.two.request(this.key, LeaseMode.SHARED));
		LeaseRequest reader = this.one.request(this.key, LeaseMode.SHARED);
		assertThat(this.one.backend.downgrade(writer, reader, ZooKeeperProcess.TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(this.two.nextGranted()).isEqualTo(next);
		assertThat(this.one.renews(reader)).isTrue();
	}

	@Test
	void contenderBehindADelayedReleaseWaits() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest next = this.two.queue(this.two.request(this.key));
		awaitWatchOf(this.two, next);
		assertThat(this.one.backend.releaseWithDelay(holder, Duration.ofHours(1), ZooKeeperProcess.TIMEOUT)).isTrue();
		assertStillWaits(this.two, next);
		ZooKeeperProcess.await().until(() -> this.two.hints.contains(next));
		Denial denial = (Denial) this.two.backend.contend(next, ZooKeeperProcess.TIMEOUT);
		assertThat(denial.retryAfter()).isBetween(Duration.ofMinutes(1), Duration.ofHours(1));
		assertThat(this.one.renews(holder)).isFalse();
		assertThat(this.one.release(holder)).isFalse();
		assertStillWaits(this.two, next);
	}

	@Test
	void processOfAContenderBehindADelayedReleaseIsKnown() {
		ProcessName name = ProcessName.current("application");
		this.two.backend.identify("two", name);
		this.one.backend.releaseWithDelay(this.one.acquire(this.key), Duration.ofHours(1), ZooKeeperProcess.TIMEOUT);
		this.two.queue(this.two.request(this.key));
		assertThat(this.one.backend.inspectQueue(this.key, ZooKeeperProcess.TIMEOUT)).extracting(LeaseWaiter::process)
			.containsExactly(name);
	}

	/**
	 * The server has the watch when it has answered something that was asked later.
	 */
	private void awaitWatchOf(ZooKeeperProcess process, LeaseRequest request) {
		process.queue(request);
		process.backend.probe(process.request("probe"), ZooKeeperProcess.TIMEOUT);
	}

	@Test
	void permitsThatAreReleasedInAnyOrderLetTheNextIn() {
		for (int first = 0; first < 3; first++) {
			String key = this.key + first;
			List<LeaseRequest> holders = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				holders.add(this.one.acquire(this.one.request(key, LeaseMode.permits(1, 3))));
			}
			LeaseRequest waiter = this.two.queue(this.two.request(key, LeaseMode.permits(1, 3)));
			assertThat(this.one.release(holders.remove(first))).isTrue();
			assertThat(this.two.nextGranted()).isEqualTo(waiter);
			assertThat(holders).allMatch(this.one::release);
			assertThat(this.two.release(waiter)).isTrue();
		}
		assertNothingIsLeft();
	}

	@Test
	void permitsAreKeptWhenOthersAreReleasedLater() {
		List<LeaseRequest> holders = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			holders.add(this.one.acquire(this.one.request(this.key, LeaseMode.permits(1, 3))));
		}
		LeaseRequest waiter = this.two.queue(this.two.request(this.key, LeaseMode.permits(1, 3)));
		awaitWatchOf(this.two, waiter);
		assertThat(this.one.release(holders.remove(1))).isTrue();
		assertThat(this.two.nextGranted()).isEqualTo(waiter);
		assertThat(holders).allMatch(this.one::release);
		this.two.backend.probe(this.two.request("probe"), ZooKeeperProcess.TIMEOUT);
		assertThat(this.two.renews(waiter)).isTrue();
		assertThat(this.two.lost).isEmpty();
		assertThat(this.two.release(waiter)).isTrue();
		assertNothingIsLeft();
	}

	@Test
	void permitsInRandomOrderAreNeverTooManyAndNeverStandStill() {
		Random random = new Random(20260103);
		List<LeaseMode> modes = List.of(LeaseMode.permits(1, 4), LeaseMode.permits(2, 4), LeaseMode.permits(3, 4));
		List<LeaseRequest> held = new ArrayList<>();
		List<LeaseRequest> waiting = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			LeaseRequest request = this.one.request(this.key, modes.get(random.nextInt(3)));
			boolean granted = this.one.backend.contend(request, ZooKeeperProcess.TIMEOUT) instanceof Grant;
			(granted ? held : waiting).add(request);
		}
		while (!held.isEmpty()) {
			Collections.shuffle(held, random);
			assertThat(this.one.release(held.remove(0))).isTrue();
			List<LeaseRequest> next = new ArrayList<>();
			List<LeaseRequest> notified = new ArrayList<>();
			while (!waiting.isEmpty() && permits(held) + permits(waiting.subList(0, 1)) <= 4) {
				held.add(waiting.get(0));
				next.add(waiting.remove(0));
				notified.add(this.one.nextGranted());
			}
			assertThat(notified).containsExactlyInAnyOrderElementsOf(next);
			assertThat(this.one.granted).isEmpty();
		}
		assertThat(waiting).isEmpty();
		assertThat(this.one.lost).isEmpty();
		assertNothingIsLeft();
	}

	private static int permits(List<LeaseRequest> requests) {
		return requests.stream().mapToInt((request) -> ((LeaseMode.Permits) request.terms().mode()).permits()).sum();
	}

	@Test
	void deletedNodeOfALeaseIsALoss() {
		LeaseRequest lease = this.one.acquire(this.key);
		assertThat(this.one.renews(lease)).isTrue();
		Clients.deleteNodes(this.two.client, lease);
		assertThat(this.one.renews(lease)).isFalse();
		assertThat(this.one.nextLost()).isEqualTo(lease);
		assertThat(this.one.renews(lease)).isFalse();
		assertNothingIsLeft();
	}

	@Test
	void deletedNodesAmongManyAreTheOnlyLosses() {
		List<LeaseRequest> leases = new ArrayList<>();
		for (int i = 0; i < 1200; i++) {
			leases.add(this.one.acquire(this.key + i));
		}
		LeaseRequest several = this.one
			.acquire(this.one.request(List.of(this.key + "a", this.key + "b", this.key + "c")));
		leases.add(several);
		List<LeaseRequest> deleted = List.of(leases.get(0), leases.get(499), leases.get(1199), several);
		deleted.subList(0, 3).forEach((lease) -> Clients.deleteNodes(this.two.client, lease));
		Clients.deleteNodes(this.two.client, several.part(List.of(this.key + "b")));
		Renewal renewal = this.one.backend.renew(leases, ZooKeeperProcess.TIMEOUT);
		assertThat(renewal.lost()).containsExactlyInAnyOrderElementsOf(deleted);
		assertThat(this.one.lost).containsExactlyInAnyOrderElementsOf(deleted);
		assertThat(renewal.held()).hasSize(1197).allMatch(this.one::release);
		assertThat(nodes(this.key + "a")).isEmpty();
		assertNothingIsLeft();
	}

	@Test
	void deletedNodeOfALeaseThatWasWaitedForIsALossAtOnce() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest waiter = this.two.queue(this.two.request(this.key));
		awaitWatchOf(this.two, waiter);
		assertThat(this.one.release(holder)).isTrue();
		assertThat(this.two.nextGranted()).isEqualTo(waiter);
		assertThat(this.two.renews(waiter)).isTrue();
		Clients.deleteNodes(this.one.client, waiter);
		assertThat(this.two.nextLost()).isEqualTo(waiter);
		assertNothingIsLeft();
	}

	@Test
	void waiterWhoseNodeWasDeletedIsNotGranted() {
		for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.permits(2, 3))) {
			String key = this.key + mode;
			LeaseRequest holder = this.one.acquire(this.one.request(key, mode));
			LeaseRequest waiter = this.two.queue(this.two.request(key, mode));
			awaitWatchOf(this.two, waiter);
			LeaseRequest next = this.one.queue(this.one.request(key, mode));
			Clients.deleteNodes(this.one.client, waiter);
			assertThat(this.one.release(holder)).isTrue();
			assertThat(this.one.nextGranted()).isEqualTo(next);
			assertStillWaits(this.two, waiter);
			ZooKeeperProcess.await().until(() -> this.two.hints.contains(waiter));
			assertThat(this.one.release(next)).isTrue();
			assertThat(this.two.nextGranted()).isEqualTo(waiter);
			assertThat(this.two.release(waiter)).isTrue();
		}
		assertNothingIsLeft();
	}

	@Test
	void waiterWhoseQueueWasDeletedIsNotGrantedBesideAnother() {
		LeaseRequest holder = this.one.acquire(this.key);
		LeaseRequest waiter = this.two.queue(this.two.request(this.key));
		awaitWatchOf(this.two, waiter);
		Clients.deleteNodes(this.one.client, waiter);
		Clients.deleteNodes(this.one.client, holder);
		LeaseRequest other = this.one.acquire(this.key);
		ZooKeeperProcess.await().until(() -> this.two.hints.contains(waiter));
		assertThat(this.two.granted).isEmpty();
		assertThat(this.one.release(other)).isTrue();
	}

	@Test
	void releaseAfterTheEndOfTheSessionIsALoss() throws Exception {
		LeaseRequest lease = this.one.acquire(this.key);
		LeaseRequest placeholder = this.one.acquire(this.key + "-placeholder");
		this.one.client.getZookeeperClient().getZooKeeper().close();
		assertThat(this.one.release(lease)).isFalse();
		assertThat(this.one.backend.releaseWithDelay(placeholder, Duration.ofHours(1), ZooKeeperProcess.TIMEOUT))
			.isFalse();
	}

	@Test
	void waitersThatTimeOutLeaveNothing() throws Exception {
		LeaseRequest holder = this.one.acquire(this.key);
		long watches = watches();
		try (LockEngine engine = engine(this.two)) {
			for (int i = 0; i < 100; i++) {
				assertTimesOut(engine);
			}
			ZooKeeperProcess.await().until(() -> engine.size() == 0);
			ZooKeeperProcess.await().until(() -> nodes().size() == 1);
			ZooKeeperProcess.await().until(this.two.backend::isEmpty);
			// Not before: one that is leaving may watch another that is
			assertThat(watches()).isLessThanOrEqualTo(watches + 1);
			this.one.release(holder);
		}
		assertNothingIsLeft();
	}

	private void assertTimesOut(LockEngine engine) throws InterruptedException {
		try {
			assertThat(engine.acquire(this.key, OPTIONS, Duration.ofMillis(10).toNanos())).isNull();
		}
		catch (EngineException ex) {
			// no answer in time
			assertThat(ex).hasCauseInstanceOf(OutcomeUnknownException.class);
		}
	}

	@Test
	void waitersThatAreInterruptedLeaveNothing() throws Exception {
		LeaseRequest holder = this.one.acquire(this.key);
		long watches = watches();
		try (LockEngine engine = engine(this.two)) {
			List<Thread> threads = new ArrayList<>();
			List<CompletableFuture<Throwable>> failures = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				CompletableFuture<Throwable> failure = new CompletableFuture<>();
				failures.add(failure);
				threads.add(start(failure, () -> engine.acquire(this.key, OPTIONS, Long.MAX_VALUE / 4)));
			}
			ZooKeeperProcess.await().until(() -> nodes().size() > 1);
			threads.forEach(Thread::interrupt);
			for (CompletableFuture<Throwable> failure : failures) {
				assertThat(failure.get()).isInstanceOf(InterruptedException.class);
			}
			ZooKeeperProcess.await().until(() -> nodes().size() == 1);
			ZooKeeperProcess.await().until(this.two.backend::isEmpty);
			assertThat(watches()).isLessThanOrEqualTo(watches + 20);
			this.one.release(holder);
		}
		assertNothingIsLeft();
	}

	private static Thread start(CompletableFuture<Throwable> failure, Callable<Hold> acquisition) {
		Thread thread = new Thread(() -> {
			try {
				acquisition.call();
				failure.complete(new AssertionError("Not interrupted"));
			}
			catch (Throwable ex) {
				failure.complete(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	@Test
	void waitersThatLeaveLeaveNothingAndTheOthersWait() {
		LeaseRequest holder = this.one.acquire(this.key);
		long watches = watches();
		List<LeaseRequest> queue = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			queue.add(this.two.queue(this.two.request(this.key)));
		}
		LeaseRequest last = queue.remove(99);
		Collections.shuffle(queue, new Random(1));
		queue.forEach((request) -> assertThat(this.two.release(request)).isFalse());
		assertStillWaits(this.two, last);
		assertThat(nodes()).hasSize(2);
		// the holder's and its own
		ZooKeeperProcess.await().until(() -> watches() == watches + 2);
		assertThat(this.one.release(holder)).isTrue();
		assertThat(this.two.nextGranted()).isEqualTo(last);
		assertThat(this.two.release(last)).isTrue();
		assertNothingIsLeft();
	}

	@Test
	void deniedAttemptsLeaveNothing() {
		LeaseRequest holder = this.one.acquire(this.key);
		for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(1, 2))) {
			for (int i = 0; i < 10; i++) {
				assertThat(this.two.tryAcquire(this.two.request(this.key, mode))).isInstanceOf(Denial.class);
			}
		}
		assertThat(this.two.tryAcquire(this.two.request(List.of(this.key, this.key + "-2"))))
			.isInstanceOf(Denial.class);
		assertThat(nodes()).hasSize(1);
		this.one.release(holder);
		assertNothingIsLeft();
	}

	/**
	 * An answer may be there before anyone waits for it.
	 */
	@Test
	void attemptsThatAreNotAnsweredInTimeLeaveNothing() {
		int unknown = 0;
		for (int i = 0; i < 20; i++) {
			LeaseRequest request = switch (i % 3) {
				case 0 -> this.two.recallableRequest(this.key);
				case 1 -> this.two.request(this.key);
				default -> severalKeys();
			};
			try {
				this.two.backend.contend(request, Duration.ZERO);
				this.two.release(request);
			}
			catch (OutcomeUnknownException ex) {
				unknown++;
			}
		}
		assertThat(unknown).isPositive();
		this.two.backend.probe(this.two.request("probe"), ZooKeeperProcess.TIMEOUT);
		assertNothingIsLeft();
		ZooKeeperProcess.await().until(() -> nodes(this.key + "-2").isEmpty());
		assertThat(this.one.release(this.one.acquire(severalKeys()))).isTrue();
	}

	@Test
	void interruptDoesNotEndAnAttempt() {
		LeaseRequest request = this.two.request(this.key);
		Thread.currentThread().interrupt();
		assertThat(this.two.tryAcquire(request)).isInstanceOf(Grant.class);
		assertThat(this.two.release(request)).isTrue();
		assertThat(Thread.interrupted()).isTrue();
	}

	private LeaseRequest severalKeys() {
		return this.two.request(List.of(this.key, this.key + "-2"));
	}

	@Test
	void foreignNodeIsRejectedAndNothingIsLeft() throws Exception {
		String foreign = this.paths.of(this.key) + "/lock-0000000001";
		this.one.release(this.one.acquire(this.key));
		this.one.client.create().withMode(CreateMode.EPHEMERAL).forPath(foreign);
		assertRejected(() -> this.two.tryAcquire(this.two.request(this.key)));
		assertRejected(() -> this.two.backend.contend(this.two.request(this.key), ZooKeeperProcess.TIMEOUT));
		assertRejected(() -> this.two.tryAcquire(this.two.request(List.of("a" + this.key, this.key))));
		assertThat(nodes()).containsExactly("lock-0000000001");
		assertThat(this.two.client.getChildren().forPath(this.paths.of("a" + this.key))).isEmpty();
		this.one.client.delete().forPath(foreign);
		this.two.release(this.two.acquire(this.key));
		assertNothingIsLeft();
	}

	private static void assertRejected(Supplier<?> attempt) {
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(attempt::get)
			.withMessageContaining("'lock-0000000001' was not created by this library");
	}

	private LockEngine engine(ZooKeeperProcess process) {
		return new LockEngine(process.backend, EngineSettings.defaults().withOperationTimeout(ZooKeeperProcess.TIMEOUT),
				new EngineListener() {
				}, TimeSource.SYSTEM);
	}

	private static long watches() {
		return server.counters().get("zk_watch_count");
	}

	private List<String> nodes() {
		return nodes(this.key);
	}

	private List<String> nodes(String key) {
		try {
			return this.one.client.getChildren().forPath(this.paths.of(key));
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void assertNothingIsLeft() {
		ZooKeeperProcess.await().untilAsserted(() -> assertThat(nodes()).isEmpty());
		ZooKeeperProcess.await().until(this.one.backend::isEmpty);
		ZooKeeperProcess.await().until(this.two.backend::isEmpty);
	}

}
