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

package io.github.lockspring.torture;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Kinds of faults.
 */
enum TortureFault {

	/**
	 * A worker stands still for a while.
	 */
	WORKER_STOPPED(Lane.WORKERS),

	/**
	 * A worker ends without notice; another begins in its place.
	 */
	WORKER_KILLED(Lane.WORKERS),

	/**
	 * A worker is asked to end; another begins in its place.
	 */
	WORKER_TERMINATED(Lane.WORKERS),

	/**
	 * The wall clock of a worker jumps.
	 */
	WORKER_CLOCK_JUMPED(Lane.WORKERS),

	/**
	 * More processes than processors want to run.
	 */
	PROCESSORS_STARVED(Lane.WORKERS),

	/**
	 * Connections are reset.
	 */
	CONNECTIONS_CUT(Lane.NETWORK),

	/**
	 * Connections are closed in an orderly way.
	 */
	CONNECTIONS_CLOSED(Lane.NETWORK),

	/**
	 * Nothing arrives at the store.
	 */
	REQUESTS_SWALLOWED(Lane.NETWORK),

	/**
	 * Nothing arrives from the store.
	 */
	REPLIES_SWALLOWED(Lane.NETWORK),

	/**
	 * Nothing arrives.
	 */
	ALL_SWALLOWED(Lane.NETWORK),

	/**
	 * Everything arrives late.
	 */
	DELAYED(Lane.NETWORK),

	/**
	 * Few bytes arrive in a second.
	 */
	SLOW(Lane.NETWORK),

	/**
	 * A request arrives, and its reply does not.
	 */
	REPLY_DROPPED(Lane.NETWORK),

	/**
	 * Connections are reset, and new ones are refused.
	 */
	CONNECTIONS_REFUSED(Lane.NETWORK),

	/**
	 * The store stands still for a while.
	 */
	STORE_STOPPED(Lane.STORE),

	/**
	 * The store ends without notice, and starts again with its data.
	 */
	STORE_KILLED(Lane.STORE),

	/**
	 * The store ends without notice, and starts again without its data.
	 */
	STORE_EMPTIED(Lane.STORE),

	/**
	 * Another server takes the place of the store.
	 */
	STORE_FAILED_OVER(Lane.STORE),

	/**
	 * The store cuts its connections.
	 */
	CLIENTS_KILLED(Lane.STORE),

	/**
	 * The store forgets its scripts.
	 */
	SCRIPTS_FLUSHED(Lane.STORE),

	/**
	 * The store has no memory left.
	 */
	OUT_OF_MEMORY(Lane.STORE),

	/**
	 * A transaction of another application locks all rows.
	 */
	ROWS_LOCKED(Lane.STORE),

	/**
	 * The sequence numbers of the store, below 2<sup>31</sup>, are used up.
	 */
	NUMBERS_USED_UP(Lane.STORE),

	/**
	 * The wall clock of the store jumps back.
	 */
	STORE_CLOCK_BACK(Lane.STORE),

	/**
	 * The wall clock of the store jumps forward.
	 */
	STORE_CLOCK_FORWARD(Lane.STORE);

	private final Lane lane;

	TortureFault(Lane lane) {
		this.lane = lane;
	}

	Lane lane() {
		return this.lane;
	}

	/**
	 * Return the faults of some lanes.
	 */
	static Set<TortureFault> of(Lane... lanes) {
		return Arrays.stream(values())
			.filter((fault) -> Arrays.asList(lanes).contains(fault.lane))
			.collect(Collectors.toCollection(() -> EnumSet.noneOf(TortureFault.class)));
	}

	/**
	 * To what a fault happens: one at a time in each lane.
	 */
	enum Lane {

		/**
		 * Processes that lock.
		 */
		WORKERS,

		/**
		 * Connections between them and the store.
		 */
		NETWORK,

		/**
		 * Servers.
		 */
		STORE

	}

}
