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

package io.github.lockspring.simulator.threads;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.Hold;

/**
 * Claim of an actor to hold a key.
 */
final class Claim {

	/**
	 * Weight of a claim that excludes all others.
	 */
	static final int ALL = 1000;

	final String key;

	/**
	 * Whose claims do not exclude each other.
	 */
	final Object owner;

	final int weight;

	final int capacity;

	final @Nullable Hold hold;

	private final BooleanSupplier valid;

	/**
	 * How often its loss was told.
	 */
	int losses;

	/**
	 * Whether its loss was returned by the release, or {@code null} before.
	 */
	@Nullable Boolean lost;

	Claim(String key, Object owner, int weight, int capacity, @Nullable Hold hold, BooleanSupplier valid) {
		this.key = key;
		this.owner = owner;
		this.weight = weight;
		this.capacity = capacity;
		this.hold = hold;
		this.valid = valid;
	}

	static Claim of(Object owner, int weight, Hold hold) {
		return new Claim(hold.key(), owner, weight, ALL, hold, hold::isHeld);
	}

	boolean isExclusive() {
		return this.weight == ALL;
	}

	/**
	 * Return whether the grant of this claim shows that another one has ended.
	 */
	boolean isLaterThan(Claim other) {
		return this.hold != null && other.hold != null && this.key.equals(other.key) && this.owner != other.owner
				&& this.hold.token() > other.hold.token() && (isExclusive() || other.isExclusive());
	}

	boolean isValid() {
		return this.valid.getAsBoolean();
	}

	@Override
	public String toString() {
		return this.owner + "'s claim on " + this.key + ((this.hold != null) ? " with token " + this.hold.token() : "");
	}

}
