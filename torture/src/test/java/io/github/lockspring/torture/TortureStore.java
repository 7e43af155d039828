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

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.torture.TortureFault.Lane;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Servers of a store, to which faults can happen.
 */
interface TortureStore extends AutoCloseable {

	/**
	 * Return new proxies before the servers, for one worker.
	 */
	List<FaultProxy> newProxies();

	/**
	 * Return the address behind proxies.
	 * @param proxies the proxies of a worker
	 */
	StoreAddress address(List<FaultProxy> proxies);

	/**
	 * Return the proxies that a fault happens to: all of them, unless the servers fail
	 * independently.
	 * @param step the fault
	 * @param proxies the proxies of a worker
	 */
	default List<FaultProxy> affected(Step step, List<FaultProxy> proxies) {
		return proxies;
	}

	/**
	 * Return the faults that can happen to connections, so that all is true that the
	 * documentation promises.
	 */
	default Set<TortureFault> networkFaults() {
		return TortureFault.of(Lane.NETWORK);
	}

	/**
	 * Return the faults that can happen to the servers.
	 */
	Map<TortureFault, Inflictor> faults();

	/**
	 * Ask the store something, past the proxies.
	 * @throws RuntimeException if it is away
	 */
	void ask();

	/**
	 * Return how long a lease may be in the store that nobody renews.
	 * @param leaseTime the lease time
	 */
	default Duration longestLease(Duration leaseTime) {
		return leaseTime;
	}

	/**
	 * Assert that nothing is left of workers that have ended.
	 */
	void assertNothingLeft() throws Exception;

	@Override
	void close();

}
