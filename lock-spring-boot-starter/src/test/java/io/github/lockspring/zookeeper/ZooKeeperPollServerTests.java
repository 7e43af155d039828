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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link ZooKeeperLockBackend#poll}: nothing is asked about those who wait as long as
 * their watches stand, and no one is believed to wait whose watches may have been lost.
 */
class ZooKeeperPollServerTests {

	private static ZooKeeperServer server;

	private final String key = "key-" + System.nanoTime();

	private FaultProxy proxy;

	private ZooKeeperProcess holders;

	private ZooKeeperProcess waiters;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.builder().sessionTimeouts(Duration.ofSeconds(1), Duration.ofMinutes(2)).start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void startProcesses() {
		this.proxy = FaultProxy.zooKeeper(server.host(), server.port());
		this.holders = ZooKeeperProcess.on(server.connectString());
		this.waiters = new ZooKeeperProcess(
				Clients.create(this.proxy.host() + ":" + this.proxy.port(), Duration.ofMinutes(1)), Clients.SETTINGS);
	}

	@AfterEach
	void stopProcesses() {
		this.proxy.heal();
		this.holders.close();
		this.waiters.close();
		this.proxy.close();
	}

	@Test
	void manyThatWaitAreDeniedWithoutARequest() {
		List<LeaseRequest> waiting = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			this.holders.acquire(this.key + i);
			waiting.add(this.waiters.queue(this.waiters.request(this.key + i, mode(i))));
		}
		awaitWatchesOf(waiting);
		List<Long> before = requests();
		for (int i = 0; i < 10; i++) {
			Map<LeaseRequest, Denial> denials = poll(waiting);
			assertThat(denials).containsOnlyKeys(waiting);
			assertThat(denials.values())
				.allSatisfy((denial) -> assertThat(denial.retryAfter()).isGreaterThan(Duration.ofDays(36_500)));
		}
		assertThat(requests()).isEqualTo(before);
	}

	private static LeaseMode mode(int number) {
		return (number % 2 == 0) ? LeaseMode.EXCLUSIVE : LeaseMode.SHARED;
	}

	@Test
	void grantFollowsTheDenialOfThePoll() {
		LeaseRequest holder = this.holders.acquire(this.key);
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		awaitWatchesOf(List.of(waiter));
		Denial denial = poll(List.of(waiter)).get(waiter);
		assertThat(denial).isNotNull();
		assertThat(this.holders.release(holder)).isTrue();
		assertThat(this.waiters.nextGranted()).isEqualTo(waiter);
		assertThat(this.waiters.attemptIds).containsEntry(waiter, denial.attemptId());
		assertThat(poll(List.of(waiter))).isEmpty();
	}

	@Test
	void thoseWhoWaitedThroughAReconnectionAreAskedForOnce() {
		this.holders.acquire(this.key);
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		awaitWatchesOf(List.of(waiter));
		int connections = this.proxy.connections();
		this.proxy.cut();
		ZooKeeperProcess.await().until(() -> this.proxy.connections() > connections);
		ZooKeeperProcess.await().until(() -> poll(List.of(waiter)).isEmpty());
		assertThat(poll(List.of(waiter))).isEmpty();
		this.waiters.queue(waiter);
		awaitWatchesOf(List.of(waiter));
	}

	@Test
	void watchWithoutAnAnswerIsNotBelieved() throws Exception {
		LeaseRequest holder = this.holders.acquire(this.key);
		int connections = this.proxy.connections();
		Future<String> watch = this.proxy.dropReplyOf(OpCode.getData);
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		watch.get(ZooKeeperProcess.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		ZooKeeperProcess.await().until(() -> this.proxy.connections() > connections);
		assertThat(poll(List.of(waiter))).isEmpty();
		this.waiters.queue(waiter);
		awaitWatchesOf(List.of(waiter));
		assertThat(this.holders.release(holder)).isTrue();
		assertThat(this.waiters.nextGranted()).isEqualTo(waiter);
	}

	@Test
	void waiterOfAnEndedSessionIsLeftOut() throws Exception {
		this.holders.acquire(this.key);
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		awaitWatchesOf(List.of(waiter));
		this.waiters.client.getZookeeperClient().getZooKeeper().close();
		this.waiters.client.getZookeeperClient().reset();
		assertThat(this.waiters.hints.poll(1, TimeUnit.MINUTES)).isEqualTo(waiter);
		assertThat(poll(List.of(waiter))).isEmpty();
	}

	@Test
	void waiterWhoseNodeWasDeletedIsLeftOut() {
		this.holders.acquire(this.key);
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		awaitWatchesOf(List.of(waiter));
		Clients.deleteNodes(this.holders.client, waiter);
		ZooKeeperProcess.await().until(() -> this.waiters.hints.contains(waiter));
		assertThat(poll(List.of(waiter))).isEmpty();
	}

	@Test
	void waiterStillWaitsWhenOneBeforeItHasLeft() {
		this.holders.acquire(this.key);
		LeaseRequest between = this.holders.queue(this.holders.request(this.key));
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		awaitWatchesOf(List.of(waiter));
		assertThat(this.holders.release(between)).isFalse();
		awaitWatchesOf(List.of(waiter));
		assertThat(this.waiters.granted).isEmpty();
	}

	@Test
	void requestsThatAreHeldOrUnknownAreLeftOut() {
		LeaseRequest held = this.waiters.acquire(this.key);
		LeaseRequest unknown = this.waiters.request(this.key);
		assertThat(poll(List.of(held, unknown))).isEmpty();
	}

	@Test
	void waiterBehindADelayedReleaseGetsTheRemainingDelay() {
		LeaseRequest holder = this.holders.acquire(this.key);
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		awaitWatchesOf(List.of(waiter));
		assertThat(this.holders.backend.releaseWithDelay(holder, Duration.ofHours(1), ZooKeeperProcess.TIMEOUT))
			.isTrue();
		ZooKeeperProcess.await().until(() -> this.waiters.hints.contains(waiter));
		assertThat(poll(List.of(waiter))).isEmpty();
		Denial first = (Denial) this.waiters.backend.contend(waiter, ZooKeeperProcess.TIMEOUT);
		awaitWatchesOf(List.of(waiter));
		assertThat(poll(List.of(waiter)).get(waiter).retryAfter()).isLessThan(first.retryAfter())
			.isGreaterThan(Duration.ofMinutes(30));
	}

	@Test
	void waiterIsAskedForWhenTheRestIsOver() {
		LeaseRequest holder = this.holders.acquire(this.key);
		assertThat(this.holders.backend.releaseWithDelay(holder, Duration.ofSeconds(2), ZooKeeperProcess.TIMEOUT))
			.isTrue();
		this.holders.client.close(); // no other process deletes the placeholder
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		awaitWatchesOf(List.of(waiter));
		ZooKeeperProcess.await().until(() -> poll(List.of(waiter)).isEmpty());
		ZooKeeperProcess.await()
			.until(() -> this.waiters.backend.contend(waiter, ZooKeeperProcess.TIMEOUT) instanceof Grant);
	}

	@Test
	void withoutAConnectionNoDenialIsAnsweredAndNoPlaceIsLost() {
		LeaseRequest holder = this.holders.acquire(this.key);
		LeaseRequest waiter = this.waiters.queue(this.waiters.request(this.key));
		awaitWatchesOf(List.of(waiter));
		this.proxy.refuse();
		this.proxy.cut();
		ZooKeeperProcess.await()
			.untilAsserted(() -> assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> this.waiters.backend.poll(List.of(waiter), Duration.ofMillis(1))));
		this.proxy.heal();
		this.waiters.queue(waiter);
		LeaseRequest next = this.holders.queue(this.holders.request(this.key));
		assertThat(this.holders.release(holder)).isTrue();
		assertThat(this.waiters.nextGranted()).isEqualTo(waiter);
		assertThat(this.waiters.release(waiter)).isTrue();
		assertThat(this.holders.nextGranted()).isEqualTo(next);
	}

	private void awaitWatchesOf(Collection<LeaseRequest> waiting) {
		ZooKeeperProcess.await().until(() -> poll(waiting).size() == waiting.size());
	}

	private Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting) {
		return this.waiters.backend.poll(waiting, ZooKeeperProcess.TIMEOUT);
	}

	/**
	 * How often each kind of request was sent, but for the heartbeats.
	 */
	private List<Long> requests() {
		List<Long> requests = new ArrayList<>();
		for (int opCode = OpCode.notification; opCode <= OpCode.whoAmI; opCode++) {
			requests.add(this.proxy.requests(opCode));
		}
		return requests;
	}

}
