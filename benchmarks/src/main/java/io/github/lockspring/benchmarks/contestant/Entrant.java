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

package io.github.lockspring.benchmarks.contestant;

import java.util.Set;
import java.util.function.Supplier;

/**
 * A contestant that a store can bring up, and what it can do.
 *
 * @param name the name in options and tables
 * @param traits what it can do
 * @param contestant brings it up
 */
public record Entrant(String name, Set<Trait> traits, Supplier<Contestant> contestant) {

	/**
	 * The name of those that show what the store can do without any lock around it.
	 */
	public static final String FLOOR = "floor";

	public Entrant(String name, Supplier<Contestant> contestant, Trait... traits) {
		this(name, Set.of(traits), contestant);
	}

	public boolean has(Trait trait) {
		return this.traits.contains(trait);
	}

	/**
	 * What a contestant can do.
	 */
	public enum Trait {

		/**
		 * Waits by itself for what others hold.
		 */
		WAITING,

		/**
		 * Keeps others out. What only shows how fast a store is does not.
		 */
		EXCLUSIVE,

		/**
		 * Works in the store, where other processes can see it.
		 */
		DISTRIBUTED,

		/**
		 * Lets a thread acquire again what it holds.
		 */
		REENTRANT,

		/**
		 * Can keep leases alive.
		 */
		RENEWING,

		/**
		 * Waits for a thousand keys at once, with its defaults.
		 */
		WAITING_FOR_MANY

	}

}
