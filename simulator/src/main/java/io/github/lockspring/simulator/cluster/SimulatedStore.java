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

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.lockspring.spi.LockBackend;

/**
 * Store that processes of a cluster share, at a server.
 */
public interface SimulatedStore {

	/**
	 * Return the servers that this store has besides the one that it was created with. By
	 * default there are none.
	 * @return the servers
	 */
	default List<Server> otherServers() {
		return List.of();
	}

	/**
	 * Return what can be done with this store: by default everything.
	 * @return the kinds of work
	 */
	default Set<ClusterWork> works() {
		return ClusterWork.all();
	}

	/**
	 * Create the backend of a process.
	 * @param link its connections to the server
	 * @return the backend
	 */
	LockBackend backend(Link link);

	/**
	 * Create the backend of a process.
	 * @param links its connections to each of the servers
	 * @return the backend
	 */
	default LockBackend backend(List<Link> links) {
		return backend(links.get(0));
	}

	/**
	 * Remember the state, as a replica that gets no further updates.
	 */
	void remember();

	/**
	 * Return to the state that was remembered last.
	 */
	void failOver();

	/**
	 * Return the store at one of the servers: by default this one.
	 * @param server the server
	 * @return what fails with it
	 */
	default SimulatedStore at(Server server) {
		return this;
	}

	/**
	 * Return how long a lease may be in the store that nobody renews: by default for its
	 * lease time.
	 * @param leaseTime the lease time
	 * @return the longest time
	 */
	default Duration longestLease(Duration leaseTime) {
		return leaseTime;
	}

	/**
	 * Return how long a released key is kept for a request that may have ended without
	 * notice: by default half a second.
	 * @param leaseTime the lease time
	 * @return the longest time
	 */
	default Duration reservation(Duration leaseTime) {
		return Duration.ofMillis(500);
	}

	/**
	 * Return whether the store notifies. By default it does not.
	 * @return whether processes subscribe to its messages
	 */
	default boolean hasSubscriptions() {
		return false;
	}

	/**
	 * End the subscriptions of all processes, if there are any.
	 * @param noticed whether the processes learn that now
	 */
	default void loseSubscriptions(boolean noticed) {
	}

	/**
	 * Forget everything.
	 */
	void forget();

}
