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
package io.github.lockspring.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.LeaseRequest;

/**
 * The last releases of this process, which PostgreSQL confirms before they are on disk: a
 * crash of the server, or a failover, undoes those of its last moments. They can be
 * repeated, because no other request has the same owner. The number is limited, and older
 * ones are replaced. Thread-safe.
 */
final class RecentReleases {

	private static final Log logger = LogFactory.getLog(RecentReleases.class);

	/**
	 * Number of releases that are kept, a power of two.
	 */
	private static final int SIZE = 1024;

	/**
	 * Time after which a release is on disk: at most three times the
	 * {@code wal_writer_delay}, 200 ms by default.
	 */
	private static final Duration FLUSH_TIME = Duration.ofSeconds(1);

	private final AtomicReferenceArray<LeaseRequest> leases = new AtomicReferenceArray<>(SIZE);

	private final AtomicLongArray times = new AtomicLongArray(SIZE);

	private final AtomicInteger next = new AtomicInteger();

	void add(LeaseRequest lease) {
		int index = this.next.getAndIncrement() & (SIZE - 1);
		this.times.set(index, System.nanoTime());
		this.leases.set(index, lease);
	}

	/**
	 * Remove all releases.
	 * @return those that followed the last one that is certain to be on disk
	 */
	List<LeaseRequest> take() {
		long last = this.times.get((this.next.get() - 1) & (SIZE - 1));
		List<LeaseRequest> recent = new ArrayList<>();
		for (int i = 0; i < SIZE; i++) {
			LeaseRequest lease = this.leases.getAndSet(i, null);
			if (lease != null && last - this.times.get(i) < FLUSH_TIME.toNanos()) {
				recent.add(lease);
			}
		}
		return recent;
	}

	/**
	 * Remove all releases, and return a task that repeats them until one fails.
	 * @param release repeats a release
	 */
	Runnable repetition(Consumer<LeaseRequest> release) {
		Queue<LeaseRequest> releases = new ArrayDeque<>(take());
		return () -> repeat(releases, release);
	}

	private void repeat(Queue<LeaseRequest> releases, Consumer<LeaseRequest> release) {
		try {
			for (LeaseRequest lease = releases.peek(); lease != null; lease = releases.peek()) {
				release.accept(lease);
				releases.remove();
			}
		}
		catch (BackendException ex) {
			logger.debug("Could not repeat releases after a failure of the connection", ex);
			releases.forEach(this::add);
		}
	}

}
