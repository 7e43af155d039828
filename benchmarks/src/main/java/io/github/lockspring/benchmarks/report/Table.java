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

package io.github.lockspring.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Figures of several contestants, side by side: medians over the repetitions, the range
 * of the main figure, and its ratio to that of the first contestant. Prints as Markdown.
 */
public final class Table {

	private final Map<String, List<Figures>> repetitions;

	/**
	 * Creates the table.
	 * @param repetitions the figures of each contestant, in the order of the rows
	 */
	public Table(Map<String, List<Figures>> repetitions) {
		this.repetitions = repetitions;
	}

	@Override
	public String toString() {
		List<List<String>> rows = new ArrayList<>();
		rows.add(header());
		rows.add(rows.get(0).stream().map((title) -> (rows.get(0).indexOf(title) == 0) ? "---" : "---:").toList());
		this.repetitions.forEach((contestant, runs) -> rows.add(row(contestant, runs)));
		return rows.stream().map((row) -> "| " + String.join(" | ", row) + " |").collect(Collectors.joining("\n"));
	}

	private List<String> header() {
		Figures first = first().get(0);
		List<String> titles = new ArrayList<>(List.of("contestant", first.mainName(), "range", "ratio"));
		titles.addAll(others(first));
		return titles;
	}

	private List<String> row(String contestant, List<Figures> runs) {
		Figures medians = Figures.median(runs);
		String name = medians.mainName();
		double[] values = Figures.values(runs, name);
		List<String> cells = new ArrayList<>(List.of(contestant, number(medians.get(name)),
				number(values[0]) + "–" + number(values[values.length - 1]),
				number(medians.get(name) / Figures.median(first()).get(name))));
		others(medians).forEach((other) -> cells.add(number(medians.get(other))));
		return cells;
	}

	private List<Figures> first() {
		return this.repetitions.values().iterator().next();
	}

	private static List<String> others(Figures figures) {
		return figures.names().stream().skip(1).toList();
	}

	/**
	 * Writes a number with three digits or more.
	 * @param value the number
	 * @return its text
	 */
	public static String number(double value) {
		if (Double.isNaN(value)) {
			return "";
		}
		int decimals = (Math.abs(value) >= 100) ? 0 : (Math.abs(value) >= 10) ? 1 : 2;
		return String.format(Locale.ROOT, "%,." + decimals + "f", value);
	}

}
