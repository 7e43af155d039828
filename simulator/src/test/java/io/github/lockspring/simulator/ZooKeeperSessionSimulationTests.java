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

package io.github.lockspring.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.SimulatedTemplate;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.simulator.cluster.ClusterProcess;
import io.github.lockspring.simulator.cluster.Link;
import io.github.lockspring.simulator.cluster.Server;
import io.github.lockspring.simulator.cluster.SimulatedZooKeeper;
import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.Replaced;
import io.github.lockspring.simulator.machine.Scheduler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Simulates what happens on ZooKeeper by other hands than those of its clients: a session
 * is ended while its client is connected, and the sequence numbers of a node run out.
 */
class ZooKeeperSessionSimulationTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final long MILLI = 1_000_000;

	private final List<String> told = new ArrayList<>();

	private Scheduler scheduler;

	private Server server;

	private SimulatedZooKeeper store;

	private int processes;

	private int inside;

	private int entered;

	@AfterEach
	void close() {
		this.scheduler.close();
	}

	/**
	 * The next renewal is later than the end of this test.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void endOfASessionIsToldAtOnce(long seed) {
		begin(seed);
		start((node, locks) -> {
			for (int i = 0; i < 3; i++) {
				LockHandle handle = locks.acquire("key-" + i);
				handle.onLost(() -> this.told.add(handle.key()));
			}
			this.store.servers().expireAny();
		});
		this.scheduler.run(400 * MILLI);
		assertThat(this.told).hasSize(3);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void nextSessionAcquires(long seed) {
		begin(seed);
		start((node, locks) -> {
			for (int i = 0; i < 5; i++) {
				LockHandle handle = locks.acquire("key-" + i);
				this.entered++;
				this.store.servers().expireAny();
				sleep(500 * MILLI);
				assertThat(handle.isHeld()).isFalse();
			}
		});
		this.scheduler.run(20_000 * MILLI);
		assertThat(this.entered).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void sequenceNumbersThatAreUsedUpExcludeEachOther(long seed) {
		begin(seed);
		this.store.servers().setFirstSequence(Integer.MAX_VALUE - 3);
		for (int i = 0; i < 4; i++) {
			start(this::enterOften);
		}
		this.scheduler.run(60_000 * MILLI);
		assertThat(this.entered).isEqualTo(40);
	}

	private void enterOften(Node node, LockTemplate locks) {
		for (int i = 0; i < 10; i++) {
			try (LockHandle handle = locks.acquire("key")) {
				this.inside++;
				this.entered++;
				assertThat(this.inside).isEqualTo(1);
				sleep(this.scheduler.random().nextLong(20 * MILLI));
				this.inside--;
			}
			sleep(this.scheduler.random().nextLong(5 * MILLI));
		}
	}

	private void begin(long seed) {
		this.scheduler = new Scheduler(seed);
		this.server = new Server(this.scheduler, "server");
		this.store = new SimulatedZooKeeper(this.server);
	}

	private void start(BiConsumer<Node, LockTemplate> work) {
		Node node = new Node(this.scheduler, "process-" + ++this.processes);
		Link link = new Link(node, this.server);
		ClusterProcess process = new ClusterProcess(node);
		process.start(() -> this.store.backend(link), EngineSettings.defaults(), EngineListener.NONE,
				() -> work.accept(node, SimulatedTemplate.on(process.engine(),
						LockOptions.defaults().withLeaseTime(LEASE).withWaitTime(Duration.ofSeconds(20)))));
	}

	private void sleep(long nanos) {
		for (long end = this.scheduler.now() + nanos; this.scheduler.now() < end;) {
			Replaced.parkNanos(this, end - this.scheduler.now());
		}
	}

}
