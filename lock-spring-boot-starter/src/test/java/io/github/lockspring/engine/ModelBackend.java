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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.Renewal;

/**
 * The smallest store there is, for model checking: one exclusive lease, which never ends,
 * or shared ones, or leases of one permit each, and no queue. Rests have no length; they
 * end when the test says so.
 */
final class ModelBackend implements LockBackend {

	private @Nullable BackendListener listener;

	private final List<LeaseRequest> holders = new ArrayList<>();

	private final List<LeaseRequest> placeholders = new ArrayList<>();

	private long lastToken;

	private int denials;

	@Override
	public String name() {
		return "model";
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of(Capability.FENCING, Capability.SHARED, Capability.PERMITS);
	}

	@Override
	public void start(BackendListener listener) {
		this.listener = listener;
	}

	BackendListener listener() {
		return Objects.requireNonNull(this.listener);
	}

	private boolean isAdmitted(LeaseRequest request) {
		if (request.terms().mode() instanceof LeaseMode.Permits wanted) {
			return isLeft(wanted);
		}
		return Stream.concat(this.holders.stream(), this.placeholders.stream())
			.allMatch((other) -> isShared(request) && isShared(other));
	}

	@Override
	public synchronized Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		if (!isAdmitted(request)) {
			this.denials++;
			return Denial.UNKNOWN_DURATION;
		}
		this.holders.add(request);
		long token = this.lastToken + 1;
		this.lastToken += request.terms().tokens();
		return new Grant(token, request.terms().leaseTime());
	}

	private boolean isLeft(LeaseMode.Permits wanted) {
		return this.holders.size() < wanted.limit();
	}

	private static boolean isShared(LeaseRequest request) {
		return request.terms().mode() == LeaseMode.SHARED;
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		return new Renewal(Set.copyOf(leases), Set.of());
	}

	@Override
	public synchronized boolean release(LeaseRequest lease, Duration timeout) {
		return this.holders.remove(lease);
	}

	@Override
	public synchronized boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		return this.holders.remove(lease) && this.placeholders.add(lease);
	}

	@Override
	public synchronized Attempt downgrade(LeaseRequest exclusive, LeaseRequest shared, Duration timeout) {
		if (!release(exclusive, timeout)) {
			return Denial.UNKNOWN_DURATION;
		}
		return tryAcquire(shared, timeout);
	}

	synchronized boolean isFree() {
		return this.holders.isEmpty() && this.placeholders.isEmpty();
	}

	/**
	 * Ends the rests of all leases that were released.
	 * @return how many there were
	 */
	synchronized int endDelays() {
		int count = this.placeholders.size();
		this.placeholders.clear();
		return count;
	}

	synchronized boolean isHeldBy(LeaseRequest lease) {
		return this.holders.contains(lease);
	}

	/**
	 * How many attempts were denied.
	 */
	synchronized int denials() {
		return this.denials;
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return List.of();
	}

	@Override
	public Duration probe(LeaseRequest request, Duration timeout) {
		return Duration.ZERO;
	}

	@Override
	public void close() {
	}

}
