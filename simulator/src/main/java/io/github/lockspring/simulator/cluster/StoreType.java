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

package io.github.lockspring.simulator.cluster;

import java.util.Locale;
import java.util.function.Function;

/**
 * The stores that are simulated. Each makes the store of a server.
 */
public enum StoreType implements Function<Server, SimulatedStore> {

	/**
	 * Redis, with the scripts that ship.
	 */
	REDIS(SimulatedRedis::new),

	/**
	 * Three servers of ZooKeeper.
	 */
	ZOOKEEPER(SimulatedZooKeeper::new),

	/**
	 * A table of rows.
	 */
	ROWS(SimulatedRows::new),

	/**
	 * Redlock on three servers of Redis, with the scripts that ship.
	 */
	REDLOCK(SimulatedRedlock::new);

	private final Function<Server, SimulatedStore> factory;

	StoreType(Function<Server, SimulatedStore> factory) {
		this.factory = factory;
	}

	/**
	 * Return the store with a name.
	 * @param name the name in lower case, such as {@code redis}
	 * @return the store
	 * @throws IllegalArgumentException if there is none
	 */
	public static StoreType of(String name) {
		return valueOf(name.toUpperCase(Locale.ROOT));
	}

	@Override
	public SimulatedStore apply(Server server) {
		return this.factory.apply(server);
	}

}
