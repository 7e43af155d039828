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

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.util.Assert;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Holders and queue of one key, both in order of arrival. Guarded by the monitor of the
 * {@link LocalStore}.
 */
final class LocalKey {

	private final Set<LeaseRequest> holders = new LinkedHashSet<>();

	private final Map<LeaseRequest, LocalContender> queue = new LinkedHashMap<>();

	Set<LeaseRequest> holders() {
		return this.holders;
	}

	Map<LeaseRequest, LocalContender> queue() {
		return this.queue;
	}

	void checkLimit(LeaseRequest request) {
		if (request.terms().mode() instanceof Permits wanted) {
			Stream.concat(this.holders.stream(), this.queue.keySet().stream())
				.map((other) -> other.terms().mode())
				.filter(Permits.class::isInstance)
				.mapToInt((mode) -> ((Permits) mode).limit())
				.findFirst()
				.ifPresent((limit) -> Assert.isTrue(limit == wanted.limit(),
						() -> "The key of the " + request + " is in use with a limit of " + limit + " permits"));
		}
	}

	boolean isHeldExclusively() {
		return isHeldIn(LeaseMode.EXCLUSIVE);
	}

	private boolean isHeldIn(LeaseMode mode) {
		return !this.holders.isEmpty() && this.holders.iterator().next().terms().mode().equals(mode);
	}

	boolean admits(LeaseRequest request) {
		return (!mustQueue(request) || isNext(request)) && hasRoomFor(request.terms().mode());
	}

	/**
	 * A fair request waits for all that arrived before it, and other readers wait for a
	 * queued writer, which would starve otherwise.
	 */
	private boolean mustQueue(LeaseRequest request) {
		return request.terms().fair() || (request.terms().mode().equals(LeaseMode.SHARED) && isWriterNext());
	}

	private boolean isWriterNext() {
		return !this.queue.isEmpty()
				&& this.queue.keySet().iterator().next().terms().mode().equals(LeaseMode.EXCLUSIVE);
	}

	private boolean isNext(LeaseRequest request) {
		return this.queue.isEmpty() || this.queue.keySet().iterator().next().equals(request);
	}

	private boolean hasRoomFor(LeaseMode mode) {
		if (this.holders.isEmpty()) {
			return true;
		}
		if (mode instanceof Permits wanted) {
			return permitsInUse(wanted.limit()) + wanted.permits() <= wanted.limit();
		}
		return mode.equals(LeaseMode.SHARED) && isHeldIn(LeaseMode.SHARED);
	}

	private long permitsInUse(int limit) {
		return this.holders.stream()
			.mapToLong((holder) -> (holder.terms().mode() instanceof Permits held) ? held.permits() : limit)
			.sum();
	}

	/**
	 * Add a contender to the queue, or keep its place if it is queued already.
	 */
	void enqueue(LeaseRequest request, LocalContender contender) {
		this.queue.put(request, contender);
	}

	void hold(LeaseRequest request) {
		this.queue.remove(request);
		this.holders.add(request);
	}

	/**
	 * Replace a holder by another.
	 */
	void replace(LeaseRequest holder, LeaseRequest other) {
		this.holders.remove(holder);
		this.holders.add(other);
	}

	/**
	 * Remove a holder or contender.
	 * @param request the request to remove
	 * @return {@code true} if none is left
	 */
	boolean remove(LeaseRequest request) {
		this.queue.remove(request);
		this.holders.remove(request);
		return this.queue.isEmpty() && this.holders.isEmpty();
	}

}
