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

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.history.Event;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.Fact.ProcessChanged;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HistoryAssembler}.
 */
class HistoryAssemblerTests {

	@Test
	void ordersEvents() {
		assertThat(assemble(event(2, "b", ProcessChange.STARTED), event(1, "a", ProcessChange.STARTED)))
			.containsExactly("1 a STARTED", "2 b STARTED");
	}

	@Test
	void pausesThatOverlapAreOne() {
		assertThat(assemble(event(2, "a", ProcessChange.PAUSED), event(8, "a", ProcessChange.RESUMED),
				event(1, "a", ProcessChange.PAUSED), event(9, "a", ProcessChange.RESUMED)))
			.containsExactly("1 a PAUSED", "9 a RESUMED");
	}

	@Test
	void pausesOfTwoProcessesAreTwo() {
		assertThat(assemble(event(1, "a", ProcessChange.PAUSED), event(2, "b", ProcessChange.PAUSED),
				event(3, "a", ProcessChange.RESUMED), event(4, "b", ProcessChange.RESUMED)))
			.hasSize(4);
	}

	@Test
	void pauseEndsWithItsProcess() {
		assertThat(assemble(event(1, "a", ProcessChange.PAUSED), event(2, "a", ProcessChange.KILLED),
				event(3, "a", ProcessChange.RESTARTED), event(4, "a", ProcessChange.PAUSED),
				event(5, "a", ProcessChange.RESUMED)))
			.containsExactly("1 a PAUSED", "2 a KILLED", "3 a RESTARTED", "4 a PAUSED", "5 a RESUMED");
	}

	private static Event event(long time, String process, ProcessChange change) {
		return new Event(time, process, "", new ProcessChanged(change));
	}

	private static Stream<String> assemble(Event... events) {
		return HistoryAssembler.assemble(List.of(events))
			.events()
			.stream()
			.map((event) -> event.time() + " " + event.process() + " " + ((ProcessChanged) event.fact()).change());
	}

}
