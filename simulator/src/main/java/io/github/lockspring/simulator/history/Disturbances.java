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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.history.Fact.FaultBegun;
import io.github.lockspring.simulator.history.Fact.FaultEnded;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.Fact.ProcessChanged;

/**
 * Faults, and pauses and ends of processes, of a history.
 */
final class Disturbances {

	private final List<Disturbance> all = new ArrayList<>();

	/**
	 * Lines at which nothing of a process remained.
	 */
	private final Map<String, TreeSet<Integer>> ends = new HashMap<>();

	/**
	 * Indexes of pauses in which the monotonic clock stood still.
	 */
	private final Set<Integer> suspensions = new HashSet<>();

	private final Set<String> processes;

	private final long endTime;

	private final Bounds bounds;

	Disturbances(History history, Set<String> processes, Bounds bounds) {
		this.processes = processes;
		this.endTime = history.endTime();
		this.bounds = bounds;
		Map<Object, Integer> open = new HashMap<>();
		for (int line = 0; line < history.events().size(); line++) {
			Event event = history.events().get(line);
			if (event.fact() instanceof FaultBegun fault) {
				open.put(fault.fault(), this.all.size());
				long to = fault.kind().lasts() ? this.endTime : event.time();
				this.all.add(new Disturbance(fault.kind(), target(fault), event.time(), to));
			}
			else if (event.fact() instanceof FaultEnded fault) {
				end(open.remove(fault.fault()), event.time());
			}
			else if (event.fact() instanceof ProcessChanged changed) {
				if (changed.change().isEnd()) {
					this.ends.computeIfAbsent(event.process(), (process) -> new TreeSet<>()).add(line);
				}
				change(event, changed.change(), open);
			}
		}
	}

	private void change(Event event, ProcessChange change, Map<Object, Integer> open) {
		String stopping = "stopping " + event.process();
		if (change != ProcessChange.CLOCK_JUMPED && change != ProcessChange.STOPPING) {
			end(open.remove(event.process()), event.time());
		}
		if (change.isEnd()) {
			end(open.remove(stopping), event.time());
		}
		if (change == ProcessChange.SUSPENDED) {
			this.suspensions.add(this.all.size());
		}
		if (change.isPause() || change == ProcessChange.KILLED || change == ProcessChange.STOPPING) {
			open.put((change == ProcessChange.STOPPING) ? stopping : event.process(), this.all.size());
			this.all.add(new Disturbance(null, event.process(), event.time(), this.endTime));
		}
		else if (change == ProcessChange.CLOCK_JUMPED) {
			this.all.add(new Disturbance(null, event.process(), event.time(), event.time()));
		}
	}

	private void end(@Nullable Integer index, long time) {
		if (index != null) {
			Disturbance begun = this.all.get(index);
			this.all.set(index, new Disturbance(begun.kind(), begun.process(), begun.from(), time));
		}
	}

	private @Nullable String target(FaultBegun fault) {
		return this.processes.contains(fault.target()) ? fault.target() : null;
	}

	List<Disturbance> all() {
		return this.all;
	}

	/**
	 * Return whether the documentation excepts what happened in the given time. One
	 * exception may begin before another has ended.
	 */
	boolean isExcepted(long from, long to) {
		long excepted = from;
		for (Disturbance fault : this.all) {
			if (fault.kind() != null && fault.kind().forgets() && fault.from() <= excepted) {
				excepted = Math.max(excepted, fault.to() + this.bounds.afterFault());
			}
		}
		return excepted > from && excepted >= to;
	}

	/**
	 * Return how often a store may have forgotten leases in the given time.
	 */
	long forgot(long from, long to) {
		return this.all.stream()
			.filter((one) -> one.kind() != null && one.kind().forgets() && one.from() >= from && one.from() <= to)
			.count();
	}

	/**
	 * Return for how long a process was disturbed in the given time, or
	 * {@link Long#MAX_VALUE} if something happened that cannot be measured so. A call
	 * that was lost shortly before the end of one fault may last until the next.
	 */
	long disturbed(String process, long from, long to) {
		long sum = 0;
		int faults = 0;
		for (Disturbance one : this.all) {
			if (one.affects(process) && one.from() <= to && one.to() >= from) {
				if (one.kind() != null && one.kind().isOfMessage()) {
					sum += this.bounds.callTime();
				}
				else if ((one.kind() != null) ? one.kind().lasts() : one.from() < one.to()) {
					sum += Math.min(one.to(), to) - Math.max(one.from(), from);
					faults++;
				}
				else {
					return Long.MAX_VALUE;
				}
			}
		}
		return sum + Math.max(0, faults - 1) * this.bounds.callTime();
	}

	/**
	 * Return for how long the monotonic clock of a process stood still in the given time.
	 */
	long suspended(String process, long from, long to) {
		return this.suspensions.stream()
			.map(this.all::get)
			.filter((one) -> one.affects(process))
			.mapToLong((one) -> one.overlap(from, to))
			.sum();
	}

	/**
	 * Return for how long faults lasted in the given time that delay what a process has
	 * sent.
	 */
	long delayed(String process, long from, long to) {
		return this.all.stream()
			.filter((one) -> one.kind() != null && one.kind().lasts() && one.affects(process))
			.mapToLong((one) -> one.overlap(from, to))
			.sum();
	}

	/**
	 * Return whether values may have been forgotten in the given time.
	 */
	boolean forgotValues(long from, long to) {
		return this.all.stream()
			.anyMatch(
					(one) -> one.kind() != null && one.kind().forgetsValues() && one.from() <= to && one.to() >= from);
	}

	/**
	 * Return the line at which a process ended after the given line, or
	 * {@link Integer#MAX_VALUE} if it did not.
	 */
	int endAfter(String process, int line) {
		TreeSet<Integer> lines = this.ends.get(process);
		Integer end = (lines != null) ? lines.higher(line) : null;
		return (end != null) ? end : Integer.MAX_VALUE;
	}

	/**
	 * Return the first time at which a process has been running for the given time since
	 * another.
	 */
	long running(String process, long since, long time) {
		long due = since + time;
		for (Disturbance one : this.all) {
			if (one.kind() == null && one.affects(process) && one.from() <= due && one.to() >= since) {
				due = Math.max(due, (one.to() == this.endTime) ? Long.MAX_VALUE : one.to() + time);
			}
		}
		return due;
	}

	/**
	 * Something that disturbs a process, or all of them.
	 *
	 * @param kind the kind of fault, {@code null} for a pause, an end or a clock
	 */
	record Disturbance(@Nullable FaultKind kind, @Nullable String process, long from, long to) {

		boolean affects(String other) {
			return this.process == null || this.process.equals(other);
		}

		long overlap(long from, long to) {
			return Math.max(0, Math.min(this.to, to) - Math.max(this.from, from));
		}

	}

}
