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

package io.github.lockspring.simulator.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import io.github.lockspring.simulator.history.Fact.FaultBegun;
import io.github.lockspring.simulator.history.Fact.FaultEnded;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.Replaced;

/**
 * Lets faults happen at random, and end.
 */
final class Faults {

	/**
	 * Faults of which one makes a promise void that holds under another: about tokens,
	 * and about the time that one of two clocks shows.
	 */
	private static final List<List<ClusterFault>> APART = List.of(
			List.of(ClusterFault.SERVER_CLOCK_BACK, ClusterFault.DATA_LOST, ClusterFault.FAILED_OVER),
			List.of(ClusterFault.PROCESS_CLOCK_JUMPED, ClusterFault.PROCESS_SUSPENDED));

	private final Cluster cluster;

	private final SplittableRandom random;

	private final List<ClusterFault> kinds;

	/**
	 * What ends the faults that last.
	 */
	private final List<Runnable> ends = new ArrayList<>();

	private boolean healed;

	private long clockStoodUntil;

	private long count;

	Faults(Cluster cluster) {
		this.cluster = cluster;
		this.random = cluster.random().split();
		this.kinds = new ArrayList<>(cluster.settings().faults().stream().sorted().toList());
		if (!cluster.store().hasSubscriptions()) {
			this.kinds.remove(ClusterFault.SUBSCRIPTIONS_LOST);
		}
		for (List<ClusterFault> each : APART) {
			List<ClusterFault> others = new ArrayList<>(each);
			others.remove(this.random.nextInt(others.size()));
			this.kinds.removeAll(others);
		}
	}

	void start() {
		if (!this.kinds.isEmpty()) {
			next();
			remember();
		}
	}

	private void next() {
		long mean = this.cluster.settings().faultEvery().toNanos();
		after(this.random.nextLong(2 * mean), () -> {
			if (!this.healed) {
				happen(this.kinds.get(this.random.nextInt(this.kinds.size())));
				next();
			}
		});
	}

	private void remember() {
		this.cluster.store().remember();
		after(this.random.nextLong(leases(1)), this::remember);
	}

	/**
	 * End all faults, for good.
	 */
	void heal() {
		this.healed = true;
		List.copyOf(this.ends).forEach(Runnable::run);
	}

	private void happen(ClusterFault fault) {
		ClusterMember member = this.cluster.members().get(this.random.nextInt(this.cluster.members().size()));
		Server server = oneOf(this.cluster.servers());
		switch (fault) {
			case PROCESS_PAUSED -> pause(member, ProcessChange.PAUSED, nextDuration(), Node::resume);
			case PROCESS_SUSPENDED ->
				pause(member, ProcessChange.SUSPENDED, this.random.nextLong(leases(3)), Node::resumeAfterSuspension);
			case PROCESS_KILLED -> kill(member);
			case PROCESS_CLOSED -> close(member);
			case PROCESS_CLOCK_JUMPED -> {
				member.record(ProcessChange.CLOCK_JUMPED);
				member.node().jump(this.random.nextLong(-7_200_000, 7_200_000));
			}
			case PROCESS_CLOCK_DRIFTS -> member.node().setClockRate(1 + (this.random.nextDouble() - 0.5) / 50);
			case THREAD_INTERRUPTED ->
				member.workers().stream().filter((thread) -> this.random.nextBoolean()).forEach(Replaced::interrupt);
			case SERVER_PAUSED -> lasts(FaultKind.DELAYED, server.node().name(), server::pause, server::resume);
			case SERVER_RESTARTED -> lasts(FaultKind.STOPPED, server.node().name(), server::stop, server::start);
			case LINK_CUT -> {
				Link link = oneOf(member.links());
				lasts(FaultKind.PARTITIONED, member.name(), () -> link.cut(true), () -> link.cut(false));
			}
			case LINK_SLOW -> {
				Link link = oneOf(member.links());
				lasts(FaultKind.DELAYED, member.name(), () -> slow(link), link::delayAsUsual);
			}
			case LINK_FAILS -> {
				Link link = oneOf(member.links());
				long slow = this.random.nextLong(leases(1));
				lasts(slow + this.random.nextLong(leases(2)), FaultKind.PARTITIONED, member.name(), () -> {
					slow(link);
					link.cutAfter(slow);
				}, () -> {
					link.cut(false);
					link.delayAsUsual();
				});
			}
			case REPLIES_LOST -> {
				Link link = oneOf(member.links());
				lasts(FaultKind.CALLS_FAILED, member.name(),
						() -> link.lose(this.random.nextInt(2, 20), this.random.nextInt(2, 5)), () -> link.lose(0, 0));
			}
			case CONNECTIONS_LOST -> {
				Link link = oneOf(member.links());
				lasts(FaultKind.CALLS_FAILED, member.name(), () -> link.reset(this.random.nextInt(2, 5)),
						() -> link.reset(0));
			}
			case CALLS_THROW -> {
				Link link = oneOf(member.links());
				lasts(FaultKind.CALLS_FAILED, member.name(), () -> link.throwErrors(this.random.nextInt(2, 20)),
						() -> link.throwErrors(0));
			}
			case SUBSCRIPTIONS_LOST -> at(FaultKind.NOTIFICATION_LOST,
					() -> this.cluster.store().loseSubscriptions(this.random.nextBoolean()));
			case SERVER_CLOCK_BACK -> jumpBack(server);
			case SERVER_CLOCK_FORWARD ->
				at(FaultKind.CLOCK_JUMPED_FORWARD, () -> server.node().jump(this.random.nextLong(10_000)));
			case DATA_LOST -> at(FaultKind.RESTARTED_WITHOUT_DATA, () -> restart(server, SimulatedStore::forget));
			case FAILED_OVER -> at(FaultKind.FAILED_OVER, () -> restart(server, SimulatedStore::failOver));
		}
	}

