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

package io.github.lockspring.benchmarks.process;

import java.util.ArrayList;
import java.util.List;

import io.github.lockspring.benchmarks.contestant.Contestant;

/**
 * Many leases that one process holds at once.
 */
public final class HeldLeases {

	private static final int FIRST = 100;

	private final Contestant contestant;

	private final List<Contestant.Hold> holds = new ArrayList<>();

	HeldLeases(Contestant contestant) {
		this.contestant = contestant;
	}

	/**
	 * Acquire leases. Others are acquired before, and released, so that the heap that is
	 * used once is not counted.
	 */
	Cost acquire(int number) throws InterruptedException {
		int threadsBefore = ProcessUse.threads();
		for (int i = 0; i < FIRST; i++) {
			this.contestant.acquireRenewed("first-" + i).release();
		}
		long heapBefore = ProcessUse.heapBytes();
		long start = System.nanoTime();
		for (int i = 0; i < number; i++) {
			this.holds.add(this.contestant.acquireRenewed(key(i)));
		}
		long acquireNanos = System.nanoTime() - start;
		long heap = ProcessUse.heapBytes() - heapBefore;
		return new Cost(acquireNanos, heap / number, ProcessUse.threads() - threadsBefore);
	}

	static String key(int number) {
		return "held-" + number;
	}

	/**
	 * Release everything, which fails if a lease was lost.
	 */
	String release() {
		this.holds.forEach(Contestant.Hold::release);
		this.holds.clear();
		return "dropped";
	}

	/**
	 * What the leases cost.
	 *
	 * @param acquireNanos how long it took to acquire them, one after the other
	 * @param heapPerLease how many bytes of the heap each takes, its key included
	 * @param threads how many threads there are more than before
	 */
	public record Cost(long acquireNanos, long heapPerLease, int threads) {

		@Override
		public String toString() {
			return this.acquireNanos + " " + this.heapPerLease + " " + this.threads;
		}

		static Cost parse(String text) {
			String[] words = text.split(" ");
			return new Cost(Long.parseLong(words[0]), Long.parseLong(words[1]), Integer.parseInt(words[2]));
		}

	}

}
