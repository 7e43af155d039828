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

package io.github.lockspring.sample.lesson;

import java.util.List;
import java.util.Locale;

import io.github.lockspring.sample.load.Machine;

/**
 * The experiments as a table for the terminal.
 */
final class LessonTable {

	private static final String HEADER = "%-24s %-9s %-30s %-30s %-7s %8s %6s %7s %6s %7s %6s";

	private static final String ROW = "%-24s %-9s %-30s %-30s %-7s %8.1f %6.1f %7.2f %6.2f %7.2f %6.2f";

	private static final String CAPTION = """
			requests, p50, p99  to the store, and milliseconds, for an acquisition with its release that no other
			                    owner wants; the second number is that of this library
			requests            commands of Redis, packets of ZooKeeper, round trips of H2
			stuck               no other owner gets the lock, although no owner is alive or inside
			two inside          an owner has written while a later one was inside
			exact               neither, and each owner released its own lock only
			""";

	private LessonTable() {
	}

	static String format(List<Row> rows) {
		StringBuilder table = new StringBuilder();
		String header = HEADER.formatted("homemade lock", "store", "what was done", "what happened to it", "to ours",
				"requests", "ours", "p50", "ours", "p99", "ours");
		table.append(header).append('\n').append("-".repeat(header.length())).append('\n');
		rows.forEach((row) -> table.append(format(row)).append('\n'));
		table.append('\n').append(CAPTION);
		rows.forEach((row) -> table.append(crowd(row.result())));
		return table.append(Machine.current().describe()).append('\n').toString();
	}

	/**
	 * Where requests were counted, they are a part of the verdict.
	 */
	private static String crowd(Lesson.Result result) {
		Double requests = result.starter().requests();
		return (requests != null) ? String.format(Locale.ROOT, "%-20s%.1f requests for one hand-off of ours%n",
				result.experiment().code(), requests) : "";
	}

	private static String format(Row row) {
		Experiment experiment = row.result().experiment();
		return String.format(Locale.ROOT, ROW, experiment.label(), experiment.store().label(),
				experiment.fault().words(), row.result().homemade().words(), row.result().starter().words(),
				row.homemade().requests(), row.starter().requests(), row.homemade().latencies().percentile(50),
				row.starter().latencies().percentile(50), row.homemade().latencies().percentile(99),
				row.starter().latencies().percentile(99));
	}

	/**
	 * An experiment and the costs of both locks.
	 */
	record Row(Lesson.Result result, Cost homemade, Cost starter) {

	}

}
