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

package io.github.lockspring.sample.lesson;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.lockspring.sample.lesson.Outcome.Moment;
import io.github.lockspring.sample.lesson.Outcome.Stay;
import io.github.lockspring.sample.timeline.Timeline;

/**
 * What a lock protects. Knows who is inside, and, as the table of the shop does, rejects
 * a write with a smaller fencing token than that of a later owner. Thread-safe.
 */
final class Resource {

	private final Map<String, Double> inside = new LinkedHashMap<>();

	private final List<Stay> stays = new ArrayList<>();

	private final List<Moment> moments = new ArrayList<>();

	private String latest = "";

	private long largestToken;

	private boolean twoInside;

	/**
	 * An owner comes in, and begins by writing its token.
	 */
	synchronized void enter(String owner, long token) {
		this.inside.put(owner, Timeline.now());
		this.latest = owner;
		this.largestToken = Math.max(token, this.largestToken);
	}

	/**
	 * An owner writes, if its lock and the token let it.
	 * @return whether it has written
	 */
	synchronized boolean write(String owner, long token) {
		if (token == Contender.LOST || (token != Contender.UNFENCED && token < this.largestToken)) {
			mark(owner, (token == Contender.LOST) ? "lost" : "refused");
			leave(owner, "lost");
			return false;
		}
		this.twoInside |= !owner.equals(this.latest);
		mark(owner, "written");
		return true;
	}

	void leave(String owner) {
		leave(owner, "done");
	}

	/**
	 * An owner goes.
	 * @param outcome {@code done}, {@code lost} or {@code killed}
	 */
	synchronized void leave(String owner, String outcome) {
		Double since = this.inside.remove(owner);
		if (since != null) {
			this.stays.add(new Stay(owner, since, Timeline.now(), outcome));
		}
	}

	synchronized void mark(String owner, String kind) {
		this.moments.add(new Moment(owner, Timeline.now(), kind));
	}

	/**
	 * Return whether an owner has written while a later one was inside.
	 */
	synchronized boolean hadTwoInside() {
		return this.twoInside;
	}

	/**
	 * Return who was inside when; those that are still are seen until now.
	 */
	synchronized List<Stay> stays() {
		List<Stay> all = new ArrayList<>(this.stays);
		this.inside.forEach((owner, since) -> all.add(new Stay(owner, since, Timeline.now(), "done")));
		return all;
	}

	synchronized List<Moment> moments() {
		return List.copyOf(this.moments);
	}

}
