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

package io.github.lockspring.sample.page;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.sample.load.Latencies;
import io.github.lockspring.sample.load.StockClient;

/**
 * Counts what a run has done so far, and how long the requests took since the last
 * reading. Thread-safe.
 */
final class Meter {

	private final int run;

	private final long total;

	private final long start = System.nanoTime();

	private Interval interval = new Interval(this.start, new ArrayList<>());

	private Interval previous = this.interval;

	private long done;

	private boolean ended;

	Meter(int run, long total) {
		this.run = run;
		this.total = total;
	}

	synchronized void add(long nanos) {
		this.done++;
		this.interval.nanos().add(nanos);
	}

	synchronized void setDone(long done) {
		this.done = done;
	}

	/**
	 * Read the meter, and begin to measure anew.
	 * @param stock the stock at this time
	 * @return how far the run is, or {@code null} after the last reading
	 */
	synchronized @Nullable Progress read(StockClient.@Nullable Stock stock) {
		if (this.ended) {
			return null;
		}
		Progress progress = progress(this.interval, stock);
		this.previous = this.interval;
		this.interval = new Interval(System.nanoTime(), new ArrayList<>());
		return progress;
	}

	/**
	 * Read the meter at the end. The last interval may be so short that nothing was done
	 * in it: it counts with the one before.
	 * @param stock the stock at this time
	 */
	synchronized Progress readLast(StockClient.@Nullable Stock stock) {
		this.ended = true;
		List<Long> nanos = new ArrayList<>(this.previous.nanos());
		if (this.previous != this.interval) {
			nanos.addAll(this.interval.nanos());
		}
		return progress(new Interval(this.previous.start(), nanos), stock);
	}

	private Progress progress(Interval interval, StockClient.@Nullable Stock stock) {
		long now = System.nanoTime();
		List<Long> nanos = interval.nanos();
		Latencies latencies = nanos.isEmpty() ? null
				: new Latencies(nanos.stream().mapToLong(Long::longValue).toArray());
		return new Progress(this.run, (now - this.start) / 1e6, this.done, this.total,
				(stock != null) ? stock.remaining() : null, (stock != null) ? stock.sold() : null,
				nanos.size() * 1e9 / (now - interval.start()), percentile(latencies, 50), percentile(latencies, 95),
				percentile(latencies, 99));
	}

	private static @Nullable Double percentile(@Nullable Latencies latencies, double percent) {
		return (latencies != null) ? latencies.percentile(percent) : null;
	}

	/**
	 * How long the requests took since a time.
	 */
	private record Interval(long start, List<Long> nanos) {

	}

	/**
	 * How far a run is.
	 *
	 * @param run the number of the run
	 * @param elapsed milliseconds since its start
	 * @param done the number of requests done
	 * @param total the number of all requests
	 * @param stock the stock at this time
	 * @param sold the pieces sold at this time
	 * @param perSecond requests per second since the last reading
	 * @param p50 the median since the last reading, in milliseconds
	 * @param p95 the time within which 95 % were done
	 * @param p99 the time within which 99 % were done
	 */
	record Progress(int run, double elapsed, long done, long total, @Nullable Integer stock, @Nullable Integer sold,
			double perSecond, @Nullable Double p50, @Nullable Double p95, @Nullable Double p99) {

	}

}
