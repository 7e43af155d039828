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

package io.github.lockspring.sample.timeline;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockLostException;
import io.github.lockspring.event.LockLostEvent;
import io.github.lockspring.fencing.StaleLockException;

/**
 * Records who is in a critical section, from when to when, whether a lock guards it or
 * not. Contains the latest {@value #CAPACITY} sections. Thread-safe.
 */
@Component
public class Timeline {

	static final int CAPACITY = 20_000;

	private final String instance;

	private final AtomicLong lastId = new AtomicLong();

	private final Map<Long, Section> open = new ConcurrentHashMap<>();

	/**
	 * Sections that were left, in this order. Guarded by this object's monitor.
	 */
	private final Deque<Section> left = new ArrayDeque<>();

	/**
	 * Guarded by this object's monitor.
	 */
	private final Deque<Incident> incidents = new ArrayDeque<>();

	/**
	 * Number of sections that were left since the start. Guarded by this object's
	 * monitor.
	 */
	private long leftCount;

	/**
	 * Number of incidents since the start. Guarded by this object's monitor.
	 */
	private long incidentCount;

	public Timeline(@Value("${sample.instance}") String instance) {
		this.instance = instance;
	}

	/**
	 * Run a critical section and record it.
	 * @param key what is guarded
	 * @param access how many may be inside at once
	 * @param body the critical section
	 * @return the result of the body
	 */
	public <T extends @Nullable Object> T record(String key, Access access, Supplier<T> body) {
		long id = enter(key, access);
		Outcome outcome = Outcome.DONE;
		try {
			return body.get();
		}
		catch (StaleLockException ex) {
			outcome = Outcome.REFUSED;
			add("refused", "The write was rejected: a later owner with a larger fencing token has written");
			throw ex;
		}
		catch (LockLostException ex) {
			outcome = Outcome.LOST;
			add("refused", "The write was rejected: the lease is known to be lost");
			throw ex;
		}
		finally {
			leave(id, outcome);
		}
	}

	private long enter(String key, Access access) {
		long id = this.lastId.incrementAndGet();
		LockContext context = LockContext.get();
		Long token = (context != null && access == Access.EXCLUSIVE) ? context.lock().fencingToken() : null;
		double now = now();
		this.open.put(id,
				new Section(this.instance, Thread.currentThread().getName(), key, access, now, now, token, null));
		return id;
	}

	private void leave(long id, Outcome outcome) {
		Section section = Objects.requireNonNull(this.open.get(id));
		synchronized (this) {
			this.open.remove(id);
			this.left.add(section.left(now(), outcome));
			this.leftCount++;
			if (this.left.size() > CAPACITY) {
				this.left.remove();
			}
		}
	}

	@EventListener
	void onLost(LockLostEvent event) {
		add("lost", event.storeKey());
	}

	private synchronized void add(String kind, String detail) {
		this.incidents.add(new Incident(now(), this.instance, kind, detail));
		this.incidentCount++;
		if (this.incidents.size() > CAPACITY) {
			this.incidents.remove();
		}
	}

	/**
	 * Return what happened since an earlier call.
	 * @param position the position that the earlier call returned, or
	 * {@link Position#START}
	 * @return the sections that were left since, those that are still open, and the
	 * incidents
	 */
	public synchronized Excerpt since(Position position) {
		List<Section> sections = last(this.left, this.leftCount - position.sections());
		double now = now();
		this.open.values().forEach((section) -> sections.add(section.seen(now)));
		return new Excerpt(new Position(this.leftCount, this.incidentCount), sections,
				last(this.incidents, this.incidentCount - position.incidents()));
	}

	private static <T> List<T> last(Deque<T> all, long count) {
		return new ArrayList<>(all.stream().skip(Math.max(0, all.size() - count)).toList());
	}

	/**
	 * Return the time in milliseconds since 1970, with a fraction.
	 */
	public static double now() {
		Instant now = Instant.now();
		return now.getEpochSecond() * 1e3 + now.getNano() / 1e6;
	}

	/**
	 * A position in a timeline.
	 *
	 * @param sections the number of sections that were left before
	 * @param incidents the number of incidents before
	 */
	public record Position(long sections, long incidents) {

		/**
		 * The start of the instance.
		 */
		public static final Position START = new Position(0, 0);

	}

	/**
	 * A part of a timeline.
	 *
	 * @param position where it ends
	 * @param sections the sections
	 * @param incidents the incidents
	 */
	public record Excerpt(Position position, List<Section> sections, List<Incident> incidents) {

	}

}
