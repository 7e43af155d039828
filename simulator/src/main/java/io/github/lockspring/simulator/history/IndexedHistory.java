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

package io.github.lockspring.simulator.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.history.LockFact.Checked;
import io.github.lockspring.simulator.history.LockFact.Granted;
import io.github.lockspring.simulator.history.LockFact.LossTold;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.Requested;
import io.github.lockspring.simulator.history.PrimitiveFact.BecameLeader;
import io.github.lockspring.simulator.history.PrimitiveFact.CheckedLeader;
import io.github.lockspring.simulator.history.PrimitiveFact.StoppedLeading;

/**
 * History with what the rules need to know of it. The term of a leader is the claim of an
 * exclusive lock.
 */
final class IndexedHistory {

	static final String ELECTION = "election ";

	private final List<Event> events;

	private final Bounds bounds;

	private final Map<Long, Operation> operations = new LinkedHashMap<>();

	private final Set<String> processes = new LinkedHashSet<>();

	private final Disturbances disturbances;

	IndexedHistory(History history, Bounds bounds) {
		this.events = history.events();
		this.bounds = bounds;
		for (int line = 0; line < this.events.size(); line++) {
			Event event = this.events.get(line);
			if (event.fact() instanceof Fact.OfOperation || event.fact() instanceof Fact.ProcessChanged) {
				this.processes.add(event.process());
			}
			add(event, line);
		}
		this.disturbances = new Disturbances(history, this.processes, bounds);
	}

	private void add(Event event, int line) {
		if (event.fact() instanceof BecameLeader leader) {
			Requested request = new Requested(leader.operation(), List.of(ELECTION + leader.election()), Mode.EXCLUSIVE,
					1, 1, false, 0, LockFact.FOREVER);
			this.operations.put(leader.operation(), new Operation(request, event, line));
		}
		LockFact fact = lockFact(event);
		if (fact instanceof Requested request) {
			this.operations.put(request.operation(), new Operation(request, event, line));
		}
		else if (fact != null && this.operations.containsKey(fact.operation())) {
			this.operations.get(fact.operation()).add(fact, line);
		}
	}

	private static @Nullable LockFact lockFact(Event event) {
		Fact fact = event.fact();
		if (fact instanceof BecameLeader leader) {
			return new Granted(leader.operation(), leader.token());
		}
		if (fact instanceof CheckedLeader check) {
			return new Checked(check.operation(), check.leads(), LockFact.NO_TOKEN);
		}
		if (fact instanceof StoppedLeading stopped) {
			return new LossTold(stopped.operation());
		}
		return (fact instanceof LockFact lockFact) ? lockFact : null;
	}

	List<Event> events() {
		return this.events;
	}

	Bounds bounds() {
		return this.bounds;
	}

	Disturbances disturbances() {
		return this.disturbances;
	}

	Set<String> processes() {
		return this.processes;
	}

	/**
	 * Return the operations in the order of their requests.
	 */
	Collection<Operation> operations() {
		return this.operations.values();
	}

	@Nullable Operation operation(long id) {
		return this.operations.get(id);
	}

	/**
	 * Return the operations that were granted, in the order of their grants.
	 */
	List<Operation> grants() {
		List<Operation> grants = new ArrayList<>(this.operations.values());
		grants.removeIf((operation) -> operation.granted < 0);
		grants.sort(Comparator.comparingInt((operation) -> operation.granted));
		return grants;
	}

	long time(int line) {
		return this.events.get(line).time();
	}

	long endTime() {
		return this.events.isEmpty() ? 0 : time(this.events.size() - 1);
	}

}
