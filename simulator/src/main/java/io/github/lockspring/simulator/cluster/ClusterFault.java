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

import java.util.EnumSet;
import java.util.Set;

/**
 * Kinds of faults of a cluster.
 */
public enum ClusterFault {

	/**
	 * A process does nothing for a while.
	 */
	PROCESS_PAUSED,

	/**
	 * A process is suspended together with its machine: its monotonic clock stands still,
	 * its wall clock goes on.
	 */
	PROCESS_SUSPENDED,

	/**
	 * A process ends without notice; another begins in its place.
	 */
	PROCESS_KILLED,

	/**
	 * A process shuts down; another begins in its place.
	 */
	PROCESS_CLOSED,

	/**
	 * The wall clock of a process jumps.
	 */
	PROCESS_CLOCK_JUMPED,

	/**
	 * The clocks of a process run faster or slower, by up to a hundredth.
	 */
	PROCESS_CLOCK_DRIFTS,

	/**
	 * A thread that waits or holds is interrupted.
	 */
	THREAD_INTERRUPTED,

	/**
	 * The server executes nothing for a while.
	 */
	SERVER_PAUSED,

	/**
	 * The server stops and keeps its data.
	 */
	SERVER_RESTARTED,

	/**
	 * Nothing arrives between a process and the server.
	 */
	LINK_CUT,

	/**
	 * Messages between a process and the server take up to the timeout of a call.
	 */
	LINK_SLOW,

	/**
	 * Messages between a process and the server take up to the timeout of a call, and
	 * then nothing arrives.
	 */
	LINK_FAILS,

	/**
	 * Some requests and replies between a process and the server are lost.
	 */
	REPLIES_LOST,

	/**
	 * Connections of a process are lost when the server has executed a request, so that
	 * the process repeats it at once.
	 */
	CONNECTIONS_LOST,

	/**
	 * The server ends the subscriptions of all processes, which may learn that late.
	 */
	SUBSCRIPTIONS_LOST,

	/**
	 * The wall clock of the server stands still, or jumps back.
	 */
	SERVER_CLOCK_BACK,

	/**
	 * The wall clock of the server jumps forward.
	 */
	SERVER_CLOCK_FORWARD,

	/**
	 * The server stops and loses its data.
	 */
	DATA_LOST,

	/**
	 * A replica with an older state takes the place of the server.
	 */
	FAILED_OVER,

	/**
	 * Calls of a process throw an {@link Error}, before or after the server has executed
	 * them. Only in simulations {@linkplain Simulation#withErrors() with errors}.
	 */
	CALLS_THROW;

	/**
	 * Return the faults under which a lock has one holder, without exception.
	 * @return the faults
	 */
	public static Set<ClusterFault> safe() {
		return EnumSet.range(PROCESS_PAUSED, SERVER_CLOCK_BACK);
	}

	/**
	 * Return all faults but errors.
	 * @return the faults
	 */
	public static Set<ClusterFault> all() {
		return EnumSet.range(PROCESS_PAUSED, FAILED_OVER);
	}

}
