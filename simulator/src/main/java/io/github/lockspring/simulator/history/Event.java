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

import org.springframework.util.Assert;

/**
 * One event of a {@link History}. An event that begins something is recorded before its
 * call, one that ends something after it, and a look at a lock before it: claims are then
 * never longer in the history than they were.
 *
 * @param time nanoseconds of a clock that all processes share and that never goes back
 * @param process name of the process, or of what else acted
 * @param worker name of the thread or task within the process
 * @param fact what happened
 */
public record Event(long time, String process, String worker, Fact fact) {

	public Event {
		Assert.notNull(process, "'process' must not be null");
		Assert.notNull(worker, "'worker' must not be null");
		Assert.notNull(fact, "'fact' must not be null");
	}

	/**
	 * Reads an event from its text form.
	 * @param line the text form, without a line break
	 * @return the event
	 * @throws IllegalArgumentException if the line is not the text form of an event
	 */
	public static Event parse(String line) {
		return EventText.parse(line);
	}

	/**
	 * Returns the text form: one line of printable ASCII without a line break. Equal
	 * events have equal text forms.
	 */
	@Override
	public String toString() {
		return EventText.print(this);
	}

}
