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

package io.github.lockspring.benchmarks.jmh;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.Renewal;

/**
 * A backend that grants everything and does nothing, so that all that is left is what the
 * engine does. Counts the calls of one thread.
 */
final class NoOpBackend implements LockBackend {

	private static final Grant GRANT = new Grant(1, Duration.ofSeconds(30));

	private long calls;

	@Override
	public String name() {
		return "no-op";
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of();
	}

	@Override
	public void start(BackendListener listener) {
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		this.calls++;
		return GRANT;
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return new Renewal(Set.copyOf(leases), Set.of());
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		this.calls++;
		return true;
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration rest, Duration timeout) {
		this.calls++;
		return true;
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return List.of();
	}

	@Override
	public void close() {
	}

	long calls() {
		return this.calls;
	}

}
