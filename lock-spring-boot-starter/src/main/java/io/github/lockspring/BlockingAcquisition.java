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

package io.github.lockspring;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockUtils.KeyGroup;
import io.github.lockspring.LockUtils.Step;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;

/**
 * Blocking acquisition of either all of several keys or none of them. Used once.
 *
 * @param <X> the exception thrown if a step is interrupted
 */
final class BlockingAcquisition<X extends Exception> {

	private final List<KeyGroup> groups;

	private final LockEngine clock;

	private final long deadline;

	private final Step<X> step;

	/**
	 * Create an acquisition.
	 * @param groups the keys, in the order in which they are acquired
	 * @param waitNanos the available time, by the clock of the first engine
	 * @param step acquires a key that cannot be acquired together with others
	 */
	BlockingAcquisition(List<KeyGroup> groups, long waitNanos, Step<X> step) {
		this.groups = groups;
		this.clock = groups.get(0).engine();
		this.deadline = this.clock.deadlineAfter(waitNanos);
		this.step = step;
	}

	/**
	 * Acquire the keys.
	 * @return the holds, or {@code null} if one of them was not acquired in time
	 * @throws X if a step is interrupted while waiting; nothing is held then
	 */
	@Nullable List<Hold> run() throws X {
		do {
			List<Hold> held = new ArrayList<>();
			if (!acquireAll(held)) {
				return null;
			}
			if (held.stream().allMatch(Hold::isHeld)) {
				return held;
			}
			Hold.releaseAll(held); // a lease expired before the last key was acquired
		}
		while (this.clock.nanosUntil(this.deadline) > 0);
		return null;
	}

	private boolean acquireAll(List<Hold> held) throws X {
		boolean complete = false;
		try {
			for (KeyGroup group : this.groups) {
				if (this.clock.isLongOver(this.deadline) || !acquireTogether(group, held)) {
					return false;
				}
			}
			complete = true;
			return true;
		}
		finally {
			if (!complete) {
				Hold.releaseAll(held);
			}
		}
	}

	/**
	 * Acquire the keys of a group in a single operation of the store, or one after the
	 * other if that is not possible at present.
	 */
	private boolean acquireTogether(KeyGroup group, List<Hold> held) throws X {
		String key = group.storeKeys().get(0);
		List<Hold> together;
		try {
			together = group.engine()
				.acquireTogether(group.storeKeys(), group.options(), group.ownerOf(key),
						this.clock.nanosUntil(this.deadline));
		}
		catch (EngineException ex) {
			throw LockUtils.translate(ex, key);
		}
		if (together != null) {
			held.addAll(together);
		}
		return together != null && (!together.isEmpty() || acquireOneByOne(group, held));
	}

	private boolean acquireOneByOne(KeyGroup group, List<Hold> held) throws X {
		for (String key : group.storeKeys()) {
			Hold hold = this.clock.isLongOver(this.deadline) ? null : acquire(group, key);
			if (hold == null) {
				return false;
			}
			held.add(hold);
		}
		return true;
	}

	private @Nullable Hold acquire(KeyGroup group, String key) throws X {
		try {
			return this.step.acquire(group.engine(), key, group.options(), group.ownerOf(key),
					this.clock.nanosUntil(this.deadline));
		}
		catch (EngineException ex) {
			throw LockUtils.translate(ex, key);
		}
	}

}
