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

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How often which time was measured, to within three percent. Used by one thread.
 */
public final class Histogram {

	private static final int LINEAR_BITS = 5;

	private static final int LINEAR = 1 << LINEAR_BITS;

	private final long[] counts = new long[(Long.SIZE - LINEAR_BITS) * LINEAR];

	private long count;

	public void add(long nanos) {
		add(indexOf(Math.max(0, nanos)), 1);
	}

	public void addAll(Histogram other) {
		for (int i = 0; i < this.counts.length; i++) {
			add(i, other.counts[i]);
		}
	}

	private void add(int index, long times) {
		this.counts[index] += times;
		this.count += times;
	}

	/**
	 * Small values have a place each; then every doubling has 32 places.
	 */
	private static int indexOf(long value) {
		int shift = Math.max(0, Long.SIZE - 1 - LINEAR_BITS - Long.numberOfLeadingZeros(value));
		return shift * LINEAR + (int) (value >>> shift);
	}

	public long count() {
		return this.count;
	}

	/**
	 * A time that the given part of all times does not exceed.
	 * @param part the part, between 0 and 1
	 * @return the time in nanoseconds, 0 if nothing was measured
	 */
	public double quantile(double part) {
		long left = (long) Math.ceil(part * this.count);
		for (int i = 0; i < this.counts.length; i++) {
			left -= this.counts[i];
			if (left <= 0 && this.counts[i] > 0) {
				return valueAt(i);
			}
		}
		return 0;
	}

	private static double valueAt(int index) {
		int shift = Math.max(0, index / LINEAR - 1);
		return (double) (index - shift * LINEAR) * (1L << shift);
	}

	@Override
	public String toString() {
		return IntStream.range(0, this.counts.length)
			.filter((i) -> this.counts[i] > 0)
			.mapToObj((i) -> i + ":" + this.counts[i])
			.collect(Collectors.joining(",", ",", ""));
	}

	public static Histogram parse(String text) {
		Histogram histogram = new Histogram();
		for (String entry : text.split(",")) {
			if (!entry.isEmpty()) {
				String[] pair = entry.split(":");
				histogram.add(Integer.parseInt(pair[0]), Long.parseLong(pair[1]));
			}
		}
		return histogram;
	}

}