	private void slow(Link link) {
		link.delay(0, this.cluster.settings().operationTimeout().toNanos());
	}

	/**
	 * Let the clock of the server jump back, as if it had stood still. That ends when the
	 * clock shows the latest time that it has shown, before earlier jumps too.
	 */
	private void jumpBack(Server server) {
		long millis = 1 + this.random.nextLong(10_000);
		long number = begin(FaultKind.CLOCK_STOOD, server.node().name());
		server.node().jump(-millis);
		long now = this.cluster.scheduler().now();
		this.clockStoodUntil = Math.max(now, this.clockStoodUntil) + millis * 1_000_000;
		after(this.clockStoodUntil - now, () -> end(number));
	}

	private void restart(Server server, Consumer<SimulatedStore> between) {
		server.stop();
		between.accept(this.cluster.store().at(server));
		server.start();
	}

	private <T> T oneOf(List<T> all) {
		return all.get((all.size() > 1) ? this.random.nextInt(all.size()) : 0);
	}

	private void pause(ClusterMember member, ProcessChange change, long nanos, Consumer<Node> resume) {
		if (!member.node().isPaused()) {
			member.record(change);
			member.node().pause();
			endAfter(nanos, () -> {
				resume.accept(member.node());
				member.record(ProcessChange.RESUMED);
			});
		}
	}

	private void kill(ClusterMember member) {
		if (member.isRunning() && !member.node().isPaused()) {
			member.kill();
			after(this.random.nextLong(leases(1)), member::start);
		}
	}

	private void close(ClusterMember member) {
		member.close(() -> killLater(member));
	}

	private void killLater(ClusterMember member) {
		after(this.random.nextLong(leases(1)), () -> {
			if (member.node().isPaused()) {
				killLater(member);
			}
			else {
				kill(member);
			}
		});
	}

	private void lasts(FaultKind kind, String target, Runnable begin, Runnable end) {
		lasts(nextDuration(), kind, target, begin, end);
	}

	private void lasts(long nanos, FaultKind kind, String target, Runnable begin, Runnable end) {
		long number = begin(kind, target);
		begin.run();
		endAfter(nanos, () -> {
			end.run();
			end(number);
		});
	}

	private long begin(FaultKind kind, String target) {
		this.cluster.record("faults", "", new FaultBegun(++this.count, kind, target));
		return this.count;
	}

	private void end(long number) {
		this.cluster.record("faults", "", new FaultEnded(number));
	}

	private void at(FaultKind kind, Runnable action) {
		begin(kind, "");
		action.run();
	}

	private void endAfter(long nanos, Runnable end) {
		Runnable once = new Runnable() {

			@Override
			public void run() {
				if (Faults.this.ends.remove(this)) {
					end.run();
				}
			}

		};
		this.ends.add(once);
		after(nanos, once);
	}

	private long nextDuration() {
		return (this.random.nextInt(3) == 0) ? this.random.nextLong(leases(3)) : this.random.nextLong(leases(1) / 2);
	}

	private long leases(int count) {
		return this.cluster.settings().lease().toNanos() * count;
	}

	private void after(long nanos, Runnable action) {
		this.cluster.scheduler().after(nanos, null, action);
	}

}
