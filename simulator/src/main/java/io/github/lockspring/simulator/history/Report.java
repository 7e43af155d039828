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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.github.lockspring.simulator.history.Fact.FaultBegun;
import io.github.lockspring.simulator.history.LockFact.Failed;
import io.github.lockspring.simulator.history.LockFact.NotAcquired;

/**
 * What a checker found in one history, or in several, and their numbers. Not thread-safe.
 */
public final class Report {

	private final List<Finding> findings = new ArrayList<>();

	private final Map<String, Long> counts = new TreeMap<>();

	private final Map<String, List<Long>> times = new TreeMap<>();

	Report(IndexedHistory history, List<Finding> findings) {
		this.findings.addAll(findings);
		findings.forEach((finding) -> add((finding.excepted() ? "excepted: " : "violations: ") + finding.rule(), 1));
		this.counts.put("histories", 1L);
		this.counts.put("events", (long) history.events().size());
		history.events().forEach((event) -> count(event.fact()));
		history.operations().forEach((operation) -> measure(operation, history));
		measureHandOffs(history);
	}

	/**
	 * Create an empty report, to which others are added.
	 */
	public Report() {
	}

	/**
	 * Add the findings and numbers of another report to this one.
	 * @param other the other report
	 * @return this report
	 */
	public Report add(Report other) {
		this.findings.addAll(other.findings);
		other.counts.forEach((name, count) -> this.counts.merge(name, count, Long::sum));
		other.times.forEach((name, more) -> this.times.computeIfAbsent(name, (n) -> new ArrayList<>()).addAll(more));
		return this;
	}

	/**
	 * Return all findings.
	 * @return the findings, in the order in which the rules were checked
	 */
	public List<Finding> findings() {
		return List.copyOf(this.findings);
	}

	/**
	 * Return the findings that the documentation does not except.
	 * @return the violations
	 */
	public List<Finding> violations() {
		return this.findings.stream().filter((finding) -> !finding.excepted()).toList();
	}

	/**
	 * Return the findings that the documentation excepts.
	 * @return what was counted
	 */
	public List<Finding> excepted() {
		return this.findings.stream().filter(Finding::excepted).toList();
	}

	/**
	 * Return a number.
	 * @param name its name in the text, for example {@code "granted"}
	 * @return the number, 0 if there is none of this name
	 */
	public long count(String name) {
		return this.counts.getOrDefault(name, 0L);
	}

	private void count(Fact fact) {
		if (fact instanceof FaultBegun fault) {
			add("faults: " + fault.kind(), 1);
		}
		else if (fact instanceof Fact.ProcessChanged changed) {
			add("processes: " + changed.change(), 1);
		}
		else {
			add(EventText.name(fact.getClass().getSimpleName()), 1);
		}
	}

	private void add(String name, long count) {
		this.counts.merge(name, count, Long::sum);
	}

	private void measure(Operation operation, IndexedHistory history) {
		if (operation.answered >= 0 && operation.request.waitTime() != LockFact.FOREVER) {
			Fact answer = history.events().get(operation.answered).fact();
			if (answer instanceof NotAcquired || answer instanceof Failed) {
				long late = history.time(operation.answered) - history.time(operation.requested)
						- operation.request.waitTime();
				time("lateness", Math.max(0, late));
			}
		}
	}

	/**
	 * The time of a hand-off is that from the begin of a release to the next grant to one
	 * that waited then.
	 */
	private void measureHandOffs(IndexedHistory history) {
		Map<String, Integer> released = new HashMap<>();
		for (int line = 0; line < history.events().size(); line++) {
			Operation operation = (history.events().get(line).fact() instanceof LockFact fact)
					? history.operation(fact.operation()) : null;
			if (operation != null) {
				for (String key : operation.request.keys()) {
					if (line == operation.releaseBegun) {
						released.put(key, line);
					}
					else if (line == operation.granted && released.containsKey(key)) {
						int since = released.remove(key);
						if (operation.requested < since) {
							time("hand-off", history.time(line) - history.time(since));
						}
					}
				}
			}
		}
	}

	private void time(String name, long nanos) {
		this.times.computeIfAbsent(name, (n) -> new ArrayList<>()).add(nanos);
	}

	/**
	 * Return the numbers as text: one line for each, and the quantiles of the times.
	 */
	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		this.counts.forEach((name, count) -> text.append(String.format(Locale.ROOT, "%-40s %12d\n", name, count)));
		this.times.forEach((name, unsorted) -> {
			long[] sorted = unsorted.stream().mapToLong(Long::longValue).sorted().toArray();
			text.append(String.format(Locale.ROOT, "%-40s", name + " (ms): 50 %, 90 %, 99 %, 100 %"));
			for (double quantile : new double[] { 0.5, 0.9, 0.99, 1 }) {
				text.append(String.format(Locale.ROOT, " %12.3f",
						sorted[(int) Math.ceil(quantile * sorted.length) - 1] / 1e6));
			}
			text.append('\n');
		});
		return text.toString();
	}

}
