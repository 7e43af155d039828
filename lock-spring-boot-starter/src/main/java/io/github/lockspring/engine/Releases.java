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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Gives back in the background what nobody holds any more but the store may still have:
 * leases whose release failed, leases of attempts with an unknown outcome, places in the
 * queue of those who gave up. Each is tried again until the store answers, or until the
 * lease would have ended by itself.
 * <p>
 * An attempt whose outcome is unknown may reach the store after its release did. Its
 * release is therefore repeated until it finds the lease, or the time is over.
 */
final class Releases {

	private static final Log logger = LogFactory.getLog(Releases.class);

	private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private final ConcurrentMap<LeaseRequest, Pending> pending = new ConcurrentHashMap<>();

	private final AtomicBoolean running = new AtomicBoolean();

	private final Store store;

	private final Duration timeout;

	private final Upkeep upkeep;

	private final TimeSource time;

	private final Executor executor;

	private volatile long nextRun;

	Releases(Store store, Duration timeout, Upkeep upkeep, TimeSource time, Executor executor) {
		this.store = store;
		this.timeout = timeout;
		this.upkeep = upkeep;
		this.time = time;
		this.executor = executor;
	}

	/**
	 * Releases what the store is known to have.
	 */
	void release(LeaseRequest request) {
		add(request, false);
	}

	/**
	 * Releases what the store may have now, or may get later.
	 */
	void releaseIfGranted(LeaseRequest request) {
		add(request, true);
	}

	private void add(LeaseRequest request, boolean mayComeLater) {
		long now = this.time.nanoTime();
		long lease = request.terms().leaseTime().plus(this.timeout).toNanos();
		this.pending.put(request, new Pending(now + lease, mayComeLater));
		this.nextRun = now;
		this.upkeep.runAt(now);
	}

	/**
	 * The chore: has a round made by another thread, if one is due and none is under way.
	 */
	void run() {
		if (this.pending.isEmpty()) {
			return;
		}
		if (this.time.nanoTime() - this.nextRun < 0) {
			this.upkeep.runAt(this.nextRun);
		}
		else if (this.running.compareAndSet(false, true)) {
			start();
		}
	}

	private void start() {
		try {
			this.executor.execute(this::makeRound);
		}
		catch (Throwable ex) {
			this.running.set(false); // the upkeep will run this again
			throw ex;
		}
	}

	private void makeRound() {
		try {
			this.pending.forEach(this::release);
		}
		finally {
			this.nextRun = this.time.nanoTime() + PAUSE_NANOS;
			this.running.set(false);
			this.upkeep.runAt(this.nextRun);
		}
	}

	private void release(LeaseRequest request, Pending entry) {
		try {
			boolean found = this.store.release(request, this.timeout);
			if (found || !entry.mayComeLater()) {
				this.pending.remove(request, entry);
			}
		}
		catch (RuntimeException ex) {
			logger
				.debug("Could not release the lock on " + KeyText.describe(request.key()) + " yet: " + ex.getMessage());
		}
		if (this.time.nanoTime() - entry.until() >= 0) {
			this.pending.remove(request, entry);
		}
	}

	/**
	 * Makes one last round, in the calling thread.
	 */
	void flush() {
		this.pending.forEach(this::release);
	}

	int size() {
		return this.pending.size();
	}

	/**
	 * One that must be released.
	 *
	 * @param until when the lease has ended by itself
	 * @param mayComeLater whether the store may get the request after the release
	 */
	private record Pending(long until, boolean mayComeLater) {

	}

}
