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

package io.github.lockspring.benchmarks.store;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.contestant.Entrant;

/**
 * A store with all who lock by it.
 */
public interface Store extends AutoCloseable {

	/**
	 * The name of the store in options and tables.
	 * @return the name
	 */
	String name();

	/**
	 * Who locks by this store, the floor first.
	 * @return the entrants
	 */
	List<Entrant> entrants();

	/**
	 * Those that do something else in the place of a lock, if they are named.
	 * @return the entrants, empty if there are none
	 */
	default List<Entrant> primitives() {
		return List.of();
	}

	/**
	 * What another process needs to know to join.
	 * @return an address, or {@code null} if only this process can use the store
	 */
	@Nullable String address();

	/**
	 * Counts the commands that the store executes from now on. It may be slower then.
	 * @return the count, to be closed
	 */
	CommandCount countCommands();

	/**
	 * How far away the store is.
	 * @return the distance, or {@code null} if it cannot be changed
	 */
	default @Nullable Distance distance() {
		return null;
	}

	/**
	 * Whether the store notifies waiting processes of a release. Where it does not, they
	 * ask from time to time.
	 * @return whether it does
	 */
	default boolean isNotifying() {
		return true;
	}

	/**
	 * An application that uses the store.
	 * @return the application, or {@code null} if there is none
	 */
	default @Nullable StoreApplication application() {
		return null;
	}

	/**
	 * Finds an entrant.
	 * @param name its name
	 * @return the entrant
	 */
	default Entrant entrant(String name) {
		return Stream.concat(entrants().stream(), primitives().stream())
			.filter((entrant) -> entrant.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no '" + name + "' on " + name()));
	}

	@Override
	void close();

}
