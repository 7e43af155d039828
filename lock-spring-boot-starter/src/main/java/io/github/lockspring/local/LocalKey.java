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

package io.github.lockspring.local;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.PermitLimitException;

/**
 * Holders and queue of one key, both in order of arrival. Guarded by the monitor of the
 * {@link LocalStore}.
 */
final class LocalKey {

	private final Map<LeaseRequest, LeaseMode> holders = new LinkedHashMap<>();

	private final Map<LeaseRequest, LocalContender> queue = new LinkedHashMap<>();

	/**
	 * How many holders have each mode with permits: few modes, and perhaps many holders.
	 */
	private Map<Permits, Integer> permits = Map.of();

	Set<LeaseRequest> holders() {
		return this.holders.keySet();
	}

	Map<LeaseRequest, LocalContender> queue() {
		return this.queue;
	}

	void checkLimit(LeaseRequest request) {
		if (request.terms().mode() instanceof Permits wanted) {
			superseding(wanted).ifPresent((superseding) -> {
				throw new PermitLimitException(wanted, superseding.limit(), superseding.version());
			});
		}
	}

	/**
	 * Return whether the limit of a request is superseded by that of another one.
	 */
	boolean isSuperseded(LeaseRequest request) {
		return request.terms().mode() instanceof Permits wanted && superseding(wanted).isPresent();
	}

	/**
	 * Find the permits, held or waited for, whose limit takes precedence.
	 */
	private Optional<Permits> superseding(Permits wanted) {
		return Stream.concat(this.permits.keySet().stream(), this.queue.keySet().stream().flatMap(LocalKey::permits))
			.max(Comparator.comparingLong(Permits::version))
			.filter(wanted::isSupersededBy);
	}

	private static Stream<Permits> permits(LeaseRequest request) {
		return (request.terms().mode() instanceof Permits permits) ? Stream.of(permits) : Stream.empty();
	}

	boolean isHeldExclusively() {
		return isHeldIn(LeaseMode.EXCLUSIVE);
	}

	private boolean isHeldIn(LeaseMode mode) {
		return !this.holders.isEmpty() && this.holders.values().iterator().next().equals(mode);
	}

	boolean admits(LeaseRequest request, boolean queueing) {
		return (!mustQueue(request, queueing) || isNext(request)) && !isSuperseded(request)
				&& hasRoomFor(request.terms().mode());
	}

	/**
	 * Return whether a request must wait for queued ones: a fair request for all that
	 * arrived before it, other readers for a queued writer, and permits for queued
	 * requests, which would starve otherwise.
	 */
	private boolean mustQueue(LeaseRequest request, boolean queueing) {
		LeaseMode mode = request.terms().mode();
		return request.terms().fair() || (mode.equals(LeaseMode.SHARED) && isWriterNext())
				|| (queueing && mode instanceof Permits);
	}

	private boolean isWriterNext() {
		return !this.queue.isEmpty()
				&& this.queue.keySet().iterator().next().terms().mode().equals(LeaseMode.EXCLUSIVE);
	}

	private boolean isNext(LeaseRequest request) {
		return this.queue.keySet()
			.stream()
			.filter((other) -> !isSuperseded(other))
			.findFirst()
			.filter((next) -> !next.equals(request))
			.isEmpty();
	}

	private boolean hasRoomFor(LeaseMode mode) {
		if (this.holders.isEmpty()) {
			return true;
		}
		if (mode instanceof Permits wanted) {
			return !this.permits.isEmpty() && permitsInUse() + wanted.permits() <= wanted.limit();
		}
		return mode.equals(LeaseMode.SHARED) && isHeldIn(LeaseMode.SHARED);
	}

	private long permitsInUse() {
		return this.permits.entrySet()
			.stream()
			.mapToLong((held) -> (long) held.getKey().permits() * held.getValue())
			.sum();
	}

	/**
	 * Add a contender to the queue, or keep its position if it is queued already.
	 */
	void enqueue(LeaseRequest request, LocalContender contender) {
		this.queue.put(request, contender);
	}

	void hold(LeaseRequest request) {
		this.queue.remove(request);
		add(request);
	}

	private void add(LeaseRequest holder) {
		LeaseMode mode = holder.terms().mode();
		if (this.holders.putIfAbsent(holder, mode) == null) {
			count(mode, 1);
		}
	}

	private void removeHolder(LeaseRequest holder) {
		count(this.holders.remove(holder), -1);
	}

	private void count(@Nullable LeaseMode mode, int change) {
		if (mode instanceof Permits held) {
			this.permits = this.permits.isEmpty() ? new HashMap<>() : this.permits;
			this.permits.merge(held, change, (one, other) -> (one + other != 0) ? one + other : null);
		}
	}

	/**
	 * Replace a holder by another.
	 */
	void replace(LeaseRequest holder, LeaseRequest other) {
		removeHolder(holder);
		add(other);
	}

	/**
	 * Remove a holder or contender.
	 * @param request the request to remove
	 * @return {@code true} if none is left
	 */
	boolean remove(LeaseRequest request) {
		this.queue.remove(request);
		removeHolder(request);
		return this.queue.isEmpty() && this.holders.isEmpty();
	}

}
