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

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was measured, by what it is called. The first figure is the one that contestants
 * are compared by.
 */
public final class Figures {

	private final Map<String, Double> values = new LinkedHashMap<>();

	public Figures and(String name, double value) {
		this.values.put(name, value);
		return this;
	}

	public Set<String> names() {
		return this.values.keySet();
	}

	public String mainName() {
		return this.values.keySet().iterator().next();
	}

	public double get(String name) {
		return this.values.getOrDefault(name, Double.NaN);
	}

	/**
	 * The median of each figure.
	 * @param repetitions the figures of several runs
	 * @return their medians
	 */
	public static Figures median(List<Figures> repetitions) {
		Figures medians = new Figures();
		repetitions.get(0).names().forEach((name) -> medians.and(name, median(values(repetitions, name))));
		return medians;
	}

	static double[] values(List<Figures> repetitions, String name) {
		return repetitions.stream().mapToDouble((figures) -> figures.get(name)).sorted().toArray();
	}

	/**
	 * The median of values.
	 * @param values the values, in any order
	 * @return the one in the middle, or the mean of the two in the middle
	 */
	public static double median(double... values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

	@Override
	public String toString() {
		return this.values.entrySet()
			.stream()
			.map((figure) -> Table.number(figure.getValue()) + ' ' + figure.getKey())
			.toList()
			.toString();
	}

}
