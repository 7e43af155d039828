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

package io.github.lockspring.sample.page;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.sample.timeline.Access;
import io.github.lockspring.sample.timeline.Incident;
import io.github.lockspring.sample.timeline.Outcome;
import io.github.lockspring.sample.timeline.Section;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link History}.
 */
class HistoryTests {

	private final History history = new History();

	@Test
	void sectionsOfOtherRunsAreNotKept() {
		this.history.begin("stock:1");
		this.history.add(List.of(section("stock:1", 0, 1)));
		this.history.begin("stock:2");
		Section current = section("stock:2", 5, 6);
		assertThat(this.history.add(List.of(section("stock:1", 4, 7), current))).containsExactly(current);
		assertThat(this.history.read().sections()).containsExactly(current);
	}

	@Test
	void sectionThatIsLeftReplacesTheOpenOne() {
		this.history.begin("k");
		this.history.add(List.of(open("k", 0, 1), open("k", 1, 1)));
		this.history.add(List.of(section("k", 0, 2)));
		assertThat(this.history.read().sections()).extracting(Section::end).containsExactly(2.0, 1.0);
	}

	@Test
	void sectionOfAnInstanceThatIsKilledDoesNotOverlapAfterItWasLastSeen() {
		this.history.begin("k");
		this.history.add(List.of(open("k", 0, 1), section("k", 2, 3)));
		this.history.add(new Incident(4, "1", "killed", null));
		assertThat(SectionAnalysis.of(this.history.read().sections(), 1).overlaps()).isZero();
	}

	@Test
	void numberOfSectionsIsLimited() {
		this.history.begin("k");
		for (int i = 0; i < History.MAX_SECTIONS + 5; i++) {
			this.history.add(List.of(open("k", i, i)));
		}
		assertThat(this.history.read().sections()).hasSize(History.MAX_SECTIONS)
			.first()
			.extracting(Section::start)
			.isEqualTo(5.0);
	}

	@Test
	void progressOfTheRunIsKept() {
		this.history.add(new Meter(1, 10).readLast(null));
		this.history.begin("k");
		Meter.Progress progress = new Meter(2, 10).readLast(null);
		this.history.add(progress);
		assertThat(this.history.read().progress()).containsExactly(progress);
	}

	@Test
	void latestIncidentsAreKeptOverRuns() {
		for (int i = 0; i < History.MAX_INCIDENTS + 5; i++) {
			this.history.add(new Incident(i, "2", "paused", null));
		}
		this.history.begin("k");
		assertThat(this.history.read().incidents()).hasSize(History.MAX_INCIDENTS)
			.first()
			.extracting(Incident::at)
			.isEqualTo(5.0);
	}

	private static Section section(String key, double start, double end) {
		return new Section("1", "t", key, Access.EXCLUSIVE, start, end, null, Outcome.DONE);
	}

	private static Section open(String key, double start, double seen) {
		return new Section("1", "t", key, Access.EXCLUSIVE, start, seen, null, null);
	}

}
