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

package io.github.lockspring.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Faults and when they happen. The same seed gives the same faults; what
 * {@link #toString()} prints can be {@linkplain #parse(String) read} again.
 *
 * @param steps the faults in the order of their times
 */
public record FaultSchedule(List<Step> steps) {

	private static final Fault HEAL = new Fault(Fault.Kind.HEAL, Direction.BOTH, 0);

	private static final int MAX_PAUSE = 400;

	public FaultSchedule {
		steps = List.copyOf(steps);
	}

	/**
	 * Draw faults, each healed before the next one.
	 * @param seed the seed
	 * @param length when the last fault is healed at the latest
	 * @return the schedule
	 */
	public static FaultSchedule random(long seed, Duration length) {
		Random random = new Random(seed);
		List<Step> steps = new ArrayList<>();
		long start = 1 + random.nextInt(MAX_PAUSE);
		long end = start + 1 + random.nextInt(MAX_PAUSE);
		while (end <= length.toMillis()) {
			steps.add(new Step(start, randomFault(random)));
			steps.add(new Step(end, HEAL));
			start = end + 1 + random.nextInt(MAX_PAUSE);
			end = start + 1 + random.nextInt(MAX_PAUSE);
		}
		return new FaultSchedule(steps);
	}

	private static Fault randomFault(Random random) {
		Fault.Kind[] kinds = Fault.Kind.values();
		Fault.Kind kind = kinds[random.nextInt(kinds.length - 1)];
		Direction direction = Direction.values()[random.nextInt(Direction.values().length)];
		return new Fault(kind, direction, switch (kind) {
			case DELAY -> 1 + random.nextInt(100);
			case SLOW -> 100 + random.nextInt(2000);
			default -> 0;
		});
	}

	/**
	 * Read a schedule.
	 * @param text what {@link #toString()} has printed
	 * @return the schedule
	 */
	public static FaultSchedule parse(String text) {
		return new FaultSchedule(text.lines().map(Step::parse).toList());
	}

	/**
	 * Let the faults happen, each at its time after now, and return after the last one.
	 * @param proxy the proxy they happen to
	 * @throws InterruptedException if the thread is interrupted
	 */
	public void run(FaultProxy proxy) throws InterruptedException {
		long start = System.nanoTime();
		for (Step step : this.steps) {
			long rest = step.millis() - (System.nanoTime() - start) / 1_000_000;
			Thread.sleep(Math.max(0, rest));
			step.fault().applyTo(proxy);
		}
	}

	@Override
	public String toString() {
		return this.steps.stream().map(Step::toString).collect(Collectors.joining("\n"));
	}

	/**
	 * A fault and when it happens.
	 *
	 * @param millis milliseconds after the start
	 * @param fault the fault
	 */
	public record Step(long millis, Fault fault) {

		private static Step parse(String line) {
			String[] words = line.split(" ");
			return new Step(Long.parseLong(words[0]),
					new Fault(Fault.Kind.valueOf(words[1]), Direction.valueOf(words[2]), Integer.parseInt(words[3])));
		}

		@Override
		public String toString() {
			return this.millis + " " + this.fault;
		}

	}

}
