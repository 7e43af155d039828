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
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The connection of a holder breaks, for a shorter or longer time than its session lasts.
 */
class ZooKeeperConnectionLostServerTests {

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofMinutes(1), true);

	/**
	 * Half of it is enough for the one that comes back late on a machine with much else
	 * to do.
	 */
	private static final Duration LONG = Duration.ofSeconds(16);

	private static final Duration SHORT = Duration.ofSeconds(2);

	private static ZooKeeperServer server;

	private final AtomicInteger notified = new AtomicInteger();

	private FaultRun run;

	private FaultProxy proxy;

	private ZooKeeperStore store;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.builder().sessionTimeouts(SHORT, LONG).start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void start() {
		this.run = new FaultRun(getClass().getSimpleName(),
				EngineSettings.defaults().withRenewInterval(Duration.ofMillis(200)));
		this.proxy = FaultProxy.zooKeeper(server.host(), server.port());
		this.store = new ZooKeeperStore(server.connectString(), LONG);
	}

	@AfterEach
	void stop() {
		this.run.close();
		this.proxy.close();
	}

	@Test
	void holeOfHalfASessionLosesNothing() throws Exception {
		EngineProcess holder = this.run.startProcess(ZooKeeperStore.through(this.proxy, LONG));
		EngineProcess other = this.run.startProcess(this.store);
		for (int i = 0; i < FaultRun.SCALE; i++) {
			Hold hold = hold(holder);
			this.proxy.hole(Direction.BOTH);
			assertThat(this.run.acquire(other, "key", OPTIONS, LONG.dividedBy(2))).isNull();
			this.proxy.heal();
			assertStillHeld(hold);
			assertThat(this.run.acquire(other, "key", OPTIONS, Duration.ZERO)).isNull();
			assertThat(this.run.release(hold)).isTrue();
		}
		assertThat(this.run.losses()).isZero();
		assertEnd(holder, other);
	}

	@Test
	void nothingCountsAsHeldWhileTheConnectionIsBroken() throws Exception {
		EngineProcess holder = this.run.startProcess(ZooKeeperStore.through(this.proxy, LONG));
		EngineProcess other = this.run.startProcess(this.store);
		for (int i = 0; i < 3 * FaultRun.SCALE; i++) {
			Hold hold = hold(holder);
			this.proxy.refuse();
			this.proxy.cut();
			FaultRun.eventually().until(() -> !hold.isHeld());
			assertThat(hold.hasLease()).isTrue();
			assertThat(hold.remaining()).isZero();
			assertThat(this.run.acquire(other, "key", OPTIONS, Duration.ofMillis(200))).isNull();
			assertThat(hold.isHeld()).isFalse();
			this.proxy.heal();
			assertStillHeld(hold);
			assertThat(this.run.release(hold)).isTrue();
		}
		assertThat(this.run.losses()).isZero();
		assertEnd(holder, other);
	}

	@Test
	void holeOfTwoSessionsLosesTheLeaseBeforeAnotherGetsIt() throws Exception {
		EngineProcess holder = this.run.startProcess(ZooKeeperStore.through(this.proxy, SHORT));
		EngineProcess other = this.run.startProcess(this.store);
		for (int i = 0; i < FaultRun.SCALE; i++) {
			long asked = System.nanoTime();
			Hold hold = hold(holder);
			Thread holding = this.run.startThread("holding", () -> this.run.observe("holder", asked, hold));
			this.proxy.hole(Direction.BOTH);
			long from = System.nanoTime();
			takeTurn(other, "other", () -> assertThat(hold.hasLease()).isFalse());
			holding.join(FaultRun.MAX_WAIT.toMillis());
			Thread.sleep(Math.max(0, SHORT.multipliedBy(2).minusNanos(System.nanoTime() - from).toMillis()));
			this.proxy.heal();
			FaultRun.eventually().until(() -> this.notified.get() == 1);
			int losses = i + 1;
			FaultRun.eventually()
				.untilAsserted(() -> assertThat(holder.lostTokens).hasSize(losses).contains(hold.token()));
			assertThat(this.run.release(hold)).isFalse();
			takeTurn(holder, "holder", () -> assertThat(hold.isHeld()).isFalse());
			assertThat(this.notified).hasValue(1);
		}
		this.run.assertExclusion();
		assertEnd(holder, other);
	}

	private Hold hold(EngineProcess process) {
		Hold hold = this.run.acquire(process, "key", OPTIONS, FaultRun.MAX_WAIT);
		this.notified.set(0);
		hold.onLost(this.notified::incrementAndGet);
		return hold;
	}

	private void takeTurn(EngineProcess process, String name, Runnable check) {
		long asked = System.nanoTime();
		Hold hold = this.run.acquire(process, "key", OPTIONS, FaultRun.MAX_WAIT);
		assertThat(hold).as(name).isNotNull();
		check.run();
		this.run.use(name, asked, hold, Duration.ofMillis(1));
	}

	private void assertStillHeld(Hold hold) {
		long token = hold.token();
		FaultRun.eventually().until(() -> hold.isHeld() && hold.remaining().compareTo(Duration.ZERO) > 0);
		assertThat(hold.token()).isEqualTo(token);
		assertThat(this.notified).hasValue(0);
	}

	private void assertEnd(EngineProcess holder, EngineProcess other) throws InterruptedException {
		takeTurn(holder, "holder", () -> {
		});
		takeTurn(other, "other", () -> {
		});
		this.run.awaitThreads();
		FaultRun.eventually().untilAsserted(this.store::assertNothingLeft);
		this.run.assertNoViolations();
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

}
