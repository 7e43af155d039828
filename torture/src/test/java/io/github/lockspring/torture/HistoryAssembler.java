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

package io.github.lockspring.torture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.lockspring.simulator.history.Event;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.Fact.ProcessChanged;
import io.github.lockspring.simulator.history.History;

/**
 * Makes one history of the events of all processes. A process that was stopped has also
 * noticed that itself, and may have been late to go on: pauses that overlap become one.
 */
final class HistoryAssembler {

	private HistoryAssembler() {
	}

	/**
	 * Order events by their times.
	 * @param events the events of all processes
	 * @return the history
	 */
	static History assemble(List<Event> events) {
		List<Event> sorted = new ArrayList<>(events);
		sorted.sort(Comparator.comparingLong(Event::time));
		Map<String, Integer> pauses = new HashMap<>();
		History history = new History();
		for (Event event : sorted) {
			if (isVisible(event, pauses)) {
				history.add(event);
			}
		}
		return history;
	}

	/**
	 * Count the pauses of the process, of which only the first begin and the last end are
	 * to be seen.
	 */
	private static boolean isVisible(Event event, Map<String, Integer> pauses) {
		if (!(event.fact() instanceof ProcessChanged changed)) {
			return true;
		}
		ProcessChange change = changed.change();
		if (change == ProcessChange.PAUSED) {
			return pauses.merge(event.process(), 1, Integer::sum) == 1;
		}
		if (change == ProcessChange.RESUMED) {
			return pauses.merge(event.process(), -1, Integer::sum) == 0;
		}
		if (change.isEnd()) {
			pauses.put(event.process(), 0);
		}
		return true;
	}

}
