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

package io.github.lockspring.simulator.scale;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

import io.github.lockspring.simulator.cluster.StoreType;
import io.github.lockspring.simulator.machine.Replacement;

/**
 * Measures what locks cost in large clusters. Each measurement prints a line of a table:
 * <ul>
 * <li>{@code queue}: processes that want one key all the time</li>
 * <li>{@code clients}: processes that want one of 100 keys now and then</li>
 * <li>{@code leases}: 100 processes that hold a number of keys, and renew them</li>
 * <li>{@code memory}: a process with a number of leases, and one with as many
 * waiters</li>
 * </ul>
 */
public final class ScaleMain {

	private static final int KEYS = 100;

	private static final int PROCESSES = 100;

	/**
	 * Time after which a cluster has settled: leases have been renewed once.
	 */
	private static final Duration WARM_UP = Duration.ofSeconds(15);

	private final StoreType store;

	private final Duration duration;

	private ScaleMain(StoreType store, Duration duration) {
		this.store = store;
		this.duration = duration;
	}

	/**
	 * Measure.
	 * @param arguments the store, such as {@code redis}, the measurement, the virtual
	 * seconds, and the numbers of processes, keys or leases for which to repeat it
	 */
	public static void main(String[] arguments) {
		Replacement.install();
		ScaleMain scale = new ScaleMain(StoreType.of(arguments[0]), Duration.ofSeconds(Long.parseLong(arguments[2])));
		Arrays.stream(arguments)
			.skip(3)
			.mapToInt(Integer::parseInt)
			.forEach((count) -> System.out.println(scale.measure(arguments[1], count)));
	}

	private String measure(String measurement, int count) {
		long begin = System.nanoTime();
		try (LargeCluster cluster = new LargeCluster(count, this.store)) {
			String numbers = switch (measurement) {
				case "queue" -> contention(
						new Contention(cluster, 1, Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofMinutes(1)),
						cluster, count);
				case "clients" -> contention(new Contention(cluster, KEYS, Duration.ofMinutes(1), Duration.ofSeconds(4),
						Duration.ofSeconds(30)), cluster, count);
				case "leases" -> leases(cluster, count);
				case "memory" -> memory(cluster, count);
				default -> throw new IllegalArgumentException("No measurement is named " + measurement);
			};
			return "| %d %s | %.0f s |".formatted(count, numbers, (System.nanoTime() - begin) / 1e9);
		}
	}

	/**
	 * Return the requests per second and grant, the grants and time-outs, the worst
	 * hand-off and the worst lateness.
	 */
	private String contention(Contention contention, LargeCluster cluster, int processes) {
		contention.start(processes);
		cluster.run(WARM_UP);
		contention.reset();
		cluster.run(this.duration);
		return format("| %.1f | %.2f | %d | %d | %.1f ms | %.1f ms", perSecond(contention.requests()),
				(double) contention.requests() / Math.max(1, contention.grants()), contention.grants(),
				contention.timeouts(), millis(contention.worstHandOff()), millis(contention.worstLateness()));
	}

	/**
	 * Return the requests per second, those per lease, and by how much the latest renewal
	 * was late, since leases are renewed after a third of their time.
	 */
	private String leases(LargeCluster cluster, int keys) {
		ManyLocks locks = new ManyLocks(cluster);
		for (int i = 0; i < PROCESSES; i++) {
			locks.hold(keys / PROCESSES);
		}
		cluster.run(WARM_UP);
		long before = cluster.requests();
		Duration shortest = locks.shortestLease();
		Duration step = Duration.ofMillis(997);
		for (Duration left = this.duration; !left.isNegative(); left = left.minus(step)) {
			cluster.run(step);
			Duration next = locks.shortestLease();
			shortest = (next.compareTo(shortest) < 0) ? next : shortest;
		}
		double requests = perSecond(cluster.requests() - before);
		return format("| %d | %.1f | %.4f | %.1f ms", locks.held(), requests, requests / keys, millis(shortest));
	}

	/**
	 * Return the bytes per lease and per waiter, with what the store and the one that
	 * acquired them keep.
	 */
	private String memory(LargeCluster cluster, int count) {
		ManyLocks locks = new ManyLocks(cluster);
		locks.hold(1);
		locks.await("other", 1);
		cluster.run(WARM_UP);
		long before = ManyLocks.memory();
		locks.hold(count);
		cluster.run(WARM_UP.plus(Duration.ofMillis(count)));
		long held = ManyLocks.memory();
		locks.await("process-1-key-0", count);
		cluster.run(WARM_UP);
		long waiting = ManyLocks.memory();
		return format("| %d | %d | %d | %d", locks.held(), (held - before) / count, locks.waiting(),
				(waiting - held) / count);
	}

	private double perSecond(long number) {
		return number * 1e9 / this.duration.toNanos();
	}

	private static double millis(Duration duration) {
		return duration.toNanos() / 1e6;
	}

	private static String format(String format, Object... numbers) {
		return String.format(Locale.ROOT, format, numbers);
	}

}
