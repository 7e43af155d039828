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

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.history.Fact;
import io.github.lockspring.simulator.history.History;
import io.github.lockspring.simulator.history.LockFact.Written;
import io.github.lockspring.simulator.machine.Scheduler;

/**
 * Processes that lock the same keys on one store, while faults happen.
 */
public final class Cluster implements Workplace, AutoCloseable {

	/**
	 * Time in which everything heals after the faults, in leases.
	 */
	private static final int HEALING_LEASES = 4;

	private final Scheduler scheduler;

	private final ClusterSettings settings;

	private final Server server;

	private final List<Server> servers;

	private final SimulatedStore store;

	private final List<ClusterMember> members = new ArrayList<>();

	private final History history = new History();

	/**
	 * Largest token that a resource has seen, by its key.
	 */
	private final Map<String, Long> resources = new HashMap<>();

	private final Faults faults;

	private long operations;

	private boolean ending;

	/**
	 * Create a cluster.
	 * @param seed the seed of all decisions
	 * @param settings the settings
	 * @param store makes the store
	 */
	public Cluster(long seed, ClusterSettings settings, Function<Server, SimulatedStore> store) {
		this.scheduler = new Scheduler(seed);
		this.scheduler.overtakeAtOneOf(settings.overtakeAtOneOf());
		this.server = new Server(this.scheduler, "server");
		this.store = store.apply(this.server);
		this.servers = new ArrayList<>(List.of(this.server));
		this.servers.addAll(this.store.otherServers());
		Set<ClusterWork> works = EnumSet.copyOf(settings.works());
		works.retainAll(this.store.works());
		this.settings = settings.withWorks(works);
		for (int i = 1; i <= settings.processes(); i++) {
			this.members.add(new ClusterMember(this, "process-" + i));
		}
		this.faults = new Faults(this);
	}

	/**
	 * Run the whole simulation.
	 * @return what happened
	 */
	public History run() {
		this.members.forEach(ClusterMember::start);
		this.faults.start();
		this.scheduler.run(this.settings.duration().toNanos());
		this.faults.heal();
		Duration healing = this.settings.lease().multipliedBy(HEALING_LEASES);
		this.scheduler.run(healing.toNanos());
		this.ending = true;
		this.scheduler.run(healing.toNanos());
		return this.history;
	}

	public Scheduler scheduler() {
		return this.scheduler;
	}

	public Server server() {
		return this.server;
	}

	@Override
	public ClusterSettings settings() {
		return this.settings;
	}

	List<Server> servers() {
		return this.servers;
	}

	SimulatedStore store() {
		return this.store;
	}

	List<ClusterMember> members() {
		return this.members;
	}

	SplittableRandom random() {
		return this.scheduler.random();
	}

	@Override
	public boolean isEnding() {
		return this.ending;
	}

	@Override
	public long nextOperation() {
		return ++this.operations;
	}

	@Override
	public void record(String process, String worker, Fact fact) {
		this.history.add(this.scheduler.now(), process, worker, fact);
	}

	/**
	 * No virtual time passes between a look and its record.
	 */
	@Override
	public <F extends @Nullable Fact> F look(String process, String worker, Supplier<F> look) {
		F found = look.get();
		if (found != null) {
			record(process, worker, found);
		}
		return found;
	}

	@Override
	public void write(String process, String worker, Written write, long delay) {
		this.scheduler.after(delay, null, () -> {
			boolean accepted = this.resources.merge(write.resource(), write.token(), Math::max) == write.token();
			record(process, worker, new Written(write.operation(), write.resource(), write.token(), accepted));
		});
	}

	@Override
	public void close() {
		this.scheduler.close();
	}

}
