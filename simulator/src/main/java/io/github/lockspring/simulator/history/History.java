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

package io.github.lockspring.simulator.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import org.springframework.util.Assert;

/**
 * Append-only list of events in the order of their time. The number of a line is the
 * index of its event. Not thread-safe: threads that run at the same time write histories
 * of their own, which are {@link #merge merged}.
 */
public final class History {

	private final List<Event> events = new ArrayList<>();

	/**
	 * Reads a history from its text form.
	 * @param text the lines
	 * @return the history
	 * @throws IllegalArgumentException if a line is not an event or goes back in time
	 */
	public static History parse(String text) {
		History history = new History();
		text.lines().map(Event::parse).forEach(history::add);
		return history;
	}

	/**
	 * Merges histories whose times are those of one clock. Events of the same time keep
	 * the order of the histories.
	 * @param histories the histories
	 * @return all events in the order of their time
	 */
	public static History merge(Collection<History> histories) {
		History merged = new History();
		histories.forEach((history) -> merged.events.addAll(history.events));
		merged.events.sort(Comparator.comparingLong(Event::time));
		return merged;
	}

	/**
	 * Appends an event.
	 * @param event the event
	 * @throws IllegalArgumentException if its time is before that of the last event
	 */
	public void add(Event event) {
		Assert.isTrue(this.events.isEmpty() || event.time() >= endTime(), () -> "Time goes back: " + event);
		this.events.add(event);
	}

	/**
	 * Appends an event.
	 * @param time nanoseconds
	 * @param process name of the process
	 * @param worker name of the thread or task
	 * @param fact what happened
	 */
	public void add(long time, String process, String worker, Fact fact) {
		add(new Event(time, process, worker, fact));
	}

	/**
	 * Return the events.
	 * @return an unmodifiable view
	 */
	public List<Event> events() {
		return Collections.unmodifiableList(this.events);
	}

	/**
	 * Return the time of the last event.
	 * @return nanoseconds, or 0 if there is no event
	 */
	public long endTime() {
		return this.events.isEmpty() ? 0 : this.events.get(this.events.size() - 1).time();
	}

	/**
	 * Return the text form: one line for each event. The same history has the same text.
	 * @return the lines, each with a line feed
	 */
	@Override
	public String toString() {
		return this.events.stream().map((event) -> event + "\n").collect(Collectors.joining());
	}

}
