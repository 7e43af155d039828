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

package io.github.lockspring.concurrent;

import java.util.concurrent.ThreadLocalRandom;

import io.github.lockspring.spi.Value;

/**
 * State of one generation of participants of a double barrier, in the 64 bits of a value:
 * 29 bits of its number, a bit that the former one was broken, a bit that the former one
 * was open when it was, 2 bits of the phase, and 31 bits of the count.
 *
 * @param generation the number of the generation
 * @param formerBroken whether the former generation was broken
 * @param formerOpen whether all had entered the former generation when it was broken
 * @param phase the phase
 * @param count the number of participants: those that have joined while it fills, those
 * that have confirmed while it is full, and those that have not left while it is open
 */
record DoubleBarrierState(int generation, boolean formerBroken, boolean formerOpen, Phase phase, int count) {

	private static final int COUNT_BITS = 31;

	private static final int PHASE_BITS = 2;

	private static final int FLAG_BITS = 2;

	/**
	 * Generation of a value that does not exist.
	 */
	private static final int NONE = 0;

	private static final int LAST_GENERATION = (1 << (Long.SIZE - COUNT_BITS - PHASE_BITS - FLAG_BITS)) - 1;

	/**
	 * How many generations may break one after the other without being noticed by one
	 * that waits for a former one.
	 */
	private static final int MAX_MISSED = 64;

	static DoubleBarrierState of(Value value) {
		long number = value.number();
		int flags = (int) (number >>> COUNT_BITS);
		return new DoubleBarrierState((int) (number >>> (COUNT_BITS + PHASE_BITS + FLAG_BITS)), (flags & 8) != 0,
				(flags & 4) != 0, Phase.values()[flags & 3], (int) (number & Integer.MAX_VALUE));
	}

	long number() {
		long flags = (this.formerBroken ? 8 : 0) | (this.formerOpen ? 4 : 0) | this.phase.ordinal();
		return (long) this.generation << (COUNT_BITS + PHASE_BITS + FLAG_BITS) | flags << COUNT_BITS | this.count;
	}

	boolean isFilling() {
		return this.phase == Phase.FILLING;
	}

	/**
	 * Return how many participants have a lease, unless they lost it.
	 */
	int leases(int parties) {
		return (this.phase == Phase.FULL) ? parties : this.count;
	}

	/**
	 * Return whether nothing remains to be known of the generation.
	 */
	boolean isOver() {
		return this.count == 0 && (this.phase == Phase.OPEN || !this.formerBroken);
	}

	/**
	 * Return the state after another one has joined. The last one thereby confirms. The
	 * first generation is likely to differ from earlier ones that anyone may still wait
	 * for.
	 */
	DoubleBarrierState joined(int parties) {
		if (this.generation == NONE) {
			int first = ThreadLocalRandom.current().nextInt(1, LAST_GENERATION + 1);
			return new DoubleBarrierState(first, false, false, Phase.FILLING, 0).joined(parties);
		}
		return (this.count + 1 < parties) ? with(Phase.FILLING, this.count + 1)
				: with(Phase.FULL, 0).confirmed(parties);
	}

	DoubleBarrierState confirmed(int parties) {
		return with((this.count + 1 < parties) ? Phase.FULL : Phase.OPEN, this.count + 1);
	}

	DoubleBarrierState left() {
		return with(this.phase, this.count - 1);
	}

	private DoubleBarrierState with(Phase phase, int count) {
		return new DoubleBarrierState(this.generation, this.formerBroken, this.formerOpen, phase, count);
	}

	/**
	 * Return the state of the next generation, after this one was broken.
	 */
	DoubleBarrierState broken() {
		return new DoubleBarrierState(this.generation % LAST_GENERATION + 1, true, this.phase == Phase.OPEN,
				Phase.FILLING, 0);
	}

	/**
	 * Return whether all had entered a generation.
	 */
	boolean isOpened(int other) {
		return (this.generation == other) ? this.phase == Phase.OPEN : this.formerOpen && isBroken(other, 1);
	}

	/**
	 * Return whether a former generation was broken. Only breaking one makes the next one
	 * follow it.
	 */
	boolean isBroken(int former) {
		return isBroken(former, MAX_MISSED);
	}

	private boolean isBroken(int former, int distance) {
		int since = Math.floorMod(this.generation - former, LAST_GENERATION);
		return this.formerBroken && since > 0 && since <= distance;
	}

	/**
	 * Phase of a generation.
	 */
	enum Phase {

		/**
		 * Participants join.
		 */
		FILLING,

		/**
		 * All have joined, and each confirms that it is still there.
		 */
		FULL,

		/**
		 * All have confirmed, and thereby entered.
		 */
		OPEN

	}

}
