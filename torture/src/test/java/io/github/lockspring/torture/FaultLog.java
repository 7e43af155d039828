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

package io.github.lockspring.torture;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.lockspring.simulator.history.Event;
import io.github.lockspring.simulator.history.Fact;
import io.github.lockspring.simulator.history.Fact.FaultBegun;
import io.github.lockspring.simulator.history.Fact.FaultEnded;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.LockFact.Written;

/**
 * Events of what is not a worker: faults, and a resource that rejects smaller tokens than
 * it has seen. Thread-safe.
 */
final class FaultLog {

	/**
	 * Target of a fault that affects all processes.
	 */
	static final String ALL = "all";

	private final List<Event> events = new ArrayList<>();

	private final Map<TortureFault, Integer> counts = new EnumMap<>(TortureFault.class);

	private final Map<String, Long> tokens = new HashMap<>();

	private long faults;

	synchronized void record(String process, Fact fact) {
		record(process, "", fact);
	}

	private void record(String process, String worker, Fact fact) {
		this.events.add(new Event(System.nanoTime(), process, worker, fact));
	}

	/**
	 * Record the begin of a fault.
	 * @return its number
	 */
	synchronized long begin(FaultKind kind, String target) {
		record("faults", new FaultBegun(++this.faults, kind, target));
		return this.faults;
	}

	synchronized void end(long fault) {
		record("faults", new FaultEnded(fault));
	}

	/**
	 * Record that there was no answer, whatever was asked, because the machine had no
	 * time.
	 */
	synchronized void stalled(long from, long to) {
		this.events.add(new Event(from, "faults", "", new FaultBegun(++this.faults, FaultKind.DELAYED, ALL)));
		this.events.add(new Event(to, "faults", "", new FaultEnded(this.faults)));
	}

	synchronized void count(TortureFault fault) {
		this.counts.merge(fault, 1, Integer::sum);
	}

	/**
	 * Decide about a write.
	 * @param write the write, as its event in the worker
	 */
	synchronized void write(Event write) {
		Written fact = (Written) write.fact();
		boolean accepted = this.tokens.merge(fact.resource(), fact.token(), Math::max) == fact.token();
		record(write.process(), write.worker(), new Written(fact.operation(), fact.resource(), fact.token(), accepted));
	}

	synchronized List<Event> events() {
		return List.copyOf(this.events);
	}

	/**
	 * Return how often each fault has happened.
	 */
	synchronized Map<TortureFault, Integer> counts() {
		return new EnumMap<>(this.counts);
	}

}
