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

package io.github.lockspring.sample.stock;

import java.util.Locale;

/**
 * The ways to keep two requests from selling the same piece.
 */
public enum Strategy {

	/**
	 * None at all.
	 */
	NO_LOCK("no lock", false),

	/**
	 * Java's own lock, which ends at the border of the process.
	 */
	SYNCHRONIZED("synchronized", false),

	/**
	 * A lock that all processes share.
	 */
	DISTRIBUTED_LOCK("@DistributedLock", true),

	/**
	 * One SQL statement that checks and writes.
	 */
	GUARDED_UPDATE("guarded UPDATE", true),

	/**
	 * The row locked by the database, from the read to the end of the transaction.
	 */
	SELECT_FOR_UPDATE("SELECT FOR UPDATE", true),

	/**
	 * A version compared when writing; who comes too late tries again.
	 */
	OPTIMISTIC_VERSION("optimistic version", true);

	private final String label;

	private final boolean exact;

	Strategy(String label, boolean exact) {
		this.label = label;
		this.exact = exact;
	}

	/**
	 * Returns the strategy with the given name.
	 * @param name the name, such as {@code guarded-update}
	 * @return the strategy
	 * @throws IllegalArgumentException if there is none
	 */
	public static Strategy of(String name) {
		return valueOf(name.replace('-', '_').toUpperCase(Locale.ROOT));
	}

	/**
	 * Returns the name used in addresses and on the command line.
	 * @return the name, such as {@code guarded-update}
	 */
	public String id() {
		return name().replace('_', '-').toLowerCase(Locale.ROOT);
	}

	/**
	 * Returns the name that people read.
	 * @return the label
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Return whether the stock stays exact with several instances.
	 * @return whether it does
	 */
	public boolean isExact() {
		return this.exact;
	}

	/**
	 * Return whether to use a lock of the starter, where there is no other way than that
	 * or none.
	 * @return {@code true} for {@link #DISTRIBUTED_LOCK}, {@code false} for
	 * {@link #NO_LOCK}
	 * @throws UnsupportedStrategyException for all others
	 */
	public boolean isLocked() {
		return switch (this) {
			case NO_LOCK -> false;
			case DISTRIBUTED_LOCK -> true;
			default -> throw new UnsupportedStrategyException(this);
		};
	}

}
