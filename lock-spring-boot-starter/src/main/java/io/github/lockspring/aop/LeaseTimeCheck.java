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

package io.github.lockspring.aop;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;

/**
 * Logs a warning for lease times that are too short for the round-trip time to the store:
 * a lease that cannot be renewed three times within its lease time may be lost because of
 * a single slow call. The round-trip time is measured in the background after the
 * application has started, and not at all if the store is unavailable then.
 */
public final class LeaseTimeCheck implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(LeaseTimeCheck.class);

	private static final int ROUND_TRIPS = 3;

	private final ApplicationContext context;

	private final DistributedLockInterceptor interceptor;

	private final Function<String, Duration> probe;

	private final Duration operationTimeout;

	/**
	 * Create a check.
	 * @param context the context whose beans are checked, and not those of its children
	 * @param interceptor the interceptor that has read the annotations
	 * @param probe makes a round trip to the store of a backend and returns its duration
	 * @param operationTimeout the timeout of a single call to a store
	 */
	public LeaseTimeCheck(ApplicationContext context, DistributedLockInterceptor interceptor,
			Function<String, Duration> probe, Duration operationTimeout) {
		this.context = context;
		this.interceptor = interceptor;
		this.probe = probe;
		this.operationTimeout = operationTimeout;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() == this.context && !this.interceptor.source().known().isEmpty()) {
			DaemonThreads.create("lock-lease-time-check", this::check).start();
		}
	}

	private void check() {
		Map<String, Duration> roundTrips = new HashMap<>();
		try {
			for (LockAttributes lock : this.interceptor.source().known()) {
				String backend = (lock.backend() != null) ? lock.backend() : this.interceptor.template().backendName();
				check(lock, roundTrips.computeIfAbsent(backend, this::measure));
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Could not measure the round-trip time to the lock store", ex);
		}
	}

	/**
	 * Return the shortest of several round trips: the first one opens a connection.
	 */
	private Duration measure(String backend) {
		Duration shortest = this.probe.apply(backend);
		for (int i = 1; i < ROUND_TRIPS; i++) {
			shortest = Durations.min(shortest, this.probe.apply(backend));
		}
		return shortest;
	}

	private void check(LockAttributes lock, Duration roundTrip) {
		Duration leaseTime = lock.options().leaseTime();
		if (leaseTime.compareTo(roundTrip.multipliedBy(ROUND_TRIPS).plus(this.operationTimeout)) < 0) {
			logger.warn(lock.site() + ": the lease time of " + leaseTime
					+ " is short for a round-trip time to the store of " + roundTrip + " and lock.operation-timeout="
					+ this.operationTimeout
					+ ": a single slow call may cause the loss of the lock. Increase the lease time, or reduce the timeout");
		}
	}

}
