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

package io.github.lockspring.sample.load;

import java.util.Arrays;

/**
 * How long each of the requests of a round took.
 */
public final class Latencies {

	private final long[] sortedNanos;

	/**
	 * Creates latencies.
	 * @param nanos the nanoseconds of each request, in any order; at least one
	 */
	public Latencies(long[] nanos) {
		this.sortedNanos = nanos.clone();
		Arrays.sort(this.sortedNanos);
	}

	/**
	 * Returns the shortest time within which the given share of the requests was done.
	 * @param percent the share, above 0 and at most 100
	 * @return the time in milliseconds
	 */
	public double percentile(double percent) {
		int rank = (int) Math.ceil(percent / 100 * this.sortedNanos.length);
		return millis(this.sortedNanos[rank - 1]);
	}

	public int size() {
		return this.sortedNanos.length;
	}

	public double min() {
		return millis(this.sortedNanos[0]);
	}

	public double max() {
		return percentile(100);
	}

	public double mean() {
		return millis(Arrays.stream(this.sortedNanos).average().orElseThrow());
	}

	private static double millis(double nanos) {
		return nanos / 1_000_000;
	}

}
