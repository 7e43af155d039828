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

package io.github.lockspring.simulator.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.ReplacedSample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Scheduler}, {@link Node} and what replaces calls.
 */
class SchedulerTests {

	private final Scheduler scheduler = new Scheduler(1);

	private final Node node = new Node(this.scheduler, "a");

	private final Node other = new Node(this.scheduler, "b");

	private final List<String> happened = new ArrayList<>();

	@AfterEach
	void close() {
		this.scheduler.close();
	}

	@Test
	void threadsGoOnInTheOrderOfTheirTimes() {
		sleepAndTell(this.node, 30);
		sleepAndTell(this.node, 10);
		sleepAndTell(this.other, 20);
		this.scheduler.run(25);
		assertThat(this.happened).containsExactly("10", "20");
		assertThat(this.scheduler.now()).isEqualTo(25);
		this.scheduler.run(5);
		assertThat(this.happened).containsExactly("10", "20", "30");
	}

	@Test
	void timeDoesNotPassWhileAThreadRuns() {
		this.node.start("main", () -> {
			long begin = ReplacedSample.clock().getAsLong();
			for (int i = 0; i < 1000; i++) {
				Replaced.point();
			}
			tell(ReplacedSample.clock().getAsLong() - begin);
		});
		sleepAndTell(this.node, 1);
		this.scheduler.run(10);
		assertThat(this.happened).containsExactly("0", "1");
	}

	@Test
	void threadThatWasUnparkedBeforeDoesNotWait() {
		this.node.start("main", () -> {
			Replaced.unpark(Thread.currentThread());
			Replaced.unpark(Thread.currentThread());
			ReplacedSample.park(10);
			tell(this.scheduler.now());
			ReplacedSample.park(10);
			tell(this.scheduler.now());
		});
		this.scheduler.run(100);
		assertThat(this.happened).containsExactly("0", "10");
	}

	@Test
	void interruptEndsAWait() {
		Thread waiting = sleepAndTell(this.node, 50);
		this.scheduler.after(20, this.node, () -> Replaced.interrupt(waiting));
		this.scheduler.run(30);
		assertThat(this.happened).containsExactly("20");
	}

	@Test
	void nodeThatIsPausedGoesOnLater() {
		sleepAndTell(this.node, 10);
		sleepAndTell(this.other, 12);
		this.scheduler.after(5, null, this.node::pause);
		this.scheduler.after(40, null, this.node::resume);
		this.scheduler.run(100);
		assertThat(this.happened).containsExactly("12", "40");
	}

	@Test
	void threadsOfANodeThatIsKilledEnd() {
		this.node.start("main", () -> {
			try {
				ReplacedSample.park(10);
				tell("reached");
			}
			catch (RuntimeException ex) {
				tell("caught");
			}
		});
		sleepAndTell(this.other, 10);
		this.scheduler.after(5, null, this.node::kill);
		this.scheduler.run(100);
		assertThat(this.happened).containsExactly("10");
		assertThat(this.node.liveThreads()).isZero();
	}

	@Test
	void eachNodeHasItsClocks() {
		this.node.setClockRate(2);
		this.other.jump(5_000);
		tellTimes(this.node);
		tellTimes(this.other);
		this.scheduler.run(10_000_000_000L);
		assertThat(this.happened).containsExactlyInAnyOrder("a 1000000000 1000", "b 1000000000 6000");
		assertThat(this.scheduler.now()).isEqualTo(10_000_000_000L);
	}

	@Test
	void monotonicClockStandsStillWhileTheMachineIsSuspended() {
		this.node.setClockRate(0.5);
		long begin = this.node.nanoTime();
		long beginMillis = this.node.currentTimeMillis();
		this.scheduler.after(1_000_000_000, null, this.node::pause);
		this.scheduler.after(5_000_000_000L, null, this.node::resumeAfterSuspension);
		this.scheduler.run(6_000_000_000L);
		assertThat(this.node.nanoTime() - begin).isEqualTo(1_000_000_000);
		assertThat(this.node.currentTimeMillis() - beginMillis).isEqualTo(3_000);
	}

	private void tellTimes(Node node) {
		long begin = node.nanoTime();
		long beginMillis = this.node.currentTimeMillis();
		node.start("main", () -> {
			ReplacedSample.park(1_000_000_000);
			tell(node + " " + (ReplacedSample.clock().getAsLong() - begin) + " "
					+ (ReplacedSample.millis() - beginMillis));
		});
	}

	@Test
	void threadThatWaitsForAMonitorLetsOthersRun() {
		ReplacedSample sample = new ReplacedSample();
		for (int i = 0; i < 3; i++) {
			stay(() -> ReplacedSample.stayInStatic(10));
		}
		this.scheduler.run(35);
		for (int i = 0; i < 3; i++) {
			stay(() -> sample.stayInMethod(10, sample));
		}
		this.scheduler.run(35);
		for (int i = 0; i < 3; i++) {
			stay(() -> sample.stayInBlock(10));
		}
		this.scheduler.run(35);
		for (int i = 0; i < 3; i++) {
			stay(() -> sample.stayUnderLock(10));
		}
		this.scheduler.run(35);
		assertThat(this.happened).containsExactly("0 at 10", "0 at 20", "0 at 30", "0 at 45", "0 at 55", "0 at 65",
				"0 at 80", "0 at 90", "0 at 100", "0 at 115", "0 at 125", "0 at 135");
	}

	private void stay(IntSupplier alone) {
		this.node.start("main", () -> tell(alone.getAsInt() + " at " + this.scheduler.now()));
	}

	@Test
	void monitorIsEnteredAgainAndLeftByAnException() {
		ReplacedSample sample = new ReplacedSample();
		this.node.start("main", () -> {
			assertThat(sample.enterAgain()).isEqualTo(3);
			assertThatIllegalStateException().isThrownBy(() -> sample.fail(List.of("a"))).withMessage("[a]");
			this.node.start("other", () -> tell(sample.stayInMethod(1, sample)));
		});
		this.scheduler.run(10);
		assertThat(this.happened).containsExactly("0");
	}

	@Test
	void failureOfAThreadEndsTheSimulation() {
		this.node.start("main", () -> {
			throw new UnsupportedOperationException("broken");
		});
		assertThatIllegalStateException().isThrownBy(() -> this.scheduler.run(10))
			.withRootCauseInstanceOf(UnsupportedOperationException.class);
	}

	@Test
	void seedDecidesTheOrder() {
		List<List<String>> orders = new ArrayList<>();
		for (long seed = 0; seed < 20; seed++) {
			orders.add(order(seed));
			assertThat(order(seed)).isEqualTo(orders.get(orders.size() - 1));
		}
		assertThat(orders).doesNotHaveDuplicates();
	}

	private static List<String> order(long seed) {
		List<String> order = new ArrayList<>();
		try (Scheduler scheduler = new Scheduler(seed)) {
			Node node = new Node(scheduler, "a");
			for (int i = 0; i < 20; i++) {
				String name = String.valueOf(i);
				node.start(name, () -> order.add(name));
			}
			scheduler.run(1);
		}
		return order;
	}

	private Thread sleepAndTell(Node node, long nanos) {
		return node.start("sleeper", () -> {
			ReplacedSample.park(nanos);
			tell(this.scheduler.now());
		});
	}

	private void tell(Object what) {
		this.happened.add(String.valueOf(what));
	}

}
